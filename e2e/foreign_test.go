package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/upstreamtest"
)

// foreign puts two routes that know nothing of tool search into the configuration, as an Envoy that was there before has
// them: /other with a server, /other/gone with one that is not there.
func foreign(t *testing.T, server envoy.Address) func(string) string {
	const last = "              - match: { prefix: / }\n"
	cluster := func(name string, a envoy.Address) string {
		return fmt.Sprintf("  - name: %s\n    type: STATIC\n    connect_timeout: 1s\n    load_assignment:\n      cluster_name: %s\n"+
			"      endpoints: [ { lb_endpoints: [ { endpoint: { address: %s } } ] } ]\n", name, name, a.YAML())
	}
	return func(config string) string {
		if strings.Count(config, last) != 1 {
			t.Fatalf("the configuration has no last route %q", last)
		}
		config = strings.Replace(config, last, "              - match: { prefix: /other/gone }\n                route: { cluster: gone }\n"+
			"              - match: { prefix: /other }\n                route: { cluster: other }\n"+last, 1)
		return config + cluster("other", server) + cluster("gone", envoy.Address(e2e.FreeAddress(t)))
	}
}

// TestOtherRoutesAreLeftAlone puts the configuration into an Envoy with other routes: they work with the sidecar alive and
// dead, take bodies larger than what is held for the sidecar, and keep Envoy's own error pages.
func TestOtherRoutesAreLeftAlone(t *testing.T) {
	for _, version := range fixtures.Envoys(t) {
		t.Run("Envoy "+version, func(t *testing.T) {
			other := e2e.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n, err := io.Copy(io.Discard, r.Body)
				fmt.Fprintf(w, "%s %s: %d bytes, %v", r.Method, r.URL.Path, n, err)
			}))
			up := upstreamtest.New(t, toolOf("mail_find", "Find mail.", true))
			s := e2e.Start(t, e2e.Options{Program: programs.Build(t, e2e.Sidecar), Envoy: version, Pairs: scripted(up), Rendered: foreign(t, other)})
			check := func(when string) {
				for _, tt := range []struct {
					path, body string
					status     int
					want       string
				}{
					{"/other/x", "hello", 200, "POST /other/x: 5 bytes, <nil>"},
					{"/other/x", strings.Repeat("x", 9<<20), 200, "POST /other/x: 9437184 bytes, <nil>"},
					{"/other/gone", "hello", 503, "upstream connect error"},
					{"/nowhere", "hello", 404, ""},
				} {
					status, body := post(t, s.URL(tt.path), tt.body)
					if status != tt.status || !strings.HasPrefix(body, tt.want) || strings.Contains(body, "jsonrpc") {
						t.Errorf("with the sidecar %s, %s with %d bytes: %d %.200s; want %d %s", when, tt.path, len(tt.body), status, body, tt.status, tt.want)
					}
				}
			}
			check("alive")
			s.KillSidecar()
			check("dead")
			if status, body := post(t, s.URL("/mcp/search"), "{}"); status != 503 || !strings.Contains(body, `"jsonrpc"`) {
				t.Errorf("with the sidecar dead the search route answers %d %.200s, want 503 as JSON-RPC", status, body)
			}
		})
	}
}

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}
