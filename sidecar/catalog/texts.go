package catalog

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"mcp-toolsearch/sidecar/wire"
)

// texts are the strings of a raw JSON array; other elements are skipped, and
// anything else has none.
func texts(raw []byte) []string {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '[' {
		return nil
	}
	var found []string
	for dec.PeekKind() != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			return found
		}
		if s, ok := wire.String(v); ok {
			found = append(found, s)
		}
	}
	return found
}
