package aggregate_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/servers"
)

// answersCalls stands before a server with one tool and answers its calls itself.
func answersCalls(t *testing.T, eras upstreamtest.Eras, answer func(http.ResponseWriter)) string {
	t.Helper()
	up := upstreamtest.New(t, `{"name":"find","inputSchema":{"type":"object"}}`)
	up.Configure(func(b *upstreamtest.Behaviour) { b.Eras = eras })
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(peek(r), `"tools/call"`) {
			answer(w)
			return
		}
		up.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL
}

// TestACallThatIsAnsweredWithNothing: its client is told so, in every pair of eras, behind a merge and with the only server.
func TestACallThatIsAnsweredWithNothing(t *testing.T) {
	other := sdk(t, true, echoes("other=other"))
	ofKind := func(kind string, status int) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_ = http.NewResponseController(w).Flush()
		}
	}
	for name, answer := range map[string]func(http.ResponseWriter){
		"204":                           func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) },
		"202":                           func(w http.ResponseWriter) { w.WriteHeader(http.StatusAccepted) },
		"200 and no bytes":              func(w http.ResponseWriter) { w.WriteHeader(http.StatusOK) },
		"JSON without a byte":           ofKind("application/json", http.StatusOK),
		"a stream that ends at once":    ofKind("text/event-stream", http.StatusOK),
		"an empty body of another kind": ofKind("text/plain", http.StatusOK),
	} {
		for era, eras := range map[string]upstreamtest.Eras{"legacy": upstreamtest.LegacyOnly, "modern": upstreamtest.ModernOnly} {
			t.Run(name+", "+era+" server", func(t *testing.T) {
				url := answersCalls(t, eras, answer)
				for route, list := range map[string][]servers.Server{"merged": {at("mail", url), at("other", other.URL)}, "relayed": {at("mail", url)}} {
					r := start(t, list)
					body := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{` + modernMeta + `,"name":"find","arguments":{}}}`
					_, modern := in(t, modernRequest(t, r.url, "tools/call", "find", body))
					resp, _ := post(t, r.url, "", hello)
					req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url, strings.NewReader(strings.Replace(calls("find"), `"id":2`, `"id":7`, 1)))
					if err != nil {
						t.Fatal(err)
					}
					for key, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
						"Mcp-Session-Id": resp.Header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version": "2025-11-25"} {
						req.Header.Set(key, value)
					}
					_, legacy := in(t, req)
					for client, text := range map[string]string{"modern": modern, "legacy": legacy} {
						if route == "relayed" && client == era && strings.HasPrefix(name, "a stream") {
							continue // it went on before it ended: what is relayed isn't held back
						}
						if !strings.Contains(text, `"id":7`) || !strings.Contains(text, "server mail") && !strings.Contains(text, "broke off") {
							t.Errorf("%s, a %s client gets %q", route, client, text)
						}
					}
				}
			})
		}
	}
}

// in sends a request that must have an end soon.
func in(t *testing.T, req *http.Request) (status int, text string) {
	t.Helper()
	client := http.Client{Timeout: 20 * time.Second}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return resp.StatusCode, string(body) + " broke off: " + err.Error()
	}
	return resp.StatusCode, string(body)
}
