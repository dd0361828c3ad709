package aggregate_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/wire"
)

// received is a request as a server got it.
type received struct {
	header http.Header
	body   string
}

// only starts an aggregate of one server that writes requests down and answers
// as told.
func only(t *testing.T, s servers.Server, answer http.HandlerFunc) (*rig, <-chan received) {
	t.Helper()
	seen := make(chan received, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- received{r.Header, peek(r)}
		answer(w, r)
	}))
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	s.URL = srv.URL
	return start(t, []servers.Server{s}, perCaller(t)), seen
}

func TestOneServerIsRelayedAsItIs(t *testing.T) {
	const odd = `{"jsonrpc":"2.0", "id": 1e0 ,"method":"x/unknown","params":{"b":1.0,"a":9007199254740993,"a":2}}`
	r, seen := only(t, servers.Server{Name: "one", Header: http.Header{"Authorization": {"Bearer operator"}}, Auth: servers.Operator},
		func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Mcp-Session-Id", "its own")
			w.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(w, `{"odd": 1.0 }`)
		})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+"/any?path=1", strings.NewReader(odd))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": "Bearer caller", "Mcp-Session-Id": "raw", "Mcp-Protocol-Version": "2025-11-25", "Cookie": "c=1", "X-Test": "1"} {
		req.Header.Set(name, value)
	}
	resp, text := do(t, req)
	if resp.StatusCode != http.StatusTeapot || text != `{"odd": 1.0 }` || resp.Header.Get("Mcp-Session-Id") != "its own" {
		t.Errorf("answer: %d %v %s", resp.StatusCode, resp.Header, text)
	}
	got := <-seen
	if got.body != odd {
		t.Errorf("body: %s", got.body)
	}
	if got.header.Get("Authorization") != "Bearer operator" || got.header.Get("Mcp-Session-Id") != "raw" || got.header.Get("Cookie") != "" {
		t.Errorf("headers: %v", got.header)
	}
}

func TestOneServersStreamArrivesAsItComes(t *testing.T) {
	next := make(chan struct{})
	r, _ := only(t, servers.Server{Name: "one"}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []string{"id: 1\ndata: {\"id\":5,\"method\":\"ping\"}\n\n", ": bye\n\n"} {
			_, _ = io.WriteString(w, event)
			_ = http.NewResponseController(w).Flush()
			<-next
		}
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	first := make([]byte, 200)
	n, err := resp.Body.Read(first)
	if err != nil || string(first[:n]) != "id: 1\ndata: {\"id\":5,\"method\":\"ping\"}\n\n" {
		t.Fatalf("first event: %q, %v", first[:n], err)
	}
	next <- struct{}{}
	close(next)
	rest, err := io.ReadAll(resp.Body)
	if err != nil || string(rest) != ": bye\n\n" {
		t.Errorf("the rest: %q, %v", rest, err)
	}
}

func TestAllOfOneRealServerWorks(t *testing.T) {
	for name, version := range eras() {
		t.Run(name, func(t *testing.T) {
			_, url := features(t, version < "2026")
			r := start(t, []servers.Server{at("one", url)})
			s := connect(t, r.url, nil, version)
			if got := call(t, s, "notes_list"); got != "buy milk" {
				t.Errorf("notes: %q", got)
			}
			report, err := r.Refresh(t.Context())
			if err != nil || report.Tools < 8 || report.Sources[0].Name != "one" {
				t.Errorf("refresh: %v %+v", err, report)
			}
		})
	}
}

func TestTheOnlyServerIsListedFromMemoryWhileItStarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "manifest.json")
	place := &switchable{}
	place.set(stateful(t, echoes("x=x")))
	list := []servers.Server{at("one", place.start(t))}
	first := start(t, list, kept(path))
	if _, err := first.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	first.Close()
	place.set(nil)
	second := start(t, list, kept(path))
	_, text := post(t, second.url, "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if !strings.Contains(text, `"name":"x"`) || !strings.Contains(text, "mcp-toolsearch/old") {
		t.Errorf("the list: %s", text)
	}
	_, text = post(t, second.url, "", calls("x"))
	if !strings.Contains(text, "isError") || !strings.Contains(text, "server one") {
		t.Errorf("a call: %s", text)
	}
}

func TestOneServerWithAPrefixIsMerged(t *testing.T) {
	s := sdk(t, true, echoes("x=x"))
	one := at("one", s.URL)
	one.Prefix = "p"
	r := start(t, []servers.Server{one})
	c := connect(t, r.url, nil, "2025-11-25")
	if got := names(t, c); len(got) != 1 || got[0] != "p__x" {
		t.Errorf("tools %q", got)
	}
	if got := call(t, c, "p__x"); got != "x" {
		t.Errorf("it says %q", got)
	}
}

func TestALegacyClientOfTheOnlyServerThatIsModern(t *testing.T) {
	_, url := features(t, false) // of the modern era alone
	r := start(t, []servers.Server{at("one", url)})
	s := connect(t, r.url, nil, "2025-11-25")
	if got := call(t, s, "notes_list"); got != "buy milk" {
		t.Errorf("notes: %q", got)
	}
	if got := s.InitializeResult().ProtocolVersion; got != "2025-11-25" {
		t.Errorf("the version is %s", got)
	}
}

func TestAModernRequestOfTheOnlyServerThatIsLegacy(t *testing.T) {
	a := sdk(t, true, echoes("one=says one"))
	r := start(t, []servers.Server{at("one", a.URL)})
	if got := connect(t, r.url, nil).InitializeResult().ProtocolVersion; got != "2025-11-25" {
		t.Errorf("a client of both eras is led to %s", got)
	}
	body := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"one","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": wire.ModernVersion, "Mcp-Method": "tools/call", "Mcp-Name": "one"} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(got), `"id":7`) || !strings.Contains(string(got), "says one") {
		t.Errorf("%d %s, %v", resp.StatusCode, got, err)
	}
}

// TestTheOnlyServersToolsAreListedAlikeInBothEras: whether its answers are relayed or translated, and also when it says a source itself.
func TestTheOnlyServersToolsAreListedAlikeInBothEras(t *testing.T) {
	build := func(s *mcp.Server) {
		say := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ran"}}}, nil
		}
		s.AddTool(&mcp.Tool{Name: "notes_add", InputSchema: map[string]any{"type": "object"}}, say)
		s.AddTool(&mcp.Tool{Name: "says", Meta: mcp.Meta{"mcp-toolsearch/source": "deep"}, InputSchema: map[string]any{"type": "object"}}, say)
	}
	modern := httptest.NewServer(modernOnly(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		build(s)
		return s
	}, &mcp.StreamableHTTPOptions{Stateless: true})))
	t.Cleanup(modern.Close)
	const want = `{"inputSchema":{"type":"object"},"name":"notes_add"},{"_meta":{"mcp-toolsearch/source":"deep"},"inputSchema":{"type":"object"},"name":"says"}`
	for name, url := range map[string]string{"legacy": sdk(t, true, build).URL, "modern": modern.URL} {
		r := start(t, []servers.Server{at("one", url)})
		list := modernRequest(t, r.url, "tools/list", "", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modernMeta+`}}`)
		if _, text := do(t, list); !strings.Contains(text, want) {
			t.Errorf("a modern client of a %s server: %s", name, text)
		}
		resp, _ := post(t, r.url, "", hello)
		if _, text := post(t, r.url, resp.Header.Get("Mcp-Session-Id"), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); !strings.Contains(text, want) {
			t.Errorf("a legacy client of a %s server: %s", name, text)
		}
		for tool, source := range map[string]string{"notes_add": "", "says": "deep"} {
			req := modernRequest(t, r.url, "tools/call", tool, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+modernMeta+`,"name":"`+tool+`","arguments":{}}}`)
			req.Header.Set(wire.JudgedHeader, wire.Judged(wire.AsWrite, source))
			if _, text := do(t, req); !strings.Contains(text, `"ran"`) {
				t.Errorf("a call of %s at a %s server: %s", tool, name, text)
			}
		}
	}
}
