package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

func toolOf(name, description string, read bool) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"annotations":{"readOnlyHint":%t},"inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}}`, name, description, read)
}

// TestCallersNeverSeeEachOthersTools sends 200 requests of two callers at once, to search for, describe and call their
// own tool and the other's.
func TestCallersNeverSeeEachOthersTools(t *testing.T) {
	up := upstreamtest.New(t)
	up.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
	up.SetToolsFor("Bearer alice", toolOf("ledger_amber", "Amber ledger of Alice.", true), toolOf("shared_clock", "The time.", true))
	up.SetToolsFor("Bearer bob", toolOf("vault_cobalt", "Cobalt vault of Bob.", true), toolOf("shared_clock", "The time.", true))
	s := e2e.Start(t, e2e.Options{Program: programs.Build(t, e2e.Sidecar), Envoy: fixtures.Envoys(t)[0], Pairs: scripted(up)})
	secret := map[string][]string{"alice": {"vault_cobalt", "cobalt", "bob"}, "bob": {"ledger_amber", "amber", "alice"}}
	own := map[string]string{"alice": "ledger_amber", "bob": "vault_cobalt"}
	other := map[string]string{"alice": "vault_cobalt", "bob": "ledger_amber"}
	var wg sync.WaitGroup
	for i := range 200 {
		who, era := []string{"alice", "bob"}[i%2], []wire.Era{wire.Modern, wire.Legacy}[i/2%2]
		wg.Go(func() {
			bodies := []string{
				callBody("search_tools", map[string]any{"query": "ledger vault amber cobalt clock"}),
				callBody("search_tools", map[string]any{"query": own[who]}),
				callBody("describe_tools", map[string]any{"names": []string{own[who]}}),
				callBody("call_read_tool", map[string]any{"name": own[who]}),
				callBody("call_read_tools", map[string]any{"calls": []any{map[string]any{"name": own[who]}, map[string]any{"name": "shared_clock"}}}),
			}
			r, err := try(t.Context(), question{url: s.URL("/mcp/search"), token: who, era: era, body: bodies[i/4%len(bodies)]})
			if err != nil || r.status != http.StatusOK {
				t.Errorf("%s: status %d, %v: %.300s", who, r.status, err, r.body)
				return
			}
			low := strings.ToLower(string(r.body))
			for _, word := range secret[who] {
				if strings.Contains(low, word) {
					t.Errorf("%s was shown %q: %.300s", who, word, r.body)
				}
			}
			// What isn't there and what isn't theirs must look alike.
			hidden := refusal(t, s, who, era, other[who])
			absent := refusal(t, s, who, era, "nosuch_thing")
			if want := strings.ReplaceAll(absent, "nosuch_thing", other[who]); hidden != want {
				t.Errorf("%s: another caller's tool is refused with %q, one that isn't there with %q", who, hidden, absent)
			}
		})
	}
	wg.Wait()
	quiet(t, s)
}

// refusal calls a tool that the caller must not reach and returns what it is told.
func refusal(t *testing.T, s *e2e.Stack, who string, era wire.Era, name string) string {
	r, err := try(t.Context(), question{url: s.URL("/mcp/search"), token: who, era: era, body: callBody("call_write_tool", map[string]any{"name": name})})
	if err != nil || !r.failed {
		t.Errorf("%s called %s: %v, %.300s", who, name, err, r.body)
	}
	return r.text
}

// TestTheBodyDecidesWhatRuns sends writes whose headers claim something harmless.
func TestTheBodyDecidesWhatRuns(t *testing.T) {
	up := upstreamtest.New(t, toolOf("mail_find", "Find mail.", true), toolOf("mail_purge", "Empty a folder.", false))
	up.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
	s := e2e.Start(t, e2e.Options{Program: programs.Build(t, e2e.Sidecar), Envoy: fixtures.Envoys(t)[0], Pairs: scripted(up)})
	write := callBody("call_write_tool", map[string]any{"name": "mail_purge", "arguments": map[string]any{"q": "x"}})
	direct := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mail_purge","arguments":{"q":"x"}}}`
	lies := map[string]func(http.Header){
		"Mcp-Method says ping":          func(h http.Header) { h.Set("Mcp-Method", "ping"); h.Del("Mcp-Name") },
		"Mcp-Name says a read tool":     func(h http.Header) { h.Set("Mcp-Name", "mail_find") },
		"Mcp-Name is there twice":       func(h http.Header) { h["Mcp-Name"] = []string{h.Get("Mcp-Name"), "mail_find"} },
		"Mcp-Method is missing":         func(h http.Header) { h.Del("Mcp-Method") },
		"Mcp-Name is missing":           func(h http.Header) { h.Del("Mcp-Name") },
		"the version is there twice":    func(h http.Header) { h["Mcp-Protocol-Version"] = []string{wire.ModernVersion, "2025-11-25"} },
		"the version is another modern": func(h http.Header) { h.Set("Mcp-Protocol-Version", "2027-01-01") },
	}
	for name, lie := range lies {
		for kind, body := range map[string]string{"through the write door": write, "directly": direct} {
			t.Run("modern/"+name+"/"+kind, func(t *testing.T) {
				up.Reset()
				r := ask(t, question{url: s.URL("/mcp/search"), era: wire.Modern, body: body, alter: lie})
				if r.status != http.StatusBadRequest || r.code == 0 {
					t.Errorf("status %d, code %d: %.300s", r.status, r.code, r.body)
				}
				if n := len(up.RequestsOf("tools/call")); n != 0 {
					t.Errorf("%d calls reached the upstream", n)
				}
			})
		}
	}
	t.Run("legacy/the body alone decides, the headers don't reach the upstream", func(t *testing.T) {
		up.Reset()
		r := ask(t, question{url: s.URL("/mcp/search"), era: wire.Legacy, body: write, alter: func(h http.Header) {
			h.Set("Mcp-Method", "ping")
			h.Set("Mcp-Name", "mail_find")
			h.Set("Mcp-Param-Region", "eu")
		}})
		calls := up.RequestsOf("tools/call")
		if r.failed || len(calls) != 1 {
			t.Fatalf("%d calls reached the upstream: %.300s", len(calls), r.body)
		}
		if h := calls[0].Header; h.Get("Mcp-Name") != "mail_purge" || h.Get("Mcp-Method") != "tools/call" || h.Get("Mcp-Param-Region") != "" {
			t.Errorf("the upstream saw Mcp-Name %q, Mcp-Method %q, Mcp-Param-Region %q", h.Get("Mcp-Name"), h.Get("Mcp-Method"), h.Get("Mcp-Param-Region"))
		}
	})
	t.Run("legacy/a relayed request loses the headers", func(t *testing.T) {
		up.Reset()
		ask(t, question{url: s.URL("/mcp/search"), era: wire.Legacy, body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`, alter: func(h http.Header) { h.Set("Mcp-Name", "mail_purge") }})
		for _, r := range up.RequestsOf("ping") {
			if r.Header.Get("Mcp-Name") != "" {
				t.Error("Mcp-Name reached the upstream")
			}
		}
	})
}
