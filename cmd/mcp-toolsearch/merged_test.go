package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/relay"
	"mcp-toolsearch/sidecar/wire"
)

// mergedDoor serves a file of servers over HTTP, without a process.
func mergedDoor(t *testing.T, file string, environ ...string) (url string, log *bytes.Buffer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	s := settingsFor(t, append(environ, "TOOLSEARCH_CONFIG="+path, "TOOLSEARCH_EMBEDDER=none")...)
	if mistakes := s.mistakes(); len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	log = &bytes.Buffer{}
	c, err := s.newCore(t.Context(), slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	door, err := relay.New(c.relayOptions())
	if err != nil {
		t.Fatal(err)
	}
	follow := c.follow(context.WithoutCancel(t.Context()))
	front := httptest.NewServer(door)
	t.Cleanup(func() {
		front.Close()
		follow.stop()
		c.close()
	})
	return front.URL, log
}

// say sends a message in an era with some headers, and returns status, challenge and body.
func say(t *testing.T, url string, era wire.Era, message string, headers ...string) (status int, challenge, body string) {
	t.Helper()
	dressed, h, err := cases.Dress([]byte(message), era, "")
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(dressed))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = h
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("WWW-Authenticate"), string(raw)
}

func call(name string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{"query":"bake a cake or find mail","calls":[{"name":"mail_find"}]}}}`, name)
}

func TestCallersOfMergedServersKeepTheirOwnTools(t *testing.T) {
	theirs := upstreamtest.New(t, tool("mail_find", "Find mail by words.", true))
	theirs.SetToolsFor("Bearer other-m4rk", tool("cake_bake", "Bake a cake.", true))
	ours := upstreamtest.New(t, tool("wiki_read", "Read mail about cake.", true))
	url, log := mergedDoor(t, fmt.Sprintf("mcpServers:\n  theirs: {url: %q, auth: caller, forwardHeaders: [x-tenant]}\n  ours: {url: %q, headers: {Authorization: 'Bearer ${KEY}'}}\n", theirs.URL(), ours.URL()), "KEY=operator-m4rk")
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		for token, want := range map[string][2]string{"Bearer one-m4rk": {"mail_find", "cake_bake"}, "Bearer other-m4rk": {"cake_bake", "mail_find"}} {
			_, _, body := say(t, url+"/mcp", era, call("search_tools"), "Authorization", token)
			if !strings.Contains(body, want[0]) || strings.Contains(body, want[1]) || !strings.Contains(body, "wiki_read") {
				t.Errorf("%s: a search found %s, want %s and wiki_read", era, body, want[0])
			}
		}
		if _, _, body := say(t, url+"/mcp", era, call("call_read_tools"), "Authorization", "Bearer one-m4rk"); !strings.Contains(body, "mail_find: ok") {
			t.Errorf("%s: a batch answered %s", era, body)
		}
		relayed := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mail_find","arguments":{}}}`
		if status, _, body := say(t, url+"/mcp/all", era, relayed, "Authorization", "Bearer one-m4rk", "X-Tenant", "blue", "X-Other", "red"); status != http.StatusOK || !strings.Contains(body, "mail_find") {
			t.Errorf("%s: a call answered %d %s", era, status, body)
		}
	}
	tenants := 0
	for _, r := range theirs.Requests() {
		if got := r.Header.Get("Authorization"); strings.Contains(got, "operator") || r.Header.Get("X-Other") != "" {
			t.Errorf("%s reached the callers' server with %q", r.Method, got)
		}
		if r.Header.Get("X-Tenant") == "blue" {
			tenants++
		}
	}
	for _, r := range ours.Requests() {
		if got := r.Header.Get("Authorization"); got != "Bearer operator-m4rk" || r.Header.Get("X-Tenant") != "" {
			t.Errorf("%s reached the operator's server with %q", r.Method, got)
		}
	}
	if tenants == 0 {
		t.Error("the forwarded header never went on")
	}
	if strings.Contains(log.String(), "m4rk") {
		t.Errorf("a token is in the log: %s", log)
	}
}

func TestALoginLeadsToTheSearchRoute(t *testing.T) {
	theirs := upstreamtest.New(t)
	theirs.SetMetadata(`{"resource":"https://elsewhere.example/mcp","authorization_servers":["https://login.example"]}`)
	theirs.Fail("", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 401, Header: http.Header{"Www-Authenticate": {`Bearer resource_metadata="` + theirs.Origin() + `/.well-known/oauth-protected-resource/mcp"`}}})
	url, _ := mergedDoor(t, fmt.Sprintf("mcpServers: {theirs: {url: %q, auth: caller}}", theirs.URL()))
	want := `resource_metadata="` + url + `/.well-known/oauth-protected-resource/mcp"`
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		if status, challenge, body := say(t, url+"/mcp", era, call("search_tools")); status != http.StatusUnauthorized || !strings.Contains(challenge, want) {
			t.Errorf("%s: HTTP %d, challenge %q, %s; want %s", era, status, challenge, body, want)
		}
	}
	theirs.Heal()
	resp, err := http.Get(url + "/.well-known/oauth-protected-resource/mcp")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), `"`+url+`/mcp"`) || !strings.Contains(string(body), "https://login.example") {
		t.Errorf("the metadata is %d %s, %v", resp.StatusCode, body, err)
	}
}

func TestWithoutCallersTokensThereIsNothingToLogInTo(t *testing.T) {
	ours := upstreamtest.New(t, tool("wiki_read", "Read a page.", true))
	ours.SetMetadata(`{"resource":"https://elsewhere.example/mcp","authorization_servers":["https://login.example"]}`)
	url, _ := mergedDoor(t, fmt.Sprintf("mcpServers: {ours: {url: %q}}", ours.URL()))
	resp, err := http.Get(url + "/.well-known/oauth-protected-resource/mcp")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("HTTP %d", resp.StatusCode)
	}
	for _, token := range []string{"Bearer a", "Bearer b"} {
		if status, _, body := say(t, url+"/mcp", wire.Modern, call("search_tools"), "Authorization", token); status != http.StatusOK {
			t.Errorf("HTTP %d %s", status, body)
		}
	}
	for _, r := range ours.Requests() {
		if r.Header.Get("Authorization") != "" {
			t.Errorf("a client's token reached a server that gets none, with %s", r.Method)
		}
	}
}

// TestWhatIsSearchedFollowsARefusedCall: a name has become another server's between the search and the call. Nothing runs,
// and the next search shows whose it is.
func TestWhatIsSearchedFollowsARefusedCall(t *testing.T) {
	anna, bert := upstreamtest.New(t, tool("mail_find", "Find mail by words.", true), tool("mail_count", "Count mail.", true)), upstreamtest.New(t, tool("mail_find", "Find letters of paper.", true))
	url, _ := mergedDoor(t, fmt.Sprintf("mcpServers:\n  anna: {url: %q, auth: caller}\n  bert: {url: %q}\n", anna.URL(), bert.URL()))
	search := func(era wire.Era) string {
		_, _, body := say(t, url+"/mcp", era, call("search_tools"), "Authorization", "Bearer one")
		return body
	}
	if body := search(wire.Modern); !strings.Contains(body, "bert__mail_find") {
		t.Fatalf("before: %s", body)
	}
	anna.SetTools(tool("mail_count", "Count mail.", true))
	anna.Script("mail_count", upstreamtest.Script{Events: []string{`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`}, Result: `{"content":[]}`})
	for _, message := range []string{ // the first is told of the change, so the second lists anew
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mail_count","arguments":{}}}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
	} {
		if _, _, body := say(t, url+"/mcp/all", wire.Modern, message, "Authorization", "Bearer one"); strings.Contains(body, "bert__mail_find") {
			t.Fatalf("the servers: %s", body)
		}
	}
	if body := search(wire.Modern); !strings.Contains(body, "bert__mail_find") {
		t.Fatalf("from memory: %s", body)
	}
	run := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_read_tool","arguments":{"name":"mail_find","arguments":{}}}}`
	if _, _, body := say(t, url+"/mcp", wire.Modern, run, "Authorization", "Bearer one"); !strings.Contains(body, "Nothing was run") {
		t.Errorf("the call: %s", body)
	}
	if body := search(wire.Modern); strings.Contains(body, "bert__mail_find") || !strings.Contains(body, "letters of paper") {
		t.Errorf("afterwards: %s", body)
	}
}
