package aggregate_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/sidecar/servers"
)

// announced are the capabilities that a client of each era is told.
func announced(t *testing.T, url string) map[string]string {
	t.Helper()
	_, legacy := post(t, url, "", hello)
	_, modern := do(t, modernRequest(t, url, "server/discover", "", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+modernMeta+`}}`))
	all := map[string]string{"legacy": legacy, "modern": modern}
	for era, text := range all {
		_, text, _ = strings.Cut(text, `"capabilities":`)
		all[era], _, _ = strings.Cut(text, `"serverInfo"`)
	}
	return all
}

// TestWhatAServerThatIsNotThereYetMayHaveIsAnnounced: a client doesn't ask for what was not announced, also not later.
func TestWhatAServerThatIsNotThereYetMayHaveIsAnnounced(t *testing.T) {
	const ofPrompts, ofResources = `"prompts":{"listChanged":true}`, `"resources":{"listChanged":true}`
	plain := sdk(t, false, echoes("x=x"))
	closed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	t.Cleanup(closed.Close)
	locked := servers.Server{Name: "locked", URL: closed.URL, Auth: servers.Caller}
	for name, tc := range map[string]struct {
		other servers.Server
		says  bool
	}{
		"it hangs":                      {at("late", hangs(t)), true},
		"nobody listens there yet":      {at("late", refused(t)), true},
		"it is there":                   {at("there", sdk(t, true, echoes("y=y")).URL), false},
		"it does not let the caller in": {locked, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, []servers.Server{at("plain", plain.URL), tc.other}, perCaller(t))
			for era, text := range announced(t, r.url) {
				if strings.Contains(text, ofPrompts) != tc.says || strings.Contains(text, ofResources) != tc.says || !strings.Contains(text, `"tools":{`) {
					t.Errorf("%s: %s", era, text)
				}
			}
			for _, k := range []string{"prompts", "resources"} {
				if _, text := post(t, r.url, "", `{"jsonrpc":"2.0","id":1,"method":"`+k+`/list"}`); !strings.Contains(text, `"`+k+`":[]`) {
					t.Errorf("%s are %s", k, text)
				}
			}
		})
	}
}

// TestWhileAllServersStartThereAreNoPromptsYet: which were announced, and clients ask for them at once; an error would end some.
func TestWhileAllServersStartThereAreNoPromptsYet(t *testing.T) {
	r := start(t, []servers.Server{at("a", hangs(t)), at("b", hangs(t))})
	if _, text := post(t, r.url, "", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`); !strings.Contains(text, `"prompts":[]`) || !strings.Contains(text, `"mcp-toolsearch/starting":["a","b"]`) {
		t.Errorf("prompts: %s", text)
	}
}

// TestWhatADownServerSaidLastIsAnnounced: also what nobody would assume of it.
func TestWhatADownServerSaidLastIsAnnounced(t *testing.T) {
	full := mcp.NewServer(&mcp.Implementation{Name: "full", Version: "1"}, &mcp.ServerOptions{
		CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{}, nil
		}})
	t.Cleanup(func() { endSessions(full) })
	gate := &switchable{}
	gate.set(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return full }, nil))
	r := start(t, []servers.Server{at("plain", sdk(t, false, echoes("x=x")).URL), at("full", gate.start(t))})
	for era, text := range announced(t, r.url) {
		if !strings.Contains(text, `"completions"`) {
			t.Fatalf("%s: %s", era, text)
		}
	}
	gate.set(nil)
	if _, err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for era, text := range announced(t, r.url) {
		if !strings.Contains(text, `"completions"`) {
			t.Errorf("%s, after it went: %s", era, text)
		}
	}
}
