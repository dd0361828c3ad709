package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/differential"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/setup"
	"mcp-toolsearch/internal/upstreamtest"
)

// TestRawRequestsThroughEnvoyRunNothingElse is the table of requests of docs/security.md through Envoy. Where Envoy reads a
// path as the aggregate path the call is not the sidecar's to judge: that path is open to all whom the servers let in.
func TestRawRequestsThroughEnvoyRunNothingElse(t *testing.T) {
	for _, version := range fixtures.Envoys(t) {
		t.Run("Envoy "+version, func(t *testing.T) {
			up := upstreamtest.New(t, `{"name":"echo","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`, `{"name":"wipe","inputSchema":{"type":"object"}}`)
			up.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
			s := e2e.Start(t, e2e.Options{Program: programs.Build(t, e2e.Sidecar), Envoy: version, Pairs: []envoy.Pair{
				{Search: "/mcp/search", Aggregate: "/mcp/all", Upstream: envoy.Address(strings.TrimPrefix(up.Origin(), "http://")), Rewrite: "/mcp"},
			}})
			tried, ran := 0, 0
			for _, in := range differential.RawInputs() {
				target, _, _ := strings.Cut(strings.TrimPrefix(in.Text, "POST "), " ")
				if path, _, _ := strings.Cut(target, "?"); strings.Contains(path, "all") || strings.Contains(path, "%61ll") {
					continue
				}
				tried++
				up.Reset()
				differential.RawExchange(t, s.Envoy.Addr(), in)
				calls := up.RequestsOf("tools/call")
				ran += len(calls)
				if wrong := differential.RawWrong(calls, "/mcp"); wrong != "" {
					t.Errorf("%s: %s: %q", in.Class, wrong, in.Text)
				}
			}
			root, err := setup.Root()
			if err != nil {
				t.Fatal(err)
			}
			page, err := os.ReadFile(filepath.Join(root, differential.SecurityPage))
			if err != nil {
				t.Fatal(err)
			}
			if said := fmt.Sprintf("%d requests, %d calls ran", tried, ran); !strings.Contains(string(page), said) {
				t.Errorf("%s does not say %q", differential.SecurityPage, said)
			}
		})
	}
}
