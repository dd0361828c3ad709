package e2e_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

// fault is one thing that goes wrong, and what the client is told.
type fault struct {
	name    string
	prepare func(up *upstreamtest.Server, s *e2e.Stack)
	body    string
	token   string   // a caller of its own: nothing is cached for it
	status  int      // of the HTTP answer
	code    int      // of the JSON-RPC error; 0: a result
	failed  bool     // the result's isError
	has     []string // in the result's text or the error's message
}

func failing(method string, f upstreamtest.Fault) func(*upstreamtest.Server, *e2e.Stack) {
	return func(up *upstreamtest.Server, _ *e2e.Stack) { up.Fail(method, f) }
}

func faultsOf() []fault {
	search := callBody("search_tools", map[string]any{"query": "find mail"})
	read := callBody("call_read_tool", map[string]any{"name": "mail_find"})
	batch := callBody("call_read_tools", map[string]any{"calls": []any{map[string]any{"name": "mail_find"}}})
	const list, call = "tools/list", "tools/call"
	return []fault{
		{"a listing that never ends in time is a refusal", failing(list, upstreamtest.Fault{Kind: upstreamtest.Hang}), search, "a", 200, 0, true, []string{"could not be listed", "in time"}},
		{"a listing that is garbage is a refusal", failing(list, upstreamtest.Fault{Kind: upstreamtest.Garbage}), search, "b", 200, 0, true, []string{"could not be listed"}},
		{"a login page instead of a listing is a refusal", failing(list, upstreamtest.Fault{Kind: upstreamtest.HTML}), search, "c", 200, 0, true, []string{"could not be listed"}},
		{"a listing without end is a refusal", failing(list, upstreamtest.Fault{Kind: upstreamtest.LoopedCursor}), search, "d", 200, 0, true, []string{"could not be listed"}},
		{"an upstream that breaks off is a refusal", failing(list, upstreamtest.Fault{Kind: upstreamtest.CloseMidAnswer}), search, "e", 200, 0, true, []string{"could not be listed"}},
		{"a failing upstream is a refusal", failing(list, upstreamtest.Fault{Kind: upstreamtest.Status, Status: 500}), search, "f", 200, 0, true, []string{"could not be listed"}},
		{"a 401 of the listing reaches the client", failing(list, upstreamtest.Fault{Kind: upstreamtest.Status, Status: 401, Header: http.Header{"Www-Authenticate": {`Bearer resource_metadata="http://elsewhere/x"`}}}), search, "g", 401, -32600, false, []string{"401"}},
		{"a 403 of a call reaches the client", failing(call, upstreamtest.Fault{Kind: upstreamtest.Status, Status: 403}), read, "h", 403, 0, false, nil},
		{"a listing slower than Envoy's message timeout is waited for", func(up *upstreamtest.Server, _ *e2e.Stack) {
			up.Configure(func(b *upstreamtest.Behaviour) { b.ListDelay = 1500 * time.Millisecond })
		}, search, "i", 200, 0, false, []string{"mail_find"}},
		{"a call that is answered with garbage is passed on as it is", failing(call, upstreamtest.Fault{Kind: upstreamtest.Garbage}), read, "j", 200, 0, false, nil},
		{"an item of a batch that is answered with garbage fails alone", failing(call, upstreamtest.Fault{Kind: upstreamtest.Garbage}), batch, "k", 200, 0, true, []string{"[1] mail_find: error"}},
		{"an invalid-params answer gets the schema", failing(call, upstreamtest.Fault{Kind: upstreamtest.InvalidParams}), read, "l", 400, -32602, false, []string{"Input schema of mail_find"}},
		{"a body of 5 MiB is refused by the sidecar", nil, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 5<<20) + `"}}`, "m", 413, -32600, false, []string{"larger than"}},
		{"a body above Envoy's buffer is refused by Envoy", nil, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 9<<20) + `"}}`, "n", 413, -32600, false, []string{"larger than"}},
		{"a call to an upstream that is gone is Envoy's error as JSON-RPC", func(up *upstreamtest.Server, s *e2e.Stack) { up.Close() }, read, "warm", 503, -32603, false, []string{"not available"}},
		{"a listing of an upstream that is gone is a refusal", nil, search, "o", 200, 0, true, []string{"could not be listed"}},
		{"without the sidecar nothing is let through", func(_ *upstreamtest.Server, s *e2e.Stack) { s.KillSidecar() }, search, "p", 503, -32603, false, []string{"not available"}},
	}
}

// TestFaults lets things go wrong one after the other: each gives the client what docs/errors.md says, and leaves no
// stream behind.
func TestFaults(t *testing.T) {
	for _, version := range fixtures.Envoys(t) {
		t.Run("Envoy "+version, func(t *testing.T) {
			up := upstreamtest.New(t, toolOf("mail_find", "Find mail.", true), toolOf("mail_purge", "Empty a folder.", false))
			s := e2e.Start(t, e2e.Options{Program: programs.Build(t, e2e.Sidecar), Envoy: version, Pairs: scripted(up), Flags: []string{"--list-timeout", "3s"},
				Config: func(c *envoy.Config) { c.MessageTimeout = "1s" }})
			ask(t, question{url: s.URL("/mcp/search"), token: "warm", era: wire.Modern, body: callBody("search_tools", map[string]any{"query": "mail"})})
			for _, f := range faultsOf() {
				t.Run(f.name, func(t *testing.T) { f.play(t, up, s) })
			}
		})
	}
}

func (f fault) play(t *testing.T, up *upstreamtest.Server, s *e2e.Stack) {
	if f.prepare != nil {
		f.prepare(up, s)
	}
	r := ask(t, question{url: s.URL("/mcp/search"), token: f.token, era: wire.Modern, body: f.body})
	up.Heal()
	up.Configure(func(b *upstreamtest.Behaviour) { b.ListDelay = 0 })
	if r.status != f.status || r.code != f.code || r.failed != f.failed {
		t.Errorf("status %d, code %d, isError %t; want %d, %d, %t: %.300s", r.status, r.code, r.failed, f.status, f.code, f.failed, r.body)
	}
	for _, want := range f.has {
		if !strings.Contains(r.text+r.errmsg, want) {
			t.Errorf("the answer lacks %q: %.300s", want, r.body)
		}
	}
	if f.status == http.StatusUnauthorized && !strings.Contains(r.header.Get("Www-Authenticate"), "/.well-known/oauth-protected-resource/mcp/search") {
		t.Errorf("the challenge doesn't point to the search route: %s", r.header.Get("Www-Authenticate"))
	}
	if f.status != http.StatusServiceUnavailable || strings.Contains(f.name, "upstream") {
		quiet(t, s)
	}
}

// TestAClientThatLeavesLeavesNothingBehind disconnects clients while the sidecar lists, while a batch runs and while
// the upstream is silent: the streams end, and the goroutines with them.
func TestAClientThatLeavesLeavesNothingBehind(t *testing.T) {
	up := upstreamtest.New(t, toolOf("mail_find", "Find mail.", true))
	s := e2e.Start(t, e2e.Options{Program: programs.Build(t, e2e.Sidecar), Envoy: fixtures.Envoys(t)[0], Pairs: scripted(up)})
	url := s.URL("/mcp/search")
	leave := func(token, method, body string) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan struct{})
		up.Reset()
		go func() {
			defer close(done)
			if r, err := try(ctx, question{url: url, token: token, era: wire.Modern, body: body}); err == nil {
				t.Errorf("%s was answered: %.200s", method, r.body)
			}
		}()
		s.Until("the upstream has the "+method, func() bool { return len(up.RequestsOf(method)) > 0 })
		cancel()
		<-done
		quiet(t, s)
	}
	ask(t, question{url: url, token: "warm", era: wire.Modern, body: callBody("search_tools", map[string]any{"query": "mail"})})
	before := counter(t, s, "go_goroutines")
	up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.Hang})
	leave("new", "tools/list", callBody("search_tools", map[string]any{"query": "mail"}))
	up.Heal()
	up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.Hang})
	leave("warm", "tools/call", callBody("call_read_tools", map[string]any{"calls": []any{map[string]any{"name": "mail_find"}, map[string]any{"name": "mail_find"}}}))
	leave("warm", "tools/call", callBody("call_read_tool", map[string]any{"name": "mail_find"}))
	up.Heal()
	const slack = 4 // connections of Envoy's and to the upstream come and go
	s.Until("the goroutines are over", func() bool { return counter(t, s, "go_goroutines") <= before+slack })
}
