package catalog

import (
	"sync"

	"mcp-toolsearch/sidecar/argcheck"
)

// lazySchema compiles a schema once, whoever asks first.
type lazySchema struct {
	once   sync.Once
	schema *argcheck.Schema
	err    error
	failed func() // called once when the schema doesn't compile, or can't be applied in time

	unchecked sync.Once
}

func (l *lazySchema) get(raw []byte) (*argcheck.Schema, error) {
	l.once.Do(func() {
		l.schema, l.err = argcheck.Compile(raw)
		if l.err != nil && l.failed != nil {
			l.failed()
		}
	})
	return l.schema, l.err
}

// uncheckable counts the schema, once, like one that doesn't compile.
func (l *lazySchema) uncheckable() {
	l.unchecked.Do(func() {
		if l.failed != nil {
			l.failed()
		}
	})
}
