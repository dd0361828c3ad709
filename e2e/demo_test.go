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
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	p, err := child.Start(ctx, child.Spec{Path: programs.Build(t, "mcp-toolsearch/internal/demo"),
		Args: []string{programs.Build(t, e2e.Sidecar)}, Env: []string{"DEMO=once"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Fatalf("%v; it printed:\n%s", err, p.Log())
	}
	for _, want := range []string{"5 instead of 500", "% saved", "hello through Envoy"} {
		if !strings.Contains(p.Log(), want) {
			t.Errorf("the demo doesn't say %q; it printed:\n%s", want, p.Log())
		}
	}
}
