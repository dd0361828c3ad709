package relay_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/relay"
	"mcp-toolsearch/sidecar/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const find = `{"name":"mail_find","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`

// seen records what the door tells its observer.
type seen struct {
	mu      sync.Mutex
	reasons []string
}

func (s *seen) Decided(_ sidecar.Kind, l sidecar.Labels, _ time.Duration) { s.RelayFailed(l.Reason) }

func (s *seen) RelayFailed(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reasons = append(s.reasons, reason)
}

func (s *seen) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.reasons)
}

// rig is a door on loopback with a real engine.
type rig struct {
	*relay.Listener
	test   *testdoor.Door
	seen   *seen
	origin string
	client *http.Client
	text   *text
}

// text is a log that can be read.
type text struct {
	mu sync.Mutex
	b  strings.Builder
}

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// open opens a door in front of an upstream. change may alter its options; engine, the engine's.
func open(tb testing.TB, up *upstreamtest.Server, change func(*relay.Options), engine func(*testdoor.Setup)) *rig {
	tb.Helper()
	origin := up.Origin()
	inner := testdoor.Open(tb, up, func(s *testdoor.Setup) {
		if engine != nil {
			engine(s)
		}
		origin = s.Engine.Upstream
	})
	r := &rig{test: inner, seen: &seen{}, text: &text{}}
	transport := &http.Transport{DisableCompression: true}
	o := relay.Options{Engine: inner.Engine, Observer: r.seen, Logger: slog.New(slog.NewTextHandler(r.text, nil)), Upstream: origin, Transport: transport,
		Routes: []sidecar.Route{{Search: testdoor.SearchPath, Aggregate: testdoor.AggregatePath}}, Version: "1.2.3"}
	if change != nil {
		change(&o)
	}
	lis, err := relay.Listen(tb.Context(), o, "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	own := &http.Transport{}
	r.Listener, r.origin, r.client = lis, "http://"+lis.Addr().String(), &http.Client{Transport: own}
	tb.Cleanup(func() {
		own.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		lis.Shutdown(ctx, 0)
		transport.CloseIdleConnections()
	})
	return r
}

func (r *rig) url() string { return r.origin + testdoor.SearchPath }

// request dresses a body for an era; change may spoil it.
func (r *rig) request(t *testing.T, ctx context.Context, era wire.Era, body string, change ...func(*http.Request)) *http.Request {
	t.Helper()
	dressed, h, err := cases.Dress([]byte(body), era, "")
	if err != nil {
		t.Fatal(err)
	}
	hr, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url(), strings.NewReader(string(dressed)))
	if err != nil {
		t.Fatal(err)
	}
	hr.Header = h
	hr.Header.Set("Authorization", "Bearer one")
	for _, c := range change {
		c(hr)
	}
	return hr
}

func (r *rig) do(t *testing.T, hr *http.Request) *http.Response {
	t.Helper()
	resp, err := r.client.Do(hr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// answer is a read answer.
type answer struct {
	status int
	header http.Header
	body   string
	id     string
	code   int
	text   string // of the error
}

// send sends a body and reads the whole answer.
func (r *rig) send(t *testing.T, era wire.Era, body string, change ...func(*http.Request)) answer {
	t.Helper()
	return read(t, r.do(t, r.request(t, t.Context(), era, body, change...)))
}

func read(t *testing.T, resp *http.Response) answer {
	t.Helper()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{status: resp.StatusCode, header: resp.Header, body: string(raw)}
	var m struct {
		ID    json.RawMessage
		Error struct {
			Code    int
			Message string
		}
	}
	if json.Unmarshal(raw, &m) == nil {
		a.id, a.code, a.text = string(m.ID), m.Error.Code, m.Error.Message
	}
	return a
}

// mustFail holds that an answer is a JSON-RPC error.
func (a answer) mustFail(t *testing.T, status int, text string) {
	t.Helper()
	if a.status != status || a.code == 0 || !strings.Contains(a.text, text) || a.header.Get("Content-Type") != "application/json" {
		t.Errorf("HTTP %d, %s, %.300q; want %d and a JSON-RPC error with %q", a.status, a.header.Get("Content-Type"), a.body, status, text)
	}
}

func call(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

const list = `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`

func set(name string, values ...string) func(*http.Request) {
	return func(r *http.Request) { r.Header[name] = values }
}

func bothEras(t *testing.T, test func(t *testing.T, era wire.Era)) {
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		t.Run(era.String(), func(t *testing.T) { test(t, era) })
	}
}

// eventually polls a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not within 10 s: %s", what)
		}
	}
}
