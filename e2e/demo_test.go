package e2e_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/child"
	"mcp-toolsearch/internal/fixtures"
)

// TestTheDemoPlaysOnce holds invariant 1 of internal/demo: the whole conversation goes as it should.
func TestTheDemoPlaysOnce(t *testing.T) {
	fixtures.Node(t) // without it the demo goes on, but shorter
	playDemo(t, "once", "5 instead of 500", "% saved", "hello through Envoy")
}

// TestTheFullDemoPlaysOnce is the same with nine servers from npm and PyPI, merged.
func TestTheFullDemoPlaysOnce(t *testing.T) {
	fixtures.Node(t)
	fixtures.Python(t)
	playDemo(t, "full,once", "Merging 9 MCP servers", "browser 25", "5 instead of 85", "Rotate the signing key", "The first commit of the demo", "due on Friday", "% saved")
}

func playDemo(t *testing.T, kind string, says ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	p, err := child.Start(ctx, child.Spec{Path: programs.Build(t, "mcp-toolsearch/internal/demo"),
		Args: []string{programs.Build(t, e2e.Sidecar)}, Env: []string{"DEMO=" + kind}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Fatalf("%v; it printed:\n%s", err, p.Log())
	}
	for _, want := range says {
		if !strings.Contains(p.Log(), want) {
			t.Errorf("the demo doesn't say %q; it printed:\n%s", want, p.Log())
		}
	}
}
