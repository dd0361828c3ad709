package e2e_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
)

// TestACommandThatPrintsJunk merges commands that print what is no message: one beside its answers, which works; one
// that prints nothing else, one that ends at once and one that isn't there, which are down; the good server never
// suffers.
func TestACommandThatPrintsJunk(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		fixtures.Skip(t, "sh is not there")
	}
	typed := filepath.Join(nodeScripts(t), "typed.mjs")
	talks := fmt.Sprintf("echo 'Starting up ...'; echo '{\"half\":'; echo 'warning: old' >&2; exec %q %q stdio", fixtures.Node(t), typed)
	m := besideGood(t, map[string]e2e.Server{
		"talkative": {Command: shell, Args: []string{"-c", talks}},
		"junk":      {Command: shell, Args: []string{"-c", "while read -r line; do echo \"you said: $line\"; done"}, Timeout: "2s"},
		"ends":      {Command: shell, Args: []string{"-c", "echo no; exit 3"}},
		"absent":    {Command: filepath.Join(t.TempDir(), "nothing-here")},
	})
	m.ask(sidecar.SearchTools, object{"query": "zebra"}) // the first one waits for a while for servers that have said a word
	m.goodWorks()
	e2e.Slowly(t, "the talkative one is listed", func() bool {
		return strings.Contains(m.ask(sidecar.SearchTools, object{"query": "typed_count", "limit": 1, "refresh": true}).text, "typed_count |")
	})
	if r := m.ask(sidecar.CallReadTool, object{"name": "typed_count", "arguments": object{"steps": 2}}); !strings.Contains(r.text, "counted to 2") {
		t.Errorf("the talkative one: %.300s", r.body)
	}
	m.goodWorks()
	for _, name := range []string{"ends", "absent"} {
		if !strings.Contains(m.Log(), "server="+name) {
			t.Errorf("the log says nothing of %s", name)
		}
	}
	if strings.Contains(m.Log(), "you said") {
		t.Error("what a command prints is in the log: it may hold arguments")
	}
}

// TestCasesWithoutEnvoy plays the cases through the built program's HTTP door, alone and in front of a merge of one.
func TestCasesWithoutEnvoy(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.json")
	if err != nil || len(files) < 6 {
		t.Fatalf("case files: %q, %v", files, err)
	}
	program := programs.Build(t, e2e.Sidecar)
	for door, sources := range map[string]func(up *upstreamtest.Server) []string{
		"HTTP": func(up *upstreamtest.Server) []string {
			return []string{"--upstream", up.Origin(), "--routes", "/mcp/search=/mcp"}
		},
		"HTTP, one server": func(up *upstreamtest.Server) []string { return []string{"--upstreams", up.URL()} },
	} {
		open := func(tb testing.TB, up *upstreamtest.Server, o cases.Operator) cases.Stack {
			flags := sources(up)
			for name, globs := range map[string][]string{"--write-tools": o.WriteTools, "--read-tools": o.ReadTools} {
				if len(globs) > 0 {
					flags = append(flags, name, strings.Join(globs, ","))
				}
			}
			d := e2e.Standalone(tb, program, flags...)
			return cases.Stack{Do: http.DefaultClient.Do, URL: d.Origin + "/mcp/search", Uncompilable: func() int { return sum(tb, d.Metrics(), "mcp_toolsearch_uncompilable_schemas_total") }}
		}
		for _, f := range files {
			t.Run(door+"/"+strings.TrimSuffix(filepath.Base(f), ".json"), func(t *testing.T) { cases.Run(t, f, open) })
		}
	}
}
