package e2e_test

import (
	"net/http"
	"os"
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

// markedDoor is a sidecar with a door that takes HTTP, in front of a server whose tool answers with the mark.
type markedDoor struct {
	url          string
	log, metrics func() string
}

// markedDoors open each kind of door, at the most verbose level.
func markedDoors() map[string]func(*testing.T, *upstreamtest.Server) markedDoor {
	const debug = "debug"
	return map[string]func(*testing.T, *upstreamtest.Server) markedDoor{
		"Envoy": func(t *testing.T, up *upstreamtest.Server) markedDoor {
			s := e2e.Start(t, e2e.Options{Program: programs.Build(t, e2e.Sidecar), Envoy: fixtures.Envoys(t)[0], Pairs: scripted(up), Flags: []string{"--log-level", debug}})
			return markedDoor{s.URL("/mcp/search"), s.SidecarLog, s.Metrics}
		},
		"HTTP": func(t *testing.T, up *upstreamtest.Server) markedDoor {
			d := e2e.Standalone(t, programs.Build(t, e2e.Sidecar), "--upstream", up.Origin(), "--routes", "/mcp/search=/mcp", "--log-level", debug)
			return markedDoor{d.Origin + "/mcp/search", d.Log, d.Metrics}
		},
		"merged, with a command that prints the mark": func(t *testing.T, up *upstreamtest.Server) markedDoor {
			d := e2e.Merge(t, programs.Build(t, e2e.Sidecar), map[string]e2e.Server{"mail": {URL: up.URL()}, "features": talkative(), "ends": {
				Command: "sh", Args: []string{"-c", "echo " + mark + " >&2; echo " + mark + "; exit 3"}}}, "--log-level", debug, "--log-format", "json")
			return markedDoor{d.Origin + "/mcp", d.Log, d.Metrics}
		},
	}
}

// talkative is a local command that serves, and prints the mark where only --log-server-stderr would log it.
func talkative() e2e.Server {
	return e2e.Server{Command: "sh", Args: []string{"-c", "echo " + mark + "; echo " + mark + ` >&2; exec "$0"`, os.Args[0]}, Env: map[string]string{serverVariable: "1"}}
}

// markedBodies have the mark wherever a message has room for a value, well-formed and broken; the last two are no
// messages at all.
func markedBodies() []string {
	item := map[string]any{"name": "mail_find", "arguments": map[string]any{"q": mark}}
	return []string{
		`{"jsonrpc":"2.0","id":"` + mark + `","method":"server/discover"}`,
		`{"jsonrpc":"2.0","id":"` + mark + `1","method":"` + mark + `"}`,
		`{"jsonrpc":"2.0","id":"` + mark + `2","method":"resources/read","params":{"uri":"file:///` + mark + `"}}`,
		`{"jsonrpc":"2.0","id":"` + mark + `3","method":"prompts/get","params":{"name":"` + mark + `","arguments":{"` + mark + `":"` + mark + `"}}}`,
		callBody("search_tools", map[string]any{"query": mark, "server": mark}),
		callBody("search_tools", map[string]any{"query": mark + " mail"}),
		callBody("describe_tools", map[string]any{"names": []string{mark}}),
		callBody("call_read_tool", item),
		callBody("call_read_tool", map[string]any{"name": "notes_list", "arguments": map[string]any{mark: mark}}),
		callBody("call_read_tools", map[string]any{"calls": []any{item, map[string]any{"name": mark}, mark}}),
		callBody("call_write_tool", map[string]any{"name": mark, "arguments": mark}),
		callBody("call_read_tool", map[string]any{"name": "mail_find", "arguments": map[string]any{"q": []string{mark}, mark: 1}}),
		callBody(mark, map[string]any{}),
		`{"jsonrpc":"2.0","id":1,"method":"` + mark + `","params":{"` + mark + `":"` + mark + `"}}`,
		`[{"` + mark + `":"` + mark + `"}]`,
		`{"` + mark + `":`,
	}
}

// markHeader puts the mark into headers: those that are passed on, those that the sidecar reads, and a session's.
func markHeader(session bool) func(http.Header) {
	return func(h http.Header) {
		for _, name := range []string{"X-Marked", "Mcp-Param-" + mark, "X-Request-Id", "Traceparent", "Tracestate", "Baggage", "Last-Event-Id", "User-Agent", "Via"} {
			h.Set(name, mark)
		}
		h.Set("Cookie", "session="+mark)
		if session {
			h.Set("Mcp-Session-Id", mark)
			h.Set("Origin", "http://"+mark+".example")
		}
	}
}

// TestNoMarkedValueIsRecorded sends marked values everywhere a request or an answer has room for them, well-formed and
// broken, to a server that works and to one that fails with marked answers, and looks for the mark in the log at its most
// verbose and in the metrics.
func TestNoMarkedValueIsRecorded(t *testing.T) {
	for name, open := range markedDoors() {
		t.Run(name, func(t *testing.T) {
			up := upstreamtest.New(t, toolOf("mail_find", "Find mail.", true))
			up.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true; b.Instructions = mark })
			up.Script("mail_find", upstreamtest.Script{Result: `{"content":[{"type":"text","text":"` + mark + `"}]}`})
			d := open(t, up)
			sent := sendMarked(t, d.url, false)
			up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 500, Body: `{"error":"` + mark + `"}`})
			up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 401, Header: http.Header{"Www-Authenticate": {"Bearer realm=" + mark}}})
			sent += sendMarked(t, d.url, true)
			up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 502, Body: mark})
			sent += sendMarked(t, d.url, false)
			metrics := d.metrics()
			if n := sum(t, metrics, "mcp_toolsearch_decisions_total"); n < sent/2 { // the other half has the session that isn't there
				t.Errorf("only %d decisions were counted of %d requests", n, sent)
			}
			unmarked(t, d.log(), metrics)
		})
	}
}

// sendMarked sends all bodies in both eras, with and without a session that isn't there, and requests without a body. It
// returns how many.
func sendMarked(t *testing.T, url string, fresh bool) int {
	t.Helper()
	n, bodies := 0, markedBodies()
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		token := mark
		if fresh {
			token += era.String() // nothing is cached for this caller
		}
		for _, session := range []bool{false, true} {
			for i, body := range bodies {
				ask(t, question{url: url + "?" + mark, token: token, era: era, body: body, raw: i >= len(bodies)-2, alter: markHeader(session)})
				n++
			}
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodPut, strings.ToUpper(mark)} {
		for _, path := range []string{"", "/" + mark} {
			req, err := http.NewRequestWithContext(t.Context(), method, url+path+"?"+mark, nil)
			if err != nil {
				t.Fatal(err)
			}
			markHeader(true)(req.Header)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
		}
	}
	return n
}

// unmarked holds that something was recorded, and not the mark.
func unmarked(t *testing.T, log, metrics string) {
	t.Helper()
	for where, text := range map[string]string{"log": log, "metrics": metrics} {
		if at := regexp.MustCompile(`(?i)[^\n]*(` + mark + `|withheld)[^\n]*`).FindString(text); at != "" {
			t.Errorf("the %s holds a marked or withheld value: %.600s", where, at)
		}
		if !strings.Contains(text, "mail_find") && where == "log" {
			t.Errorf("the %s doesn't even name the tool: nothing was recorded at all", where)
		}
	}
}
