package e2e

import (
	"net/http"
	"strings"
	"testing"

	"mcp-toolsearch/internal/envoy"
)

// Alone starts the sidecar as an HTTP door without Envoy, in front of the server at path of upstream. Its search route is
// /mcp/search. It returns the door's origin when the door is ready.
func Alone(t testing.TB, program string, upstream envoy.Address, path string, flags ...string) string {
	t.Helper()
	door, admin := FreeAddress(t), FreeAddress(t)
	args := []string{"serve", "--upstream", "http://" + string(upstream), "--listen", door, "--extproc-listen", "off", "--admin-listen", admin,
		"--routes", "/mcp/search=" + path}
	p := Run(t, program, append(args, flags...)...)
	Until(t, "the door is ready", func() bool {
		if p.Exited() {
			t.Fatalf("the sidecar ended at once: %v\n%s", p.Wait(), strings.TrimSpace(p.Log()))
		}
		resp, err := http.Get("http://" + admin + "/readyz")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return "http://" + door
}
