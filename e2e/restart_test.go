package e2e_test

import (
	"net/http"
	"testing"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/featureserver"
	"mcp-toolsearch/internal/fixtures"
)

func TestTheSidecarCanBeRestarted(t *testing.T) {
	for _, version := range fixtures.Envoys(t) {
		t.Run("Envoy "+version, func(t *testing.T) {
			server := featureserver.New(false)
			s := e2e.Start(t, e2e.Options{Program: programs.Build(t, e2e.Sidecar), Envoy: version, Pairs: []envoy.Pair{
				{Search: "/mcp/search", Aggregate: "/mcp/all", Upstream: e2e.Serve(t, server.Handler), Rewrite: "/mcp"},
			}})
			s.KillSidecar()
			resp, err := http.Get(s.URL("/mcp/search"))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("with the sidecar dead the search route answers %d, want 503", resp.StatusCode)
			}
			s.StartSidecar()
			s.StopSidecar()
			s.StartSidecar()
		})
	}
}
