package sidecar_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

func calls(items ...string) string {
	return call("call_read_tools", `{"calls":[`+strings.Join(items, ",")+`]}`)
}

func TestABatchKeepsOrderAndEachItemsOwnFailure(t *testing.T) {
	bothEras(t, func(t *testing.T, era wire.Era) {
		d := open(t, nil, append(office(), tool("img", "", "", readOnly), tool("bad", "", "", readOnly), tool("err", "", "", readOnly), tool("asks", "", "", readOnly), tool("twice", "", "", readOnly))...)
		d.Upstream.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
		d.Upstream.Script("img", upstreamtest.Script{Result: `{"content":[{"type":"x-future","n":9007199254740993,"r":1.0},{"type":"image","data":"AAAA"}]}`})
		d.Upstream.Script("bad", upstreamtest.Script{Result: `{"content":[{"type":"text","text":"no such page"}],"isError":true}`})
		d.Upstream.Script("err", upstreamtest.Script{Code: -32602, Message: "wrong"})
		d.Upstream.Script("asks", upstreamtest.Script{Result: `{"resultType":"input_required","inputRequests":{}}`})
		d.Upstream.Script("twice", upstreamtest.Script{Result: `{"content":[],"content":[]}`})
		got := decide(t, d, era, calls(`{"name":"mail_find"}`, `{"name":"img"}`, `{"name":"mail_purge","arguments":{"folder":"x"}}`, `{"name":"wiki_get_page"}`,
			`{"name":"bad"}`, `{"name":"err"}`, `7`, `{"name":"mail_fnd"}`, `{"name":"asks"}`, `{"name":"twice"}`, `{"name":"mail_find","arguments":"{\"q\":\"x\"}"}`))
		a := read(t, got)
		text := said(t, got, false)
		mustSay(t, text, "[1] mail_find: ok\nmail_find ran", "[2] img: ok", "[3] mail_purge: refused: mail_purge may change something: run it with call_write_tool.",
			"[4] wiki_get_page: refused: wiki_get_page was not run", "[5] bad: error:\nno such page", "[6] err: error -32602: wrong\nInput schema of err: ",
			`[7] (no name): refused: each call must be an object`, "[8] mail_fnd: refused: There is no tool", "[9] asks: error: the tool asks back", "[10] twice: error: the upstream's result can't be taken apart",
			"[11] mail_find: ok (decoded from JSON text: (arguments))")
		want := []string{`{"type":"x-future","n":9007199254740993,"r":1.0}`, `{"type":"image","data":"AAAA"}`}
		if string(a.Result.Content[3]) != want[0] || string(a.Result.Content[4]) != want[1] {
			t.Errorf("blocks %s %s, want %s", a.Result.Content[3], a.Result.Content[4], want)
		}
		outcomes := strings.Join(d.Seen.Items(), " ")
		if outcomes != "bad_arguments bad_call error error error error near_name ok ok ok wrong_door" {
			t.Errorf("outcomes %s", outcomes)
		}
	})
}

func TestABatchIsAnErrorOnlyWhenAllOfItFailed(t *testing.T) {
	d := open(t, nil, office()...)
	said(t, decide(t, d, wire.Modern, calls(`{"name":"clock_set"}`, `{"name":"nobody_home"}`)), true)
	said(t, decide(t, d, wire.Modern, calls(`{"name":"clock_set"}`, `{"name":"mail_find"}`)), false)
}

func TestBatchArguments(t *testing.T) {
	d := open(t, nil, office()...)
	twenty := strings.TrimSuffix(strings.Repeat(`{"name":"mail_find"},`, 20), ",")
	tests := map[string]struct {
		arguments string
		refused   bool
		says      string
	}{
		"none":              {`{}`, true, "calls is missing: give 1 to 20 calls"},
		"an empty list":     {`{"calls":[]}`, true, "calls is missing"},
		"twenty":            {`{"calls":[` + twenty + `]}`, false, "[20] mail_find: ok"},
		"twenty-one":        {`{"calls":[` + twenty + `,{"name":"mail_find"}]}`, true, "calls has 21 entries: at most 20"},
		"text that is none": {`{"calls":"mail_find"}`, true, "each call must be an object"},
		"broken text":       {`{"calls":"[{\"name\":\"mail_find\""}`, true, "calls can't be read"},
		"a key twice in it": {`{"calls":"[{\"name\":\"mail_find\",\"name\":\"x\"}]"}`, true, "calls can't be read"},
		"one call's shape":  {`{"name":"mail_find","arguments":{}}`, true, "call_read_tools takes calls"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			mustSay(t, said(t, decide(t, d, wire.Modern, call("call_read_tools", tt.arguments)), tt.refused), tt.says)
		})
	}
}

// most is a RoundTripper's view of how many tools/call are under way at once.
type most struct {
	now, most atomic.Int64
}

func TestABatchRunsAFewAtATime(t *testing.T) {
	var seen most
	gate := make(chan struct{})
	var once sync.Once
	up := upstreamtest.New(t, office()...)
	front := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Name") == "mail_find" {
			n := seen.now.Add(1)
			defer seen.now.Add(-1)
			for old := seen.most.Load(); n > old && !seen.most.CompareAndSwap(old, n); old = seen.most.Load() {
			}
			if n == 3 {
				once.Do(func() { close(gate) })
			}
			<-gate // nobody goes on before three are there
		}
		up.ServeHTTP(w, r)
	})
	d := testdoor.Open(t, up, func(s *testdoor.Setup) { s.Engine.Upstream, s.Engine.Parallel = serve(t, front), 3 })
	items := make([]string, 12)
	for i := range items {
		items[i] = `{"name":"mail_find"}`
	}
	mustSay(t, said(t, decide(t, d, wire.Modern, calls(items...)), false), "[12] mail_find: ok")
	if n := seen.most.Load(); n != 3 {
		t.Errorf("%d calls at a time, want 3", n)
	}
}

func TestACallOfABatchCarriesWhatItMay(t *testing.T) {
	d := open(t, nil, tool("db_query", "", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`, readOnly))
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_read_tools","arguments":{"calls":[{"name":"db_query","arguments":{"region":"eu","n":1.0}}]},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{},"roots":{},"tasks":{},"x":1,"extensions":{"io.modelcontextprotocol/tasks":{},"y":2}},"progressToken":"p","vendor/z":3}}}`
	said(t, decide(t, d, wire.Modern, call("call_read_tools", `{}`), raw(body), set("Cookie", "secret=1"), set("X-Other", "1"), set("Mcp-Param-Region", "us")), false)
	got := d.Upstream.RequestsOf("tools/call")
	if len(got) != 1 || string(got[0].Arguments) != `{"region":"eu","n":1.0}` {
		t.Fatalf("the upstream got %+v", got)
	}
	h := got[0].Header
	if h.Get("Authorization") != "Bearer one" || h.Get("Mcp-Param-Region") != "eu" || h.Get("Cookie")+h.Get("X-Other") != "" {
		t.Errorf("headers %v", h)
	}
	want := `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"x":1,"extensions":{"y":2}},"vendor/z":3}`
	if string(got[0].Meta) != want {
		t.Errorf("_meta\n%s\nwant\n%s", got[0].Meta, want)
	}
}

func TestALargeBatchLosesTheLastResultsNotAll(t *testing.T) {
	d := open(t, func(s *testdoor.Setup) { s.Engine.BatchBytes = 5000 }, tool("big", "", "", readOnly))
	d.Upstream.Script("big", upstreamtest.Script{Result: `{"content":[{"type":"text","text":"` + strings.Repeat("b", 2000) + `"}]}`})
	got := decide(t, d, wire.Modern, calls(`{"name":"big"}`, `{"name":"big"}`, `{"name":"big"}`))
	mustSay(t, said(t, got, false), "[1] big: ok", "[2] big: ok", "[3] big: error: the results got too large together")
	if len(got.Body) > 6000 {
		t.Errorf("%d bytes", len(got.Body))
	}
}

func TestAnItemThatHangsFailsAlone(t *testing.T) {
	d := open(t, func(s *testdoor.Setup) { s.Engine.ItemTimeout = 100 * time.Millisecond }, append(office(), tool("slow", "", "", readOnly))...)
	d.Upstream.Script("slow", upstreamtest.Script{Gate: make(<-chan struct{})})
	mustSay(t, said(t, decide(t, d, wire.Modern, calls(`{"name":"slow"}`, `{"name":"mail_find"}`)), false), "[1] slow: error: upstream timed_out", "[2] mail_find: ok")
}

// arrived waits until the upstream got a request of this method.
func arrived(t *testing.T, up *upstreamtest.Server, method string) {
	t.Helper()
	for {
		changed := up.Changed()
		if len(up.RequestsOf(method)) > 0 {
			return
		}
		select {
		case <-changed:
		case <-time.After(10 * time.Second):
			t.Fatalf("no %s reached the upstream", method)
		}
	}
}

func TestAClientThatLeavesEndsTheBatch(t *testing.T) {
	d := open(t, nil, tool("slow", "", "", readOnly))
	d.Upstream.Script("slow", upstreamtest.Script{Gate: make(<-chan struct{})})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan sidecar.Decision, 1)
	req := request(t, wire.Modern, calls(`{"name":"slow"}`, `{"name":"slow"}`))
	go func() { done <- d.Decide(ctx, req) }()
	arrived(t, d.Upstream, "tools/call")
	cancel()
	if a := read(t, <-done); a.Result == nil || !a.Result.IsError {
		t.Errorf("%+v", a)
	}
}

// TestARefusedTokenInABatch: a client can log in again only when nothing ran.
func TestARefusedTokenInABatch(t *testing.T) {
	refuse := upstreamtest.Fault{Kind: upstreamtest.Status, Status: http.StatusUnauthorized, Header: http.Header{"Www-Authenticate": {`Bearer resource_metadata="http://up.example/x"`}}}
	d := open(t, func(s *testdoor.Setup) { s.Engine.Parallel = 1 }, office()...)
	d.Upstream.Fail("tools/call", refuse)
	got := decide(t, d, wire.Modern, calls(`{"name":"mail_find"}`, `{"name":"mail_find"}`))
	if got.Status != http.StatusUnauthorized || !strings.Contains(got.Header.Get("Www-Authenticate"), testdoor.Host+"/.well-known/") {
		t.Errorf("%d %v", got.Status, got.Header)
	}
	refuse.Skip = 1
	d.Upstream.Fail("tools/call", refuse)
	text := said(t, decide(t, d, wire.Modern, calls(`{"name":"mail_find"}`, `{"name":"mail_find"}`)), false)
	mustSay(t, text, "[1] mail_find: ok", "[2] mail_find: error: the upstream wants authorization (HTTP 401)")
}
