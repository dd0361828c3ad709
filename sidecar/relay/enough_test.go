package relay_test

import (
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/bounds"
	"mcp-toolsearch/sidecar/relay"
	"mcp-toolsearch/sidecar/wire"
)

const listing = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// wantTooMuch checks an answer that says to come again.
func wantTooMuch(t *testing.T, resp *http.Response) {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   struct{ Code int }
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.JSONRPC != "2.0" || answer.Error.Code != wire.CodeInternal {
		t.Errorf("the body is %s (%v)", body, err)
	}
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "1" || resp.Header.Get("Content-Type") != "application/json" {
		t.Errorf("HTTP %d, %v", resp.StatusCode, resp.Header)
	}
}

func TestTooManyRequestsAreToldToComeAgain(t *testing.T) {
	up := upstreamtest.New(t, find)
	refused := 0
	places := bounds.Door{Requests: bounds.NewGate(1, func() { refused++ }), Streams: bounds.NewGate(1, nil), Bodies: bounds.NewGate(100, nil)}
	r := open(t, up, func(o *relay.Options) { o.Bounds = places }, nil)
	if !places.Requests.Enter() {
		t.Fatal("it is full")
	}
	for _, path := range []string{"/mcp/search", "/mcp/all"} {
		wantTooMuch(t, r.do(t, r.request(t, t.Context(), wire.Modern, listing, func(hr *http.Request) { hr.URL.Path = path })))
	}
	stream := r.request(t, t.Context(), wire.Legacy, listing, func(hr *http.Request) { hr.Method, hr.Body, hr.ContentLength = http.MethodGet, http.NoBody, 0 })
	if resp := r.do(t, stream); resp.StatusCode == http.StatusServiceUnavailable {
		t.Error("a stream was refused, for which there is room")
	}
	if refused != 2 || len(up.RequestsOf("tools/list")) != 0 {
		t.Errorf("%d were counted, %d reached the upstream", refused, len(up.RequestsOf("tools/list")))
	}
	places.Requests.Leave()
	for range 3 { // each makes room for the next
		if resp := r.do(t, r.request(t, t.Context(), wire.Modern, listing)); resp.StatusCode != http.StatusOK {
			t.Errorf("HTTP %d with room", resp.StatusCode)
		}
		empty(places.Requests)
	}
}

// empty waits, until the test's time is over: an answer may be here before its request has ended.
func empty(g *bounds.Gate) {
	for g.Inside() != 0 {
		runtime.Gosched()
	}
}

func TestTooManyStreamsAreToldToComeAgain(t *testing.T) {
	up := upstreamtest.New(t, find)
	places := bounds.Door{Requests: bounds.NewGate(1, nil), Streams: bounds.NewGate(1, nil)}
	r := open(t, up, func(o *relay.Options) { o.Bounds = places }, nil)
	places.Streams.Enter()
	wantTooMuch(t, r.do(t, r.request(t, t.Context(), wire.Legacy, listing, func(hr *http.Request) { hr.Method, hr.Body, hr.ContentLength = http.MethodGet, http.NoBody, 0 })))
	wantTooMuch(t, r.do(t, r.request(t, t.Context(), wire.Modern, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}`)))
	if resp := r.do(t, r.request(t, t.Context(), wire.Modern, listing)); resp.StatusCode != http.StatusOK {
		t.Errorf("HTTP %d for a request, for which there is room", resp.StatusCode)
	}
}

func TestTooManyBytesOfBodiesAreToldToComeAgain(t *testing.T) {
	up := upstreamtest.New(t, find)
	bodies := bounds.NewGate(10_000, nil)
	r := open(t, up, func(o *relay.Options) { o.Bounds.Bodies = bodies }, nil)
	large := strings.Replace(listing, "}", `,"params":{"_meta":{"x":"`+strings.Repeat("x", 9_000)+`"}}}`, 1)
	bodies.Take(5_000)
	wantTooMuch(t, r.do(t, r.request(t, t.Context(), wire.Legacy, large)))
	if resp := r.do(t, r.request(t, t.Context(), wire.Legacy, listing)); resp.StatusCode != http.StatusOK {
		t.Errorf("HTTP %d for a small one", resp.StatusCode)
	}
	bodies.Give(5_000)
	if resp := r.do(t, r.request(t, t.Context(), wire.Legacy, large)); resp.StatusCode != http.StatusOK {
		t.Errorf("HTTP %d with room", resp.StatusCode)
	}
	empty(bodies)
}

func TestTooManyConnectionsAreToldToComeAgain(t *testing.T) {
	up := upstreamtest.New(t, find)
	places := bounds.NewGate(1, nil)
	r := open(t, up, func(o *relay.Options) { o.Bounds.Connections = places }, nil)
	if resp := r.do(t, r.request(t, t.Context(), wire.Modern, listing)); resp.StatusCode != http.StatusOK {
		t.Fatalf("HTTP %d on the first connection", resp.StatusCode)
	}
	other := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := other.Do(r.request(t, t.Context(), wire.Modern, listing))
	if err == nil { // else it was cut before the client had read the answer
		defer resp.Body.Close()
		wantTooMuch(t, resp)
	}
	if places.Inside() != 1 {
		t.Errorf("%d have a place", places.Inside())
	}
}
