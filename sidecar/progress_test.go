package sidecar_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// heard collects what a door was asked to send ahead of the answer.
type heard struct {
	mu       sync.Mutex
	messages []string
	first    chan struct{} // closed with the first message
	once     sync.Once
}

func newHeard() *heard { return &heard{first: make(chan struct{})} }

func (h *heard) listen(r *sidecar.Request) {
	r.Notify = func(message []byte) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.messages = append(h.messages, string(message))
		h.once.Do(func() { close(h.first) })
	}
}

func (h *heard) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.messages
}

// asking puts a progress token, raw JSON, into a dressed request.
func asking(token string) func(*sidecar.Request) {
	return func(r *sidecar.Request) {
		member := `"progressToken":` + token
		body := strings.Replace(string(r.Body), `"_meta":{`, `"_meta":{`+member+`,`, 1)
		if body == string(r.Body) {
			body = strings.Replace(body, `"params":{`, `"params":{"_meta":{`+member+`},`, 1)
		}
		r.Body = []byte(body)
	}
}

func progressOf(token string, done, total int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":%d}}`, token, done, total)
}

func TestABatchTellsHowManyItemsAreDone(t *testing.T) {
	bothEras(t, func(t *testing.T, era wire.Era) {
		for _, token := range []string{`"p\u0031"`, `7`, `-1`, `1.5e3`} {
			d := open(t, nil, office()...)
			d.Upstream.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
			h := newHeard()
			got := decide(t, d, era, calls(`{"name":"mail_find"}`, `{"name":"mail_purge"}`, `{"name":"wiki_get_page","arguments":{"id":"1"}}`), asking(token), h.listen)
			mustSay(t, said(t, got, false), "[1] mail_find: ok", "[2] mail_purge: refused", "[3] wiki_get_page: ok")
			all := h.all()
			if len(all) != 3 {
				t.Fatalf("token %s: told %q", token, all)
			}
			for i, message := range all {
				if want := progressOf(token, i+1, 3); message != want {
					t.Errorf("told\n%s\nwant\n%s", message, want)
				}
			}
		}
	})
}

func TestABatchIsSilentForWhoeverDidNotAsk(t *testing.T) {
	item := `{"name":"mail_find"}`
	tests := map[string]struct{ body, token string }{
		"a token of null":      {calls(item), `null`},
		"an object":            {calls(item), `{"a":1}`},
		"true":                 {calls(item), `true`},
		"a token without end":  {calls(item), `"` + strings.Repeat("t", 2000) + `"`},
		"a batch of no calls":  {calls(), `1`},
		"another meta-tool":    {call("search_tools", `{"query":"mail"}`), `1`},
		"calls that are wrong": {calls(strings.Split(strings.TrimSuffix(strings.Repeat(item+" ", 21), " "), " ")...), `1`},
	}
	for name, tt := range tests {
		h := newHeard()
		if got := decide(t, open(t, nil, office()...), wire.Modern, tt.body, asking(tt.token), h.listen); got.Kind != sidecar.Answer || len(h.all()) != 0 {
			t.Errorf("%s: told %q, decision %s", name, h.all(), got.Kind)
		}
	}
	h := newHeard()
	if got := decide(t, open(t, nil, office()...), wire.Modern, calls(item), h.listen); got.Kind != sidecar.Answer || len(h.all()) != 0 {
		t.Errorf("no token: told %q, decision %s", h.all(), got.Kind)
	}
	if got := decide(t, open(t, nil, office()...), wire.Modern, calls(item), asking(`1`)); got.Kind != sidecar.Answer {
		t.Errorf("a door that can't send ahead: %s", got.Kind)
	}
}

func TestASlowBatchSaysThatItRuns(t *testing.T) {
	d := open(t, func(s *testdoor.Setup) { s.Engine.ProgressAfter = 20 * time.Millisecond }, tool("slow", "", "", readOnly))
	h := newHeard()
	d.Upstream.Script("slow", upstreamtest.Script{Gate: h.first})
	mustSay(t, said(t, decide(t, d, wire.Modern, calls(`{"name":"slow"}`), asking(`"p"`), h.listen), false), "[1] slow: ok")
	if all := h.all(); len(all) != 2 || all[0] != progressOf(`"p"`, 0, 1) || all[1] != progressOf(`"p"`, 1, 1) {
		t.Errorf("told %q", all)
	}
}

// TestAChallengeIsNotLostToProgress: as long as only refused tokens came back, nothing is told, because what is told
// first makes the answer an HTTP 200. When something was told before, the refusal is in the items.
func TestAChallengeIsNotLostToProgress(t *testing.T) {
	refuse := upstreamtest.Fault{Kind: upstreamtest.Status, Status: http.StatusUnauthorized, Header: http.Header{"Www-Authenticate": {`Bearer resource_metadata="http://up.example/x"`}}}
	body := calls(`{"name":"mail_find"}`, `{"name":"mail_find"}`)
	d := open(t, func(s *testdoor.Setup) { s.Engine.Parallel = 1 }, office()...)
	d.Upstream.Fail("tools/call", refuse)
	h := newHeard()
	if got := decide(t, d, wire.Modern, body, asking(`1`), h.listen); got.Status != http.StatusUnauthorized || len(h.all()) != 0 {
		t.Errorf("HTTP %d, told %q", got.Status, h.all())
	}

	told := newHeard()
	up := upstreamtest.New(t, office()...)
	front := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Name") == "mail_find" {
			<-told.first
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		up.ServeHTTP(w, r)
	})
	d = testdoor.Open(t, up, func(s *testdoor.Setup) {
		s.Engine.Upstream, s.Engine.ProgressAfter = serve(t, front), 20*time.Millisecond
	})
	got := decide(t, d, wire.Modern, body, asking(`1`), told.listen)
	mustSay(t, said(t, got, true), "[1] mail_find: error: the upstream wants authorization (HTTP 401)", "[2] mail_find: error")
	if got.Status != http.StatusOK {
		t.Errorf("HTTP %d after something was told", got.Status)
	}
}
