package sidecar_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/golden"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

func TestToolsListIsByteIdentical(t *testing.T) {
	first := read(t, decide(t, open(t, nil, office()...), wire.Modern, list))
	golden.File(t, "testdata/tools.json", string(first.Result.Tools)+"\n")
	doors := map[string]*testdoor.Door{
		"another process":     open(t, nil, office()...),
		"an empty catalog":    open(t, nil),
		"an upstream of ours": open(t, nil, tool("search_tools", "Not ours.", "", "")),
		"relayed calls":       open(t, func(s *testdoor.Setup) { s.Engine.RelayDirect = true }, office()...),
	}
	for name, d := range doors {
		bothEras(t, func(t *testing.T, era wire.Era) {
			for _, who := range []string{"Bearer one", "Bearer two", ""} {
				a := read(t, decide(t, d, era, list, set("Authorization", who)))
				if string(a.Result.Tools) != string(first.Result.Tools) {
					t.Errorf("%s, caller %q: the tools differ: %s", name, who, a.Result.Tools)
				}
			}
			if n := len(d.Upstream.Requests()); n != 0 {
				t.Errorf("%s: the list of tools made %d requests", name, n)
			}
		})
	}
}

func TestToolsListHasTheEnvelopeOfTheEra(t *testing.T) {
	d := open(t, nil, office()...)
	modern := read(t, decide(t, d, wire.Modern, list))
	if modern.Result.ResultType != "complete" || modern.Result.TTL == nil || *modern.Result.TTL != 3_600_000 || modern.Result.Scope != "public" {
		t.Errorf("modern result %+v", modern.Result)
	}
	legacy := read(t, decide(t, d, wire.Legacy, list))
	if legacy.Result.ResultType != "" || legacy.Result.TTL != nil || legacy.Result.Scope != "" {
		t.Errorf("legacy result %+v", legacy.Result)
	}
	bothEras(t, func(t *testing.T, era wire.Era) {
		d := decide(t, d, era, `{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor":"next"}}`)
		a := read(t, d)
		if a.Error == nil || a.Error.Code != wire.CodeInvalidParams || string(a.ID) != `"a"` || (d.Status == http.StatusOK) != (era == wire.Legacy) {
			t.Errorf("a cursor got %d %s", d.Status, d.Body)
		}
	})
}

// The limits of what a model has to read: design goals that clients' own limits are behind.
func TestTheFiveToolsAreShort(t *testing.T) {
	seen, whole := 0, 0
	var listed []json.RawMessage
	if err := json.Unmarshal(read(t, decide(t, open(t, nil), wire.Legacy, list)).Result.Tools, &listed); err != nil {
		t.Fatal(err)
	}
	for i, m := range sidecar.MetaTools() {
		model := `{"name":` + string(wire.Quote(m.Name)) + `,"description":` + string(wire.Quote(m.Description)) + `,"inputSchema":` + m.InputSchema + `}`
		seen += cases.Tokens(model)
		whole += cases.Tokens(string(listed[i]))
		if n := len([]rune(m.Description)); n > 600 {
			t.Errorf("%s: the description has %d characters, at most 600", m.Name, n)
		}
		if len(m.Name) > 15 {
			t.Errorf("%s: clients add a prefix to names, at most 15 characters are safe", m.Name)
		}
	}
	t.Logf("a model sees %d tokens; the whole objects have %d", seen, whole)
	if seen > 600 {
		t.Errorf("a model sees %d tokens, the goal is 600 and the limit 700", seen)
	}
	if whole > 950 {
		t.Errorf("the whole objects have %d tokens, at most 950", whole)
	}
	if n := len(utf16.Encode([]rune(sidecar.Guidance))); n > 900 {
		t.Errorf("the guidance has %d UTF-16 units, at most 900", n)
	}
}

func TestEachToolSaysWhatComesNext(t *testing.T) {
	next := map[string][]string{
		sidecar.SearchTools:   {"start here", "which tool runs it"},
		sidecar.DescribeTools: {"search_tools"},
		sidecar.CallReadTool:  {"search_tools", "input schema"},
		sidecar.CallReadTools: {"read-only", "in order"},
		sidecar.CallWriteTool: {"search_tools", "takes effect at once"},
	}
	for _, m := range sidecar.MetaTools() {
		for _, words := range next[m.Name] {
			if !strings.Contains(m.Description, words) {
				t.Errorf("%s does not say %q", m.Name, words)
			}
		}
		var hints map[string]bool
		if err := json.Unmarshal([]byte(m.Annotations), &hints); err != nil || len(hints) != 4 {
			t.Errorf("%s: annotations %s, want all four hints", m.Name, m.Annotations)
		}
		if hints["readOnlyHint"] != (m.Name != sidecar.CallWriteTool) {
			t.Errorf("%s: readOnlyHint is %t", m.Name, hints["readOnlyHint"])
		}
	}
}

func TestDocsTools(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The five tools\n\nWhat a client of a search route sees in place of hundreds of tools. Made from the code by `make docs`.\n")
	for _, m := range sidecar.MetaTools() {
		b.WriteString("\n## `" + m.Name + "`\n\n" + m.Description + "\n\n```json\n" + indented(t, m.InputSchema) + "\n```\n\nAnnotations: `" + m.Annotations + "`\n")
	}
	b.WriteString("\n## Strict decoders\n\nSome clients and decoders empty an object whose keys the schema doesn't name, and so the `arguments` of the call tools. " +
		"Such arguments are taken from `arguments_json` too, a string; with `--client-profile strict-arguments` the schemas and examples of the call tools name it. " +
		"The setting holds for the whole deployment: each profile is one list, the same bytes for every client.\n")
	for _, m := range sidecar.StrictArguments.MetaTools() {
		if strings.Contains(m.InputSchema, "arguments_json") {
			b.WriteString("\n### `" + m.Name + "` for strict decoders\n\n" + m.Description + "\n\n```json\n" + indented(t, m.InputSchema) + "\n```\n")
		}
	}
	b.WriteString("\n## What the client is told first\n\nThis text stands before the upstream's own instructions in the answers to `initialize` and `server/discover`.\n\n```text\n" + sidecar.Guidance + "\n```\n")
	golden.InTree(t, "docs/tools.md", b.String())
}

func indented(t *testing.T, raw string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
