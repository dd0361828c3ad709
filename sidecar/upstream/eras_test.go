package upstream

import (
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

func TestWhatAnAnswerSaysAboutTheEra(t *testing.T) {
	const plain = 1 // no JSON-RPC error
	for name, tc := range map[string]struct {
		status, code   int
		legacy, modern bool // what it says to a modern, to a legacy request
	}{
		"400 in plain text":                 {400, plain, true, true},
		"404 in plain text":                 {404, plain, true, true},
		"405 in plain text":                 {405, plain, true, true},
		"406 in plain text":                 {406, plain, true, false},
		"a timeout of the server's":         {408, plain, false, false},
		"a body that is too large":          {413, plain, false, false},
		"too many requests":                 {429, plain, false, false},
		"an unsupported version":            {400, wire.CodeUnsupportedVersion, true, true},
		"an unsupported version with 200":   {200, wire.CodeUnsupportedVersion, true, true},
		"an invalid request":                {400, wire.CodeInvalidRequest, true, true},
		"an unknown method":                 {404, wire.CodeMethodNotFound, true, true},
		"an unknown method with 200":        {200, wire.CodeMethodNotFound, true, true},
		"a header mismatch":                 {400, wire.CodeHeaderMismatch, false, true},
		"a missing capability":              {400, wire.CodeMissingCapability, false, false},
		"invalid params of a modern server": {400, wire.CodeInvalidParams, false, false},
		"invalid params with 200":           {200, wire.CodeInvalidParams, true, false},
		"an internal error":                 {200, wire.CodeInternal, false, false},
		"an error with code 0":              {200, 0, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			rep := &Reply{Status: tc.status}
			if tc.code != plain {
				rep.Answer = &wire.Answer{ErrorCode: tc.code}
			}
			if rep.SaysLegacy() != tc.legacy || rep.SaysModern() != tc.modern {
				t.Errorf("says legacy %v, modern %v, want %v, %v", rep.SaysLegacy(), rep.SaysModern(), tc.legacy, tc.modern)
			}
		})
	}
}

func TestEraMemoryIsBounded(t *testing.T) {
	m := newEraMemory(3)
	for i := range 10 {
		m.set(Target{URL: string(rune('a' + i))}, wire.Legacy)
	}
	if len(m.eras) != 3 {
		t.Errorf("%d targets remembered, want 3", len(m.eras))
	}
	if m.get(Target{URL: "j"}) != wire.Legacy {
		t.Errorf("the newest target was forgotten")
	}
	m.forget(Target{URL: "j"})
	if m.get(Target{URL: "j"}) != wire.Modern {
		t.Errorf("an unknown target is not modern")
	}
}
