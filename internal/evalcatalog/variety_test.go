package evalcatalog_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"mcp-toolsearch/internal/evalcatalog"
)

// cutServer gives the tool's own name: what follows the server and the gateway's
// separator.
func cutServer(tool evalcatalog.Tool) (string, bool) {
	rest, found := strings.CutPrefix(tool.Name, tool.Server)
	if !found {
		return "", false
	}
	own := strings.TrimLeft(rest, "_-./")
	return own, own != rest
}

// share is a named count of tools with the bounds it has to stay in.
type share struct {
	name      string
	low, high int
	has       func(evalcatalog.Tool) bool
}

func TestCatalogIsVariedLikeRealOnes(t *testing.T) {
	tools := embedded(t)
	schemaHas := func(text string) func(evalcatalog.Tool) bool {
		return func(tool evalcatalog.Tool) bool { return bytes.Contains(tool.InputSchema, []byte(text)) }
	}
	shares := []share{
		{"annotated", 350, 450, func(t evalcatalog.Tool) bool { return len(t.Annotations) > 0 }},
		{"read-only", 190, 250, evalcatalog.Tool.ReadOnly},
		{"destructive", 30, 80, func(t evalcatalog.Tool) bool { h := t.Hints(); return h.DestructiveHint != nil && *h.DestructiveHint }},
		{"contradictory", 2, 6, contradictory},
		{"without arguments", 10, 40, schemaHas(`"properties":{}`)},
		{"with a reference", 50, 150, schemaHas(`"$ref"`)},
		{"with a nullable by anyOf", 30, 250, schemaHas(`{"type":"null"}`)},
		{"with an enum", 100, 350, schemaHas(`"enum"`)},
		{"with a header parameter", 2, 8, schemaHas(`"x-mcp-header"`)},
		{"draft-07", 50, 200, schemaHas(`draft-07`)},
		{"without a description", 10, 40, func(t evalcatalog.Tool) bool { return t.Description == "" }},
		{"with a long description", 8, 40, func(t evalcatalog.Tool) bool { return len(t.Description) > 1000 }},
	}
	for _, s := range shares {
		n := 0
		for _, tool := range tools {
			if s.has(tool) {
				n++
			}
		}
		if n < s.low || n > s.high {
			t.Errorf("%d tools are %s, want %d to %d", n, s.name, s.low, s.high)
		}
	}
}

func contradictory(tool evalcatalog.Tool) bool {
	h := tool.Hints()
	return h.ReadOnlyHint != nil && *h.ReadOnlyHint && h.DestructiveHint != nil && *h.DestructiveHint
}

func TestMeanDefinitionIsAsLargeAsInRealCatalogs(t *testing.T) {
	tools := embedded(t)
	total := 0
	for _, tool := range tools {
		definition := tool.Definition()
		if !json.Valid(definition) {
			t.Errorf("%s: the definition is not valid JSON", tool.Name)
		}
		total += utf8.RuneCount(definition)
	}
	if mean := total / len(tools); mean < 850 || mean > 1500 {
		t.Errorf("a definition has %d characters on average, want 850 to 1500", mean)
	}
}

func TestLookAlikesExistAcrossServers(t *testing.T) {
	servers := map[string]map[string]bool{}
	for _, tool := range embedded(t) {
		own, _ := cutServer(tool)
		if servers[own] == nil {
			servers[own] = map[string]bool{}
		}
		servers[own][tool.Server] = true
	}
	shared := 0
	for _, s := range servers {
		if len(s) > 1 {
			shared++
		}
	}
	if shared < 10 {
		t.Errorf("%d names occur on more than one server, want at least 10", shared)
	}
}
