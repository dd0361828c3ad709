package aggregate_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/servers"
)

// TestANameIsNotGivenOnWhileItsServerIsAway: a caller for whom the first server can't be listed finds the other's tool under
// the other's name, as everybody does; the name itself leads nowhere.
func TestANameIsNotGivenOnWhileItsServerIsAway(t *testing.T) {
	broken := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	for era, version := range eras() {
		t.Run(era, func(t *testing.T) {
			handler := modernHandler
			if version < "2026" {
				handler = stateful
			}
			first := &guarded{tokens: map[string]http.Handler{"Bearer ada": handler(t, echoes("both=first")), "Bearer bob": broken}}
			other := &guarded{tokens: map[string]http.Handler{"": handler(t, echoes("both=other", "free=other"))}}
			r := start(t, []servers.Server{{Name: "first", URL: first.start(t), Auth: servers.Caller}, {Name: "other", URL: other.start(t)}}, perCaller(t))
			ada, bob := connectAs(t, r.url, "Bearer ada", version), connectAs(t, r.url, "Bearer bob", version)
			if got := names(t, ada); !slices.Equal(got, []string{"both", "other__both", "free"}) {
				t.Fatalf("Ada's tools are %q", got)
			}
			if got := names(t, bob); !slices.Equal(got, []string{"other__both", "free"}) {
				t.Errorf("while the first server fails Bob's tools are %q", got)
			}
			if text, err := tryCall(t.Context(), bob, "both", nil); err == nil || strings.Contains(text, "other") {
				t.Errorf("Bob's call of the first server's tool: %q, %v", text, err)
			}
			if got := call(t, bob, "other__both"); got != "other" {
				t.Errorf("Bob's call by the other's name says %q", got)
			}
		})
	}
}
