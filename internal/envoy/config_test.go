package envoy_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/fixtures"
)

var update = flag.Bool("update", false, "write deploy/envoy/envoy.yaml anew")

func TestTheShippedConfigurationIsTheRenderedOne(t *testing.T) {
	want := render(t, envoy.Default())
	path := filepath.Join("..", "..", "deploy", "envoy", "envoy.yaml")
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("deploy/envoy/envoy.yaml differs from its template (-template +file); run go test ./internal/envoy -update\n%s", diff)
	}
}

func TestEnvoyAcceptsTheConfigurations(t *testing.T) {
	socket := envoy.Default()
	socket.Sidecar = "/run/toolsearch.sock"
	named := envoy.Default()
	named.Sidecar, named.Pairs[0].Upstream = "toolsearch:9201", "mcp.example.org:80"
	several := envoy.Default()
	several.AdminPort = 0
	several.Pairs = append(several.Pairs, envoy.Pair{Search: "/b/search", Aggregate: "/b/all", Upstream: "[::1]:8082", Rewrite: "/"})

	door := several
	door.Door = "127.0.0.1:8092"

	for _, version := range fixtures.Envoys(t) {
		binary := fixtures.Envoy(t, version)
		for name, c := range map[string]envoy.Config{
			"the shipped one": envoy.Default(), "the sidecar on a Unix socket": socket, "names instead of numbers": named, "two pairs of routes": several,
			"batches by the HTTP door": door,
		} {
			t.Run(version+" "+name, func(t *testing.T) {
				if err := envoy.Validate(t.Context(), binary, render(t, c)); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestEnvoyRefusesABrokenConfiguration(t *testing.T) {
	err := envoy.Validate(t.Context(), fixtures.Envoy(t, fixtures.Envoys(t)[0]), []byte("static_resources: { listener: [] }"))
	if err == nil || !strings.Contains(err.Error(), "listener") {
		t.Errorf("error %v, want Envoy's own words", err)
	}
}

// TestTheBatchDoorOfTheDecisionIsTheRenderedOne: what docs/decisions/0003 tells to add is what the tests run with.
func TestTheBatchDoorOfTheDecisionIsTheRenderedOne(t *testing.T) {
	page, err := os.ReadFile("../../docs/decisions/0003-batches-through-envoy.md")
	if err != nil {
		t.Fatal(err)
	}
	c := envoy.Default()
	c.Door = "127.0.0.1:8092"
	have := map[string]bool{}
	for line := range strings.Lines(strings.ReplaceAll(string(render(t, c)), `"`, "")) {
		have[strings.TrimSpace(line)] = true
	}
	lines := 0
	for _, block := range strings.Split(string(page), "```yaml\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		for line := range strings.Lines(text) {
			lines++
			if !have[strings.TrimSpace(line)] {
				t.Errorf("the configuration has no line %s", line)
			}
		}
	}
	if lines < 8 {
		t.Errorf("only %d lines of configuration were found", lines)
	}
}

func TestAConfigurationNeedsRoutes(t *testing.T) {
	c := envoy.Default()
	c.Pairs = nil
	if _, err := envoy.Render(c); err == nil {
		t.Error("no error")
	}
}

func render(t *testing.T, c envoy.Config) []byte {
	t.Helper()
	out, err := envoy.Render(c)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
