package e2e_test

import (
	"slices"
	"testing"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/featureserver"
	"mcp-toolsearch/internal/inverseshim"
)

// TestClientsThroughTheHTTPDoor plays what TestClients plays, without Envoy.
func TestClientsThroughTheHTTPDoor(t *testing.T) {
	program := programs.Build(t, e2e.Sidecar)
	modern, legacy := featureserver.New(false), featureserver.New(true)
	modernDoor := e2e.Alone(t, program, e2e.Serve(t, modern.Handler), "/mcp")
	legacyDoor := e2e.Alone(t, program, e2e.Serve(t, legacy.Handler), "/mcp")
	playAll(t, func(c client) (string, e2e.Plan, func()) {
		server, door := legacy, legacyDoor
		if c.modern {
			server, door = modern, modernDoor
		}
		before := server.Cancelled()
		return door + "/mcp/search", e2e.FeaturePlan("from " + c.name), func() {
			e2e.Until(t, "the server notices that the call was cancelled", func() bool { return server.Cancelled() > before })
			if !slices.Contains(server.Notes(), "from "+c.name) {
				t.Errorf("the server has no note from %s", c.name)
			}
		}
	})
}

// TestConformanceThroughTheHTTPDoor runs the official suite as TestConformance does, without Envoy.
func TestConformanceThroughTheHTTPDoor(t *testing.T) {
	program := programs.Build(t, e2e.Sidecar)
	for _, req := range requirements() {
		t.Run(req.set, func(t *testing.T) {
			upstream := everythingServer(t, req.stateless)
			direct := runSuite(t, req.set, "http://"+upstream+"/")
			t.Run("relay", func(t *testing.T) {
				door := e2e.Alone(t, program, envoy.Address(upstream), "/", "--direct-calls", "relay")
				compare(t, "relay", direct, runSuite(t, req.set, door+"/mcp/search"), map[string]bool{})
			})
			t.Run("shim", func(t *testing.T) {
				door := e2e.Alone(t, program, envoy.Address(upstream), "/")
				shim := inverseshim.New(parseURL(t, door+"/mcp/search"), parseURL(t, door+"/"))
				compare(t, "shim", direct, runSuite(t, req.set, serveShim(t, shim)), map[string]bool{})
			})
		})
	}
}
