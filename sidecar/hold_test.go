package sidecar_test

import (
	"strings"
	"testing"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// TestAnAnswerThatGoesOnWithoutOurInstructionsIsCounted: --max-edit bounds what is held, so an initialize over it
// reaches the client as it is; the operator must be able to see that.
func TestAnAnswerThatGoesOnWithoutOurInstructionsIsCounted(t *testing.T) {
	const limit = 4000
	answer := func(n int) string {
		return `{"jsonrpc":"2.0","id":5,"result":{"instructions":"` + strings.Repeat("i", n) + `"}}`
	}
	fixed := func(n int) string { // nothing in it can be shortened
		return `{"jsonrpc":"2.0","id":5,"result":{"x":"` + strings.Repeat("i", n) + `"}}`
	}
	for name, tt := range map[string]struct {
		request, body string
		sse           bool
		counted       bool
	}{
		"a small initialize":               {initialize, answer(10), false, false},
		"one that is shortened":            {initialize, answer(limit - 200), false, false},
		"a large initialize":               {initialize, answer(limit), false, true},
		"a large discover":                 {discover, answer(limit), false, true},
		"a large event":                    {initialize, "data: " + answer(limit), true, true},
		"one that can't be shortened":      {initialize, fixed(limit - 200), false, true},
		"a large answer of a call":         {inner("call_read_tool", "mail_find", `{}`), answer(limit), false, false},
		"a small one of another request":   {initialize, `{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"no"}}`, false, false},
		"an end in the middle of an event": {initialize, "data: x", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, func(s *testdoor.Setup) { s.Engine.EditBytes, s.Engine.MaxInstructions = limit, 2*limit }, office()...)
			decision := decide(t, d, wire.Legacy, tt.request)
			k := &sidecar.Hold{Editor: d.Engine, Decision: &decision, SSE: tt.sse, Limit: limit}
			var got strings.Builder
			for i, over := 0, false; !over && i < len(tt.body); i += 1000 {
				var out []byte
				end := min(i+1000, len(tt.body))
				out, over = k.Add(t.Context(), []byte(tt.body[i:end]), end == len(tt.body))
				got.Write(out)
				if over {
					got.WriteString(tt.body[end:])
				}
			}
			if n := len(d.Seen.Unedited()); n != map[bool]int{true: 1, false: 0}[tt.counted] {
				t.Errorf("counted %d times: %v", n, d.Seen.Unedited())
			}
			if tt.counted && got.String() != tt.body {
				t.Errorf("%d bytes went on of %d", got.Len(), len(tt.body))
			}
		})
	}
}
