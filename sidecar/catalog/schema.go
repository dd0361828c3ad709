package catalog

import (
	"math"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"mcp-toolsearch/sidecar/argcheck"
)

// lazySchema compiles a schema when it is first needed, and again when it was not for so long that it was forgotten.
type lazySchema struct {
	kept *schemas // nil: nothing is remembered, and nobody told

	mu  sync.Mutex // one compiles, others wait for it
	err error      // of a schema that doesn't compile: it never will

	unchecked sync.Once
}

func (l *lazySchema) get(raw []byte) (*argcheck.Schema, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return nil, l.err
	}
	if known := l.kept.get(l); known != nil {
		return known, nil
	}
	schema, err := argcheck.Compile(raw)
	if err != nil {
		l.err = err
		l.uncheckable()
		return nil, err
	}
	l.kept.add(l, schema, len(raw))
	return schema, nil
}

// uncheckable counts the schema, once: one that doesn't compile, or can't be applied in time.
func (l *lazySchema) uncheckable() {
	l.unchecked.Do(func() {
		if l.kept != nil && l.kept.failed != nil {
			l.kept.failed()
		}
	})
}

// A compiled schema takes some 13 times what its text does, and something for itself.
const (
	compiledFactor = 13
	compiledAtall  = 1 << 10
)

// schemas remembers compiled schemas, those that were not needed the longest leaving first. nil remembers nothing.
type schemas struct {
	most   int64  // bytes
	failed func() // is told of each schema that can't be applied; may be nil

	mu    sync.Mutex
	kept  *simplelru.LRU[*lazySchema, compiled]
	bytes int64
}

type compiled struct {
	schema *argcheck.Schema
	bytes  int64
}

func newSchemas(most int64, failed func()) *schemas {
	s := &schemas{most: most, failed: failed}
	s.kept, _ = simplelru.NewLRU(math.MaxInt, func(_ *lazySchema, c compiled) { s.bytes -= c.bytes }) // its error is about sizes
	return s
}

func (s *schemas) get(l *lazySchema) *argcheck.Schema {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known, _ := s.kept.Get(l)
	return known.schema
}

func (s *schemas) add(l *lazySchema, schema *argcheck.Schema, raw int) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := compiled{schema, compiledFactor*int64(raw) + compiledAtall}
	s.bytes += c.bytes
	s.kept.Add(l, c)
	for s.bytes > s.most && s.kept.Len() > 1 {
		s.kept.RemoveOldest()
	}
}

// clear forgets all, to give memory back.
func (s *schemas) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept.Purge()
}
