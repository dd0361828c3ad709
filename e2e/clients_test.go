package e2e_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/child"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/featureserver"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/setup"
)

// step is one line that a client program prints.
type step struct {
	Step   string `json:"step"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// client plays a plan against a search route.
type client struct {
	name   string
	modern bool
	play   func(t *testing.T, url string, plan e2e.Plan) []step
}

func clients() []client {
	return []client{
		{"go modern over HTTP/1.1", true, goClient(featureserver.Modern, false)},
		{"go modern over HTTP/2", true, goClient(featureserver.Modern, true)},
		{"go legacy over HTTP/1.1", false, goClient("2025-11-25", false)},
		{"go legacy over HTTP/2", false, goClient("2025-06-18", true)},
		{"python modern", true, pythonClient("modern")},
		{"python legacy", false, pythonClient("legacy")},
		{"typescript modern", true, nodeClient("modern.mjs")},
		{"typescript legacy", false, nodeClient("legacy.mjs")},
	}
}

func TestClients(t *testing.T) {
	if os.Getenv(searchVariable) != "" {
		playAll(t, liveTarget(t))
		return
	}
	for _, version := range fixtures.Envoys(t) {
		t.Run("Envoy "+version, func(t *testing.T) {
			modern, legacy := featureserver.New(false), featureserver.New(true)
			s := e2e.Start(t, e2e.Options{Program: programs.Build(t, e2e.Sidecar), Envoy: version, Pairs: []envoy.Pair{
				{Search: "/mcp/search", Aggregate: "/mcp/all", Upstream: e2e.Serve(t, modern.Handler), Rewrite: "/mcp"},
				{Search: "/legacy/search", Aggregate: "/legacy/all", Upstream: e2e.Serve(t, legacy.Handler), Rewrite: "/mcp"},
			}})
			playAll(t, func(c client) (string, e2e.Plan, func()) {
				server, path := legacy, "/legacy/search"
				if c.modern {
					server, path = modern, "/mcp/search"
				}
				before := server.Cancelled()
				return s.URL(path), e2e.FeaturePlan("from " + c.name), func() {
					e2e.Until(t, "the server notices that the call was cancelled", func() bool { return server.Cancelled() > before })
					if !slices.Contains(server.Notes(), "from "+c.name) {
						t.Errorf("the server has no note from %s", c.name)
					}
				}
			})
		})
	}
}

// Without tool search the same programs must play the same features: what fails here is no fault of the product.
func TestClientsWithoutToolSearch(t *testing.T) {
	modern, legacy := e2e.Serve(t, featureserver.New(false).Handler), e2e.Serve(t, featureserver.New(true).Handler)
	playAll(t, func(c client) (string, e2e.Plan, func()) {
		address := legacy
		if c.modern {
			address = modern
		}
		return "http://" + string(address) + "/mcp", e2e.Plan{Bare: true, Features: true}, func() {}
	})
}

// playAll lets every client play; target says where and what, and what to look at afterwards.
func playAll(t *testing.T, target func(c client) (url string, plan e2e.Plan, after func())) {
	play(t, clients(), target)
}

func play(t *testing.T, clients []client, target func(c client) (url string, plan e2e.Plan, after func())) {
	for _, c := range clients {
		url, plan, after := target(c)
		if url == "" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			steps := c.play(t, url, plan)
			var names []string
			for _, s := range steps {
				names = append(names, s.Step)
				if !s.OK {
					t.Errorf("%s: %s", s.Step, s.Detail)
				}
			}
			if diff := cmp.Diff(plan.Steps(), names); diff != "" {
				t.Errorf("the client did not play every step (-want +played)\n%s", diff)
			}
			if !t.Failed() {
				after()
			}
		})
	}
}

func nodeClient(script string) func(*testing.T, string, e2e.Plan) []step {
	return func(t *testing.T, url string, plan e2e.Plan) []step {
		return runClient(t, child.Spec{Path: fixtures.Node(t), Args: []string{filepath.Join(nodeScripts(t), script), url, marshal(t, plan)}})
	}
}

// nodeScripts is a folder with the Node programs and their packages: Node looks for packages beside the script.
func nodeScripts(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	scripts := []string{serverScript(t, "typed.mjs")}
	for _, name := range []string{"conversation.mjs", "legacy.mjs", "modern.mjs", "login.mjs"} {
		scripts = append(scripts, filepath.Join(clientFolder(t, "node"), name))
	}
	for _, script := range scripts {
		content, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(script)), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(fixtures.NodeModules(t), "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func pythonClient(era string) func(*testing.T, string, e2e.Plan) []step {
	return func(t *testing.T, url string, plan e2e.Plan) []step {
		script := filepath.Join(clientFolder(t, "python"), "conversation.py")
		return runClient(t, child.Spec{
			Path: fixtures.Python(t), Args: []string{script, era, url, marshal(t, plan)},
			Env: []string{"PYTHONPATH=" + fixtures.PythonPath(t), "PYTHONDONTWRITEBYTECODE=1"},
		})
	}
}

// runClient runs a client program and reads its steps.
func runClient(t *testing.T, spec child.Spec) []step {
	t.Helper()
	var out bytes.Buffer
	spec.Stdout = &out
	p, err := child.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	failure := p.Wait()
	var steps []step
	for line := range bytes.Lines(out.Bytes()) {
		var s step
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatalf("the client printed %q: %v", line, err)
		}
		steps = append(steps, s)
	}
	if failure != nil {
		t.Errorf("%v\n%s", failure, p.Log())
	}
	return steps
}

func clientFolder(t *testing.T, name string) string {
	t.Helper()
	root, err := setup.Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "e2e", "clients", name)
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
