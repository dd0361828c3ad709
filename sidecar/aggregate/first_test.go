package aggregate_test

import (
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/servers"
)

// TestTheFirstListWaitsForTheFirstServer: while no tool at all is known, an answer without any would say that there are none.
func TestTheFirstListWaitsForTheFirstServer(t *testing.T) {
	slow := func(name string) string {
		s := upstreamtest.New(t, `{"name":"`+name+`","inputSchema":{"type":"object"}}`)
		s.Configure(func(b *upstreamtest.Behaviour) { b.Eras, b.ListDelay = upstreamtest.ModernOnly, 3*time.Second })
		return s.URL()
	}
	r := start(t, []servers.Server{at("a", slow("one")), at("b", slow("two")), at("c", refused(t))})
	began := time.Now()
	_, text := post(t, r.url, "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if took := time.Since(began); !strings.Contains(text, `"name":"one"`) && !strings.Contains(text, `"name":"two"`) || took > 15*time.Second {
		t.Errorf("after %s: %s", took, text)
	}
	none := start(t, []servers.Server{at("a", refused(t)), at("b", refused(t))})
	began = time.Now()
	_, text = post(t, none.url, "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if took := time.Since(began); !strings.Contains(text, "none of the configured servers") || took > 5*time.Second {
		t.Errorf("with all of them down, after %s: %s", took, text)
	}
	if text := none.log.String(); !strings.Contains(text, "it has no tools yet") || strings.Contains(text, "last known tools") {
		t.Errorf("the log says %s", text)
	}
}

// TestAServerThatStartsIsNotCalledDown: who has not had the time to answer is told apart from who failed.
func TestAServerThatStartsIsNotCalledDown(t *testing.T) {
	slow := upstreamtest.New(t, `{"name":"late","inputSchema":{"type":"object"}}`)
	slow.Configure(func(b *upstreamtest.Behaviour) { b.Eras, b.ListDelay = upstreamtest.ModernOnly, time.Minute })
	quick := sdk(t, false, echoes("first=first"))
	r := start(t, []servers.Server{at("quick", quick.URL), at("slow", slow.URL()), at("gone", refused(t))})
	_, text := post(t, r.url, "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if !strings.Contains(text, `"mcp-toolsearch/down":["slow","gone"],"mcp-toolsearch/starting":["slow"]`) {
		t.Errorf("the listing says %s", text)
	}
}
