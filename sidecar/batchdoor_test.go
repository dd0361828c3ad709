package sidecar_test

import (
	"strings"
	"testing"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// TestBatchesWithATokenGoToTheBatchDoor: only there their progress can be told. Whoever doesn't ask for it is answered
// at once, and so is everybody where nothing carries the request on.
func TestBatchesWithATokenGoToTheBatchDoor(t *testing.T) {
	gateway := func(r *sidecar.Request) { r.Reroutes = true }
	body := calls(`{"name":"mail_find"}`)
	bothEras(t, func(t *testing.T, era wire.Era) {
		d := open(t, func(s *testdoor.Setup) { s.Engine.BatchDoor = true }, office()...)
		got := decide(t, d, era, body, asking(`"p"`), gateway)
		if got.Kind != sidecar.Pass || got.Path != testdoor.SearchPath+sidecar.BatchSuffix || got.NewBody != nil || len(d.Upstream.Requests()) != 0 {
			t.Errorf("%s to %q, %d requests of ours", got.Kind, got.Path, len(d.Upstream.Requests()))
		}
		decide(t, d, era, body, asking(`"p"`)) // as it comes by the door
		if n := strings.Count(d.Seen.Everything(), "Outcome:"); n != 1 {
			t.Errorf("one batch is observed as %d decisions", n)
		}
		for name, got := range map[string]sidecar.Decision{
			"without a token":   decide(t, d, era, body, gateway),
			"without a gateway": decide(t, d, era, body, asking(`"p"`)),
			"a search":          decide(t, d, era, call("search_tools", `{"query":"mail"}`), asking(`"p"`), gateway),
			"without the door":  decide(t, open(t, nil, office()...), era, body, asking(`"p"`), gateway),
		} {
			if got.Kind != sidecar.Answer {
				t.Errorf("%s: %s", name, got.Kind)
			}
		}
	})
}
