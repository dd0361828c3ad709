package aggregate_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/sidecar/servers"
)

// guarded is a server that knows the tokens of some callers, each with tools of
// their own, and writes down every token it sees.
type guarded struct {
	mu     sync.Mutex
	tokens map[string]http.Handler
	seen   []string
}

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token := r.Header.Get("Authorization")
	g.mu.Lock()
	g.seen = append(g.seen, token)
	h := g.tokens[token]
	g.mu.Unlock()
	if h == nil {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://guarded.test/meta"`)
		http.Error(w, "who are you", http.StatusUnauthorized)
		return
	}
	h.ServeHTTP(w, r)
}

func (g *guarded) start(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(g)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// bearer sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func connectAs(t *testing.T, url, token, version string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func modernHandler(t *testing.T, build func(*mcp.Server)) http.Handler {
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	build(s)
	t.Cleanup(func() { endSessions(s) })
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true})
}

func TestEachCallerHasToolsOfTheirOwn(t *testing.T) {
	for name, version := range eras() {
		t.Run(name, func(t *testing.T) {
			handler := modernHandler
			if version < "2026" {
				handler = stateful
			}
			g := &guarded{tokens: map[string]http.Handler{"Bearer ada": handler(t, echoes("of_ada=ada", "both=ada")), "Bearer bob": handler(t, echoes("of_bob=bob", "both=bob"))}}
			open := &guarded{tokens: map[string]http.Handler{"": handler(t, echoes("open=open"))}}
			operator := &guarded{tokens: map[string]http.Handler{"Bearer operator": handler(t, echoes("operated=operated"))}}
			list := []servers.Server{
				{Name: "guarded", URL: g.start(t), Auth: servers.Caller},
				{Name: "open", URL: open.start(t)},
				{Name: "operator", URL: operator.start(t), Auth: servers.Operator, Header: http.Header{"Authorization": {"Bearer operator"}}},
			}
			r := start(t, list, perCaller(t))
			ada, bob := connectAs(t, r.url, "Bearer ada", version), connectAs(t, r.url, "Bearer bob", version)
			for range 2 {
				if got := names(t, ada); !slices.Equal(got, []string{"both", "of_ada", "open", "operated"}) {
					t.Errorf("Ada's tools %q", got)
				}
				if got := names(t, bob); !slices.Equal(got, []string{"both", "of_bob", "open", "operated"}) {
					t.Errorf("Bob's tools %q", got)
				}
			}
			if got := call(t, bob, "both"); got != "bob" {
				t.Errorf("Bob's call says %q", got)
			}
			if _, err := tryCall(t.Context(), bob, "of_ada", nil); err == nil {
				t.Error("Bob can call Ada's tool")
			}
			for name, token := range map[*guarded]string{open: "", operator: "Bearer operator"} {
				for _, seen := range name.seen {
					if seen != token {
						t.Errorf("a server with %q saw %q", token, seen)
					}
				}
			}
		})
	}
}

func TestAClientWithoutATokenIsToldToLogIn(t *testing.T) {
	g := &guarded{}
	open := sdk(t, false, echoes("open=open"))
	r := start(t, []servers.Server{{Name: "guarded", URL: g.start(t), Auth: servers.Caller}, at("open", open.URL)}, perCaller(t))
	for name, body := range map[string]string{"initialize": hello, "tools/list": `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`} {
		resp, text := post(t, r.url, "", body)
		if resp.StatusCode != http.StatusUnauthorized || !strings.Contains(resp.Header.Get("WWW-Authenticate"), "guarded.test/meta") || !strings.Contains(text, `"id":1`) {
			t.Errorf("%s: %d %v %s", name, resp.StatusCode, resp.Header, text)
		}
	}
}

func TestACallerWhomOneServerRefusesKeepsTheOthers(t *testing.T) {
	g := &guarded{}
	open := sdk(t, false, echoes("open=open"))
	r := start(t, []servers.Server{{Name: "guarded", URL: g.start(t), Auth: servers.Caller}, at("open", open.URL)}, perCaller(t))
	s := connectAs(t, r.url, "Bearer nobody", "2025-11-25")
	if got := names(t, s); !slices.Equal(got, []string{"open"}) {
		t.Errorf("tools %q", got)
	}
}

func TestOperatorModeTakesNobodysCredentials(t *testing.T) {
	g := &guarded{}
	a, b := sdk(t, false, echoes("a=a")), sdk(t, false, echoes("b=b"))
	list := []servers.Server{at("a", a.URL), at("b", b.URL)}
	r := start(t, list)
	r.Replace(t.Context(), append(list, servers.Server{Name: "guarded", URL: g.start(t), Auth: servers.Caller}))
	if got := names(t, connectAs(t, r.url, "Bearer ada", "2025-11-25")); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("tools %q", got)
	}
	if len(g.seen) != 0 || !strings.Contains(r.log.String(), "restart to take it in") {
		t.Errorf("%d requests were sent to it; the log:\n%s", len(g.seen), r.log)
	}
}
