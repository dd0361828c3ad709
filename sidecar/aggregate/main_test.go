package aggregate_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"mcp-toolsearch/sidecar/aggregate"
	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/servers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// logged collects what is logged.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// rig is an aggregate behind HTTP.
type rig struct {
	*aggregate.Aggregate
	url string
	log *logged
}

// options are those of a test: operator mode, unless change says otherwise.
func options(log *logged, list []servers.Server) aggregate.Options {
	return aggregate.Options{
		Servers: list, OperatorMode: true, Version: "1.2.3",
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelInfo})),
		Open: func(s servers.Server) aggregate.Opened {
			return aggregate.Opened{Member: member.New(member.Options{Server: s, Version: "1.2.3"})}
		},
	}
}

func perCaller(t *testing.T) func(*aggregate.Options) {
	return func(o *aggregate.Options) {
		id, err := caller.NewIdentifier(nil)
		if err != nil {
			t.Fatal(err)
		}
		o.OperatorMode, o.Identifier = false, id
	}
}

func start(t *testing.T, list []servers.Server, change ...func(*aggregate.Options)) *rig {
	t.Helper()
	log := &logged{}
	o := options(log, list)
	for _, c := range change {
		c(&o)
	}
	a, err := aggregate.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(a)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		a.Close()
	})
	return &rig{Aggregate: a, url: s.URL, log: log}
}

// at is a server of this name at a URL.
func at(name, url string) servers.Server { return servers.Server{Name: name, URL: url} }

// sdk starts a real server; stateful ones speak the legacy eras with sessions.
func sdk(t *testing.T, stateful bool, build func(*mcp.Server)) *httptest.Server {
	t.Helper()
	return sdkWith(t, stateful, nil, build)
}

func sdkWith(t *testing.T, stateful bool, o *mcp.ServerOptions, build func(*mcp.Server)) *httptest.Server {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, o)
	build(s)
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{Stateless: !stateful, PropagateRequestCancellation: true})
	srv := httptest.NewServer(h)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		endSessions(s)
	})
	return srv
}

// endSessions ends those that no client ended.
func endSessions(s *mcp.Server) {
	for session := range s.Sessions() {
		_ = session.Close()
	}
}

// echo adds a tool that answers with who it is.
func echo(s *mcp.Server, name, says string) {
	s.AddTool(&mcp.Tool{Name: name, Description: "Says " + says + ".", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: says}}}, nil
		})
}

func echoes(names ...string) func(*mcp.Server) {
	return func(s *mcp.Server) {
		for _, name := range names {
			label, says, _ := strings.Cut(name, "=")
			echo(s, label, says)
		}
	}
}

// connect is a real client of an aggregate.
func connect(t *testing.T, url string, o *mcp.ClientOptions, versions ...string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, o)
	var so *mcp.ClientSessionOptions
	if len(versions) > 0 {
		so = &mcp.ClientSessionOptions{ProtocolVersion: versions[0]}
	}
	s, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, so)
	if err != nil {
		t.Fatalf("connecting: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func names(t *testing.T, s *mcp.ClientSession) []string {
	t.Helper()
	res, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatalf("listing: %v", err)
	}
	var all []string
	for _, tool := range res.Tools {
		all = append(all, tool.Name)
	}
	return all
}

func call(t *testing.T, s *mcp.ClientSession, name string) string {
	t.Helper()
	text, err := tryCall(t.Context(), s, name, nil)
	if err != nil {
		t.Fatalf("calling %s: %v", name, err)
	}
	return text
}

func tryCall(ctx context.Context, s *mcp.ClientSession, name string, arguments any) (string, error) {
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return "", err
	}
	var parts []string
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			parts = append(parts, text.Text)
		}
	}
	if res.IsError {
		return strings.Join(parts, "\n"), fmt.Errorf("isError: %s", strings.Join(parts, "\n"))
	}
	return strings.Join(parts, "\n"), nil
}

// eventually polls until ok, for at most ten seconds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("not within ten seconds: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// eras are the versions that clients are tested with.
func eras() map[string]string {
	return map[string]string{"modern": "2026-07-28", "legacy": "2025-11-25", "older": "2025-06-18"}
}

// newFront stands before a server and sees its requests.
func newFront(t *testing.T, to string, see func(*http.Request)) string {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.FlushInterval = -1
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		see(r)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// stateful is the handler of a server with sessions.
func stateful(t *testing.T, build func(*mcp.Server)) http.Handler {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	build(s)
	t.Cleanup(func() { endSessions(s) })
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
}

// switchable is a place where now one server is, now another, now none.
type switchable struct {
	mu      sync.Mutex
	handler http.Handler
	srv     *httptest.Server
}

func (s *switchable) set(h http.Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handler = h
}

func (s *switchable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	h := s.handler
	s.mu.Unlock()
	if h == nil {
		panic(http.ErrAbortHandler)
	}
	h.ServeHTTP(w, r)
}

func (s *switchable) start(t *testing.T) string {
	t.Helper()
	s.srv = httptest.NewServer(s)
	t.Cleanup(func() {
		s.srv.CloseClientConnections()
		s.srv.Close()
	})
	return s.srv.URL
}

// peek reads a request's body and puts it back.
func peek(r *http.Request) string {
	if r.Body == nil {
		return ""
	}
	body, _ := io.ReadAll(r.Body) // of a request that broke off what there is
	r.Body = io.NopCloser(bytes.NewReader(body))
	return string(body)
}

func heardOf(heard chan<- struct{}) func(context.Context, *mcp.ToolListChangedRequest) {
	return func(context.Context, *mcp.ToolListChangedRequest) {
		select {
		case heard <- struct{}{}:
		default:
		}
	}
}
