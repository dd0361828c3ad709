package e2e_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

// mark is part of every query, argument, result, token and header value of the tests below.
const mark = e2e.Mark

// TestNoMarkedValueIsRecorded sends marked values everywhere a request or an answer has room for them, well-formed and
// broken, and looks for the mark in the log at its most verbose and in the metrics.
func TestNoMarkedValueIsRecorded(t *testing.T) {
	up := upstreamtest.New(t, toolOf("mail_find", "Find mail.", true))
	up.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true; b.Instructions = mark })
	up.Script("mail_find", upstreamtest.Script{Result: `{"content":[{"type":"text","text":"` + mark + `"}]}`})
	s := e2e.Start(t, e2e.Options{Program: programs.Build(t, e2e.Sidecar), Envoy: fixtures.Envoys(t)[0], Pairs: scripted(up), Flags: []string{"--log-level", "debug"}})
	item := map[string]any{"name": "mail_find", "arguments": map[string]any{"q": mark}}
	bodies := []string{
		`{"jsonrpc":"2.0","id":"` + mark + `","method":"server/discover"}`,
		`{"jsonrpc":"2.0","id":"` + mark + `","method":"` + mark + `"}`,
		callBody("search_tools", map[string]any{"query": mark, "server": mark}),
		callBody("search_tools", map[string]any{"query": mark + " mail"}),
		callBody("describe_tools", map[string]any{"names": []string{mark}}),
		callBody("call_read_tool", item),
		callBody("call_read_tools", map[string]any{"calls": []any{item, map[string]any{"name": mark}, mark}}),
		callBody("call_write_tool", map[string]any{"name": mark, "arguments": mark}),
		callBody("call_read_tool", map[string]any{"name": "mail_find", "arguments": map[string]any{"q": []string{mark}, mark: 1}}),
		callBody(mark, map[string]any{}),
		`{"jsonrpc":"2.0","id":1,"method":"` + mark + `","params":{"` + mark + `":"` + mark + `"}}`,
		`[{"` + mark + `":"` + mark + `"}]`,
		`{"` + mark + `":`,
	}
	for _, fail := range []bool{false, true} {
		if fail {
			up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 500, Body: `{"error":"` + mark + `"}`})
			up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 401, Header: http.Header{"Www-Authenticate": {"Bearer realm=" + mark}}})
		}
		for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
			for i, body := range bodies {
				q := question{url: s.URL("/mcp/search?" + mark), token: mark, era: era, body: body, raw: i >= len(bodies)-2, alter: func(h http.Header) {
					h.Set("X-Marked", mark)
					h.Set("Mcp-Param-"+mark, mark)
				}}
				if fail {
					q.token += era.String() // nothing is cached for this caller
				}
				ask(t, q)
			}
		}
	}
	if n := counter(t, s, "mcp_toolsearch_decisions_total"); n < len(bodies)*4 {
		t.Errorf("only %d decisions were counted", n)
	}
	recorded := map[string]string{"log": s.SidecarLog(), "metrics": s.Metrics()}
	for where, text := range recorded {
		if at := regexp.MustCompile(`(?i)[^\n]*` + mark + `[^\n]*`).FindString(text); at != "" {
			t.Errorf("the %s holds a marked value: %s", where, at)
		}
		if !strings.Contains(text, "mail_find") && where == "log" {
			t.Errorf("the %s doesn't even name the tool: nothing was recorded at all", where)
		}
	}
}
