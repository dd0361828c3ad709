package aggregate_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/sidecar/aggregate"
	"mcp-toolsearch/sidecar/servers"
)

// counter adds a tool that counts its calls within a session.
func counter(name string) func(*mcp.Server) {
	var mu sync.Mutex
	counts := map[string]int{}
	return func(s *mcp.Server) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				mu.Lock()
				defer mu.Unlock()
				counts[r.Session.ID()]++
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(counts[r.Session.ID()])}}}, nil
			})
	}
}

// key gives several aggregates the same session key.
func key(o *aggregate.Options) { o.SessionKey = []byte("a key that a fleet shares") }

// post sends one message as a legacy client would.
func post(t *testing.T, url, session, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	return do(t, req)
}

func do(t *testing.T, req *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

func calls(name string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, name)
}

func TestASessionGoesOnAtAnotherReplica(t *testing.T) {
	a, b := sdk(t, true, counter("count")), sdk(t, true, counter("count"))
	list := []servers.Server{at("a", a.URL), at("b", b.URL)}
	first, second := start(t, list, key), start(t, list, key)
	resp, _ := post(t, first.url, "", hello)
	id := resp.Header.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatal("initialize gave no session id")
	}
	for i, url := range []string{first.url, second.url, first.url, second.url} {
		for _, name := range []string{"count", "b__count"} {
			resp, text := post(t, url, id, calls(name))
			if want := fmt.Sprintf(`"text":"%d"`, i+1); resp.StatusCode != http.StatusOK || !strings.Contains(text, want) {
				t.Errorf("call %d of %s: %d %s, want %s", i+1, name, resp.StatusCode, text, want)
			}
		}
	}
}

func TestTwoClientsHaveSessionsOfTheirOwn(t *testing.T) {
	a, b := sdk(t, true, counter("count")), sdk(t, true, counter("count"))
	r := start(t, []servers.Server{at("a", a.URL), at("b", b.URL)})
	ada, bob := connect(t, r.url, nil, "2025-11-25"), connect(t, r.url, nil, "2025-11-25")
	for i := range 3 {
		if got := call(t, ada, "b__count"); got != fmt.Sprint(i+1) {
			t.Errorf("Ada's call %d is counted as %s", i+1, got)
		}
	}
	if got := call(t, bob, "b__count"); got != "1" {
		t.Errorf("Bob's first call is counted as %s", got)
	}
}

func TestAnIdThatWasNotSealedHereIsUnknown(t *testing.T) {
	a, b := sdk(t, true, counter("count")), sdk(t, true, counter("other"))
	list := []servers.Server{at("a", a.URL), at("b", b.URL)}
	r, foreign := start(t, list, key), start(t, list)
	resp, _ := post(t, r.url, "", hello)
	own := resp.Header.Get("Mcp-Session-Id")
	resp, _ = post(t, foreign.url, "", hello)
	flipped := []byte(own)
	flipped[len(flipped)/2] ^= 1
	for name, id := range map[string]string{
		"of another key": resp.Header.Get("Mcp-Session-Id"), "changed": string(flipped), "cut": own[:len(own)-1],
		"longer": own + "A", "made up": "00000000-0000-0000-0000-000000000000", "huge": strings.Repeat("A", 20000),
	} {
		t.Run(name, func(t *testing.T) {
			resp, text := post(t, r.url, id, calls("count"))
			if resp.StatusCode != http.StatusNotFound || !strings.Contains(text, "initialize again") {
				t.Errorf("%d %s, want 404 and what to do", resp.StatusCode, text)
			}
		})
	}
	if resp, text := post(t, r.url, own, calls("count")); resp.StatusCode != http.StatusOK {
		t.Errorf("the right one: %d %s", resp.StatusCode, text)
	}
}

func TestDeleteEndsTheSessionEverywhere(t *testing.T) {
	var ended atomic.Int64
	list := []servers.Server{}
	for _, name := range []string{"a", "b"} {
		s := sdk(t, true, counter("count"))
		front := newFront(t, s.URL, func(r *http.Request) {
			if r.Method == http.MethodDelete {
				ended.Add(1)
			}
		})
		list = append(list, at(name, front))
	}
	r := start(t, list)
	resp, _ := post(t, r.url, "", hello)
	id := resp.Header.Get("Mcp-Session-Id")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, r.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Mcp-Session-Id", id)
	if resp, _ := do(t, req); resp.StatusCode != http.StatusNoContent {
		t.Errorf("DELETE: %d", resp.StatusCode)
	}
	if ended.Load() != 2 {
		t.Errorf("%d sessions were ended at the servers, want 2", ended.Load())
	}
	if resp, _ := post(t, r.url, id, calls("count")); resp.StatusCode != http.StatusNotFound {
		t.Errorf("the ended session still answers: %d", resp.StatusCode)
	}
}

func TestALostSessionIsOpenedAnew(t *testing.T) {
	a := sdk(t, false, echoes("x=x"))
	lose := &switchable{}
	lose.set(stateful(t, counter("count")))
	b := lose.start(t)
	r := start(t, []servers.Server{at("a", a.URL), at("b", b)})
	resp, _ := post(t, r.url, "", hello)
	id := resp.Header.Get("Mcp-Session-Id")
	for i, want := range []string{"1", "2"} {
		if _, text := post(t, r.url, id, calls("count")); !strings.Contains(text, `"text":"`+want+`"`) {
			t.Errorf("call %d: %s", i, text)
		}
	}
	lose.set(stateful(t, counter("count"))) // a restart: it knows no session
	for i, want := range []string{"1", "2", "3"} {
		if _, text := post(t, r.url, id, calls("count")); !strings.Contains(text, `"text":"`+want+`"`) {
			t.Errorf("call %d after the restart: %s", i, text)
		}
	}
}
