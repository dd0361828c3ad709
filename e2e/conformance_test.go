package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/inverseshim"
)

// requirements are the suite's two sets, and how many checks pass against the SDK's own server without the sidecar.
func requirements() []requirement {
	return []requirement{
		{"2026-07-28", true, 165},
		{"2025-11-25", false, 82},
	}
}

type requirement struct {
	set       string
	stateless bool // how the SDK's server runs
	passing   int
}

// TestConformance runs the official suite three times: against the SDK's own server directly, through Envoy and the sidecar
// with direct calls relayed, and through the inverse shim with direct calls refused. The results must be the same, check
// by check, but for the lines of testdata/expected-failures.yaml.
func TestConformance(t *testing.T) {
	version := fixtures.Envoys(t)[0]
	seen := map[string]map[string]bool{"relay": {}, "shim": {}}
	for _, req := range requirements() {
		t.Run(req.set, func(t *testing.T) {
			upstream := everythingServer(t, req.stateless)
			direct := runSuite(t, req.set, "http://"+upstream+"/")
			if got := direct.count("SUCCESS"); got != req.passing {
				t.Errorf("without the sidecar %d checks pass, want %d: has the suite or the SDK changed?", got, req.passing)
			}
			pairs := []envoy.Pair{{Search: "/mcp/search", Aggregate: "/mcp/all", Upstream: envoy.Address(upstream), Rewrite: "/"}}
			program := programs.Build(t, e2e.Sidecar)
			t.Run("relay", func(t *testing.T) {
				s := e2e.Start(t, e2e.Options{Program: program, Envoy: version, Pairs: pairs, Flags: []string{"--direct-calls", "relay"}})
				compare(t, "relay", direct, runSuite(t, req.set, s.URL("/mcp/search")), seen["relay"])
			})
			t.Run("shim", func(t *testing.T) {
				s := e2e.Start(t, e2e.Options{Program: program, Envoy: version, Pairs: pairs})
				shim := inverseshim.New(parseURL(t, s.URL("/mcp/search")), parseURL(t, s.URL("/mcp/all")))
				compare(t, "shim", direct, runSuite(t, req.set, serveShim(t, shim)), seen["shim"])
			})
		})
	}
	if t.Failed() {
		return
	}
	for section, differing := range seen {
		for _, line := range slices.Sorted(maps.Keys(expectedFailures(t)[section])) {
			if !differing[line] {
				t.Errorf("testdata/expected-failures.yaml: %s: %s no longer differs: take the line out", section, line)
			}
		}
	}
}

// outcome counts a scenario's checks: "check-id STATUS" -> how often.
type outcome map[string]int

// results are the outcomes of a run by scenario.
type results map[string]outcome

func (r results) count(status string) int {
	n := 0
	for _, o := range r {
		for check, times := range o {
			if strings.HasSuffix(check, " "+status) {
				n += times
			}
		}
	}
	return n
}

// compare demands that a run through the sidecar has the same checks with the same outcomes as the direct one.
func compare(t *testing.T, section string, direct, through results, differing map[string]bool) {
	t.Helper()
	expected := expectedFailures(t)[section]
	for _, scenario := range slices.Sorted(maps.Keys(direct)) {
		for _, check := range differences(direct[scenario], through[scenario]) {
			id, _, _ := strings.Cut(check, " ")
			switch {
			case expected[scenario] != "":
				differing[scenario] = true
			case expected[scenario+":"+id] != "":
				differing[scenario+":"+id] = true
			default:
				t.Errorf("%s: %s: %d times without the sidecar, %d times through it", scenario, check, direct[scenario][check], through[scenario][check])
			}
		}
	}
	t.Logf("%d checks passed, %d without the sidecar", through.count("SUCCESS"), direct.count("SUCCESS"))
}

// differences are the checks that two outcomes count differently, sorted.
func differences(a, b outcome) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	var found []string
	for check := range all {
		if a[check] != b[check] {
			found = append(found, check)
		}
	}
	slices.Sort(found)
	return found
}

// runSuite runs a requirement set against a server and reads the suite's own records.
func runSuite(t *testing.T, set, target string) results {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(fixtures.NodeModules(t), "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	cmd := exec.CommandContext(t.Context(), fixtures.Node22(t), script, "server", "--url", target, "--requirements", set, "-o", dir)
	printed, err := cmd.CombinedOutput()
	records, globErr := filepath.Glob(filepath.Join(dir, "server-*", "checks.json"))
	if globErr != nil || len(records) == 0 {
		t.Fatalf("the suite left no records: %v %v\n%s", err, globErr, printed)
	}
	all := results{}
	for _, path := range records {
		all[scenarioOf(filepath.Base(filepath.Dir(path)))] = readChecks(t, path)
	}
	if total := fmt.Sprintf("Total: %d passed, %d failed", all.count("SUCCESS"), all.count("FAILURE")); !strings.Contains(string(printed), total) {
		t.Errorf("the records say %q, the suite printed\n%s", total, printed)
	}
	return all
}

// scenarioOf takes the scenario out of a record's folder name: server-NAME-2026-01-31T12-00-00-000Z.
func scenarioOf(folder string) string {
	return recordStamp.ReplaceAllString(strings.TrimPrefix(folder, "server-"), "")
}

var recordStamp = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[\d-]+Z$`)

func readChecks(t *testing.T, path string) outcome {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var checks []struct{ ID, Status string }
	if err := json.Unmarshal(content, &checks); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	counted := outcome{}
	for _, c := range checks {
		counted[c.ID+" "+c.Status]++
	}
	return counted
}

// expectedFailures reads testdata/expected-failures.yaml: section -> scenario[:check] -> reason.
func expectedFailures(t *testing.T) map[string]map[string]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "expected-failures.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]string{}
	var section map[string]string
	for line := range strings.Lines(string(content)) {
		text, reason, _ := strings.Cut(line, "#")
		text, reason = strings.TrimSpace(text), strings.TrimSpace(reason)
		item, isItem := strings.CutPrefix(text, "- ")
		switch {
		case text == "":
		case isItem && reason != "" && section != nil:
			section[item] = reason
		case !isItem && strings.HasSuffix(text, ":"):
			section = map[string]string{}
			all[strings.TrimSuffix(text, ":")] = section
		default:
			t.Fatalf("testdata/expected-failures.yaml: %q: each line needs a section above and a reason behind #", text)
		}
	}
	return all
}

// everythingServer runs the SDK's own conformance server and returns its address.
func everythingServer(t *testing.T, stateless bool) string {
	t.Helper()
	program := programs.Build(t, e2e.EverythingServer)
	address := e2e.FreeAddress(t)
	e2e.Run(t, program, "-http", address, fmt.Sprintf("-stateless=%t", stateless))
	e2e.Until(t, "the conformance server answers", func() bool {
		resp, err := http.Get("http://" + address + "/")
		return err == nil && resp.Body.Close() == nil
	})
	return address
}

func serveShim(t *testing.T, shim http.Handler) string {
	t.Helper()
	web := httptest.NewServer(shim)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return web.URL + "/"
}

func parseURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
