package extproc_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-toolsearch/extproc"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/bounds"
)

// lane is a client's way through a real Envoy: the door with a scripted engine beside it, a scripted upstream behind it.
type lane struct {
	client   *http.Client
	envoy    *envoy.Envoy
	door     *extproc.Listener
	counts   *counts
	log      *logBuffer
	upstream *scriptedUpstream
}

type laneOptions struct {
	unix    bool                       // the door listens on a Unix socket
	h2      bool                       // the client speaks HTTP/2
	timeout string                     // message_timeout; "" = the shipped one
	config  func(config string) string // changes the rendered configuration
	tls     *tls.Config                // of the door
	bounds  bounds.Door                // of the door
}

// eachEnvoy runs a test with every Envoy that is tested here.
func eachEnvoy(t *testing.T, o laneOptions, test func(t *testing.T, l *lane)) {
	for _, version := range fixtures.Envoys(t) {
		t.Run(version, func(t *testing.T) { test(t, newLane(t, fixtures.Envoy(t, version), o)) })
	}
}

func newLane(t testing.TB, binary string, o laneOptions) *lane {
	t.Helper()
	l := &lane{client: newClient(o.h2), counts: &counts{}, log: &logBuffer{}, upstream: newUpstream(t)}
	server := extproc.New(extproc.Options{Engine: laneEngine{}, Observer: l.counts, Logger: slog.New(slog.NewTextHandler(l.log, nil)), Bounds: o.bounds})
	place := extproc.Place{Address: "127.0.0.1:0", TLS: o.tls}
	if o.unix {
		place.Address = "unix://" + t.TempDir() + "/door.sock"
	}
	var err error
	if l.door, err = extproc.Listen(t.Context(), server, place); err != nil {
		t.Fatal(err)
	}
	l.door.SetServing(true)
	c := envoy.Default()
	c.Listen, c.AdminPort, c.Sidecar = "127.0.0.1:0", 0, envoy.Address(l.door.Addr().String())
	c.Pairs[0].Upstream = envoy.Address(l.upstream.Listener.Addr().String())
	if o.timeout != "" {
		c.MessageTimeout = o.timeout
	}
	rendered, err := envoy.Render(c)
	if err != nil {
		t.Fatal(err)
	}
	text := string(rendered)
	if o.config != nil {
		if text = o.config(text); text == string(rendered) {
			t.Fatal("the configuration was not changed")
		}
	}
	if l.envoy, err = envoy.Start(t.Context(), binary, []byte(text)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.client.CloseIdleConnections()
		l.envoy.Close()
		l.stop()
		if t.Failed() {
			t.Log(l.envoy.Log(), l.log.String())
		}
	})
	return l
}

func newClient(h2 bool) *http.Client {
	transport := &http.Transport{MaxIdleConnsPerHost: 100, Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(!h2)
	transport.Protocols.SetUnencryptedHTTP2(h2)
	return &http.Client{Transport: transport}
}

// stop ends the door at once.
func (l *lane) stop() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	l.door.Shutdown(ended, 0)
}

// reply is an answer that came back through Envoy.
type reply struct {
	*http.Response
	text string
}

// ask posts a message. do tells the engine what to decide, up the upstream how to answer.
func (l *lane) ask(t testing.TB, do, up string, size int) reply {
	t.Helper()
	r, err := l.try(t.Context(), do, up, size)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (l *lane) try(ctx context.Context, do, up string, size int) (reply, error) {
	body := `{"do":"` + do + `","fill":"` + strings.Repeat("x", size) + `"}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.envoy.URL("/mcp/search"), strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("X-Up", up)
	req.Header.Set("Content-Type", "application/json")
	resp, err := l.client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return reply{resp, string(text)}, err
}

const (
	editable = `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`
	edited   = `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no, because its schema is another one"}}`
)

// laneEngine decides by the message's member "do".
type laneEngine struct{}

func (laneEngine) DecideHeaders(_ context.Context, _ sidecar.Request, hasBody bool) (sidecar.Decision, bool) {
	return sidecar.Decision{Kind: sidecar.Pass, Path: "/mcp/all"}, !hasBody
}

func (laneEngine) Decide(ctx context.Context, req sidecar.Request) sidecar.Decision {
	var m struct{ Do, Fill string }
	if len(req.Body) > 4<<20 || json.Unmarshal(req.Body, &m) != nil {
		return sidecar.Decision{Kind: sidecar.Answer, Status: http.StatusRequestEntityTooLarge,
			Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too large"}}`)}
	}
	d := sidecar.Decision{Path: "/mcp/all", SetHeader: http.Header{}, RemoveHeader: []string{"Accept-Encoding", "Mcp-Param-Old"}}
	switch m.Do {
	case "slow":
		select {
		case <-time.After(2500 * time.Millisecond):
		case <-ctx.Done():
		}
		fallthrough
	case "answer":
		return sidecar.Decision{Kind: sidecar.Answer, Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
			Body: []byte(`{"answered":` + strconv.Itoa(len(req.Body)) + `}`)}
	case "forward":
		d.Kind, d.NewBody = sidecar.Forward, []byte(`{"forwarded":"`+m.Fill+`"}`)
		d.SetHeader.Set("Mcp-Name", "files_read")
	case "merge":
		d.Kind = sidecar.Merge
	}
	return d
}

func (laneEngine) AnswerHeader(_ *sidecar.Decision, _ sidecar.Request, status int, h http.Header) http.Header {
	set := http.Header{}
	if status == http.StatusUnauthorized {
		for _, c := range h.Values("Www-Authenticate") {
			set.Add("Www-Authenticate", strings.ReplaceAll(c, "/mcp/all", "/mcp/search"))
		}
	}
	set.Set("X-Mcp-Tool-Repaired", "2")
	return set
}

func (laneEngine) EditsBody(d *sidecar.Decision, status int, h http.Header) bool {
	return d.Kind != sidecar.Pass && h.Get("Content-Encoding") == "" && (status == 200 || status == 400)
}

func (laneEngine) EditAnswer(_ context.Context, _ *sidecar.Decision, message []byte) ([]byte, bool) {
	if string(bytes.TrimSpace(message)) == editable {
		return []byte(edited), true
	}
	return nil, false
}

func (laneEngine) TooLarge(*sidecar.Decision) {}

func (laneEngine) IsAnswer(message []byte) bool { return bytes.Contains(message, []byte(`"id"`)) }

// scriptedUpstream answers by the request's header X-Up.
type scriptedUpstream struct {
	*httptest.Server
	gate chan struct{} // "gated" answers wait for a token

	mu   sync.Mutex
	last *http.Request
	body string
}

func newUpstream(t testing.TB) *scriptedUpstream {
	u := &scriptedUpstream{gate: make(chan struct{}, 1000)}
	u.Server = httptest.NewServer(http.HandlerFunc(u.serve))
	t.Cleanup(func() {
		u.CloseClientConnections()
		u.Close()
	})
	return u
}

// request is the last request that arrived.
func (u *scriptedUpstream) request() (*http.Request, string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.last, u.body
}

func (u *scriptedUpstream) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	u.mu.Lock()
	u.last, u.body = r, string(body)
	u.mu.Unlock()
	form, argument, _ := strings.Cut(r.Header.Get("X-Up"), ":")
	n, _ := strconv.Atoi(argument)
	w.Header().Set("Content-Type", "application/json")
	flush := func() { _ = http.NewResponseController(w).Flush() }
	switch form {
	case "json": // of known length
		w.Header().Set("Content-Length", strconv.Itoa(len(editable)))
		_, _ = io.WriteString(w, editable)
	case "chunks": // of unknown length, in two pieces
		_, _ = io.WriteString(w, editable[:20])
		flush()
		_, _ = io.WriteString(w, editable[20:]+"\n")
		flush()
	case "half": // of unknown length, never whole
		_, _ = io.WriteString(w, editable[:20])
		flush()
	case "trailers":
		w.Header().Set("Trailer", "X-Sum")
		_, _ = io.WriteString(w, editable[:20])
		flush()
		_, _ = io.WriteString(w, editable[20:])
		flush()
		w.Header().Set("X-Sum", "1")
	case "big": // n bytes of known length
		w.Header().Set("Content-Length", strconv.Itoa(n))
		_, _ = io.WriteString(w, strings.Repeat("x", n))
	case "bigchunks":
		for range n / 1000 {
			_, _ = io.WriteString(w, strings.Repeat("x", 1000))
			flush()
		}
	case "gzip":
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, editable)
		_ = z.Close()
	case "401":
		w.Header().Add("Www-Authenticate", `Bearer resource_metadata="http://gw/mcp/all"`)
		w.Header().Add("Www-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	case "gated":
		select {
		case <-u.gate:
			_, _ = io.WriteString(w, `{"late":true}`)
		case <-r.Context().Done():
		}
	default:
		u.events(w, r, form, n)
	}
}

// events are the forms that are streams of events: "sse" n events, "gatedsse" each after a token, "prime" an event to
// edit after one without data, "ssewhole" one of known length.
func (u *scriptedUpstream) events(w http.ResponseWriter, r *http.Request, form string, n int) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := func() { _ = http.NewResponseController(w).Flush() }
	event := func(data string) {
		_, _ = fmt.Fprintf(w, "event: message\ndata: %s\n\n", data)
		flush()
	}
	switch form {
	case "sse":
		for i := range n {
			event(fmt.Sprintf(`{"event":%d}`, i))
		}
	case "gatedsse":
		for i := range n {
			select {
			case <-u.gate:
				event(fmt.Sprintf(`{"event":%d}`, i))
			case <-r.Context().Done():
				return
			}
		}
	case "prime":
		_, _ = io.WriteString(w, "event: prime\nid: S_0\ndata: \n\n")
		flush()
		_, _ = io.WriteString(w, ": keep-alive\n\n")
		flush()
		event(editable)
		event(`{"more":true}`)
	case "bigevent":
		_, _ = io.WriteString(w, "data: "+strings.Repeat("x", n)+"\n\n")
	case "ssewhole":
		text := "data: " + editable + "\n\n"
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		_, _ = io.WriteString(w, text)
	case "":
		w.WriteHeader(http.StatusAccepted)
	}
}
