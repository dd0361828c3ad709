package e2e_test

import (
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/featureserver"
	"mcp-toolsearch/internal/fixtures"
)

// clientSets are the suite's two client sets, and how many checks pass when the SDK's own client is judged without the
// product, its auth scenarios left out.
func clientSets() map[string]int { return map[string]int{"2026-07-28": 62, "2025-11-25": 20} }

// TestConformanceOfTheClientSide lets the suite judge what the product sends to MCP servers: the suite's mock server is
// behind the product, and the SDK's conformance client in front of it. Each check must end as it does without the
// product, but for the lines of testdata/expected-failures.yaml.
func TestConformanceOfTheClientSide(t *testing.T) {
	client, chain, sidecar := programs.Build(t, e2e.EverythingClient), programs.Build(t, e2e.Chain), programs.Build(t, e2e.Sidecar)
	beside := "http://" + string(e2e.Serve(t, featureserver.New(false).Handler)) + "/mcp"
	through := map[string]string{
		"search":    strings.Join([]string{chain, "-sidecar", sidecar, "-client", client}, " "),
		"aggregate": strings.Join([]string{chain, "-sidecar", sidecar, "-client", client, "-beside", beside}, " "),
	}
	seen := map[string]map[string]bool{"client-search": {}, "client-aggregate": {}}
	for set, passing := range clientSets() {
		direct := runClientSet(t, set, client)
		if got := direct.count("SUCCESS"); got != passing {
			t.Errorf("%s: without the product %d checks pass, want %d: has the suite or the SDK changed?", set, got, passing)
		}
		for route, command := range through {
			t.Run(set+"/"+route, func(t *testing.T) {
				section := "client-" + route
				got := runClientSet(t, set, command)
				if got.count("SUCCESS") < passing-len(expectedFailures(t)[section]) {
					// On a busy machine the suite's server can be slower than a list of merged servers waits for.
					t.Logf("%d checks passed; once more", got.count("SUCCESS"))
					got = runClientSet(t, set, command)
				}
				compare(t, section, direct, got, seen[section])
			})
		}
	}
	for section, differing := range seen {
		for _, line := range slices.Sorted(maps.Keys(expectedFailures(t)[section])) {
			if !differing[line] && !t.Failed() {
				t.Errorf("testdata/expected-failures.yaml: %s: %s no longer differs: take the line out", section, line)
			}
		}
	}
}

// runClientSet runs a client set with a command as the client and reads the suite's own records. The auth scenarios
// judge an OAuth client, which the product is not: TestClientsLogIn shows that a login passes.
func runClientSet(t *testing.T, set, command string) results {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(fixtures.NodeModules(t), "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	cmd := exec.CommandContext(t.Context(), fixtures.Node22(t), script, "client", "--command", command, "--requirements", set,
		"--timeout", "120000", "-o", dir)
	printed, err := cmd.CombinedOutput()
	all := results{}
	walkErr := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "checks.json" {
			return err
		}
		rel, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		if scenario := scenarioOf(filepath.ToSlash(rel)); !strings.HasPrefix(scenario, "auth/") {
			all[scenario] = readChecks(t, path)
			maps.DeleteFunc(all[scenario], func(check string, _ int) bool { return strings.HasSuffix(check, " INFO") }) // the product lists too
		}
		return nil
	})
	if walkErr != nil || len(all) == 0 {
		t.Fatalf("the suite left no records: %v %v\n%s", err, walkErr, printed)
	}
	return all
}
