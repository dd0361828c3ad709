package sidecar_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/golden"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

func strict(s *testdoor.Setup) { s.Engine.Profile = sidecar.StrictArguments }

// TestTheStrictListIsByteIdentical: a profile holds for the deployment, so that who connects changes nothing.
func TestTheStrictListIsByteIdentical(t *testing.T) {
	d := open(t, strict, office()...)
	first := read(t, decide(t, d, wire.Modern, list))
	golden.File(t, "testdata/tools-strict.json", string(first.Result.Tools)+"\n")
	bothEras(t, func(t *testing.T, era wire.Era) {
		for _, client := range []string{"claude-code/2", "openai-mcp/1.0.0", ""} {
			a := read(t, decide(t, d, era, list, set("User-Agent", client), set("Authorization", "Bearer "+client)))
			if string(a.Result.Tools) != string(first.Result.Tools) {
				t.Errorf("for %q the tools differ: %s", client, a.Result.Tools)
			}
		}
	})
}

func TestAProfileChangesTheCallToolsAlone(t *testing.T) {
	standard := sidecar.MetaTools()
	for i, m := range sidecar.StrictArguments.MetaTools() {
		calls := strings.HasPrefix(m.Name, "call_")
		if got := strings.Contains(m.InputSchema, `"arguments_json":{"type":"string"`); got != calls {
			t.Errorf("%s takes arguments_json: %t", m.Name, got)
		}
		if calls && !strings.Contains(m.InputSchema, `"arguments":{"type":"object","properties":{},"additionalProperties":true`) {
			t.Errorf("%s no longer takes arguments: %s", m.Name, m.InputSchema)
		}
		if !json.Valid([]byte(m.InputSchema)) {
			t.Errorf("%s: the schema is no JSON: %s", m.Name, m.InputSchema)
		}
		if !calls && m != standard[i] {
			t.Errorf("%s differs from the standard profile", m.Name)
		}
		if strings.Contains(m.Description, `"arguments":`) {
			t.Errorf("%s: the example uses arguments, which strict decoding empties: %s", m.Name, m.Description)
		}
		if n := len([]rune(m.Description)); n > 600 {
			t.Errorf("%s: the description has %d characters, at most 600", m.Name, n)
		}
	}
}

func TestTheStrictListStaysInTheHardLimit(t *testing.T) {
	seen := 0
	for _, m := range sidecar.StrictArguments.MetaTools() {
		seen += cases.Tokens(`{"name":` + string(wire.Quote(m.Name)) + `,"description":` + string(wire.Quote(m.Description)) + `,"inputSchema":` + m.InputSchema + `}`)
	}
	t.Logf("a model sees %d tokens", seen)
	if seen > 700 {
		t.Errorf("a model sees %d tokens, at most 700", seen)
	}
}

// TestWhatStrictDecodersSendRuns: all properties are filled in, and the free-form object is empty.
func TestWhatStrictDecodersSendRuns(t *testing.T) {
	for name, change := range map[string]func(*testdoor.Setup){"standard": nil, "strict-arguments": strict} {
		t.Run(name, func(t *testing.T) {
			bothEras(t, func(t *testing.T, era wire.Era) {
				d := open(t, change, office()...)
				got := decide(t, d, era, call("call_read_tool", `{"name":"wiki_get_page","arguments":{},"arguments_json":"{\"id\":\"42\"}"}`))
				if got.Kind != sidecar.Forward || !strings.Contains(string(got.NewBody), `"arguments":{"id":"42"}`) {
					t.Errorf("%s %s", got.Kind, got.NewBody)
				}
			})
		})
	}
}

// TestLostArgumentsAreToldTheWayOut: a model whose arguments are emptied sees only that they are missing.
func TestLostArgumentsAreToldTheWayOut(t *testing.T) {
	const wayOut = "in arguments_json beside name"
	d := open(t, nil, office()...)
	for _, arguments := range []string{`{"name":"wiki_get_page","arguments":{}}`, `{"name":"wiki_get_page"}`, `{"name":"wiki_get_page","arguments":null}`, `{"name":"wiki_get_page","arguments":{},"arguments_json":""}`} {
		mustSay(t, said(t, decide(t, d, wire.Modern, call("call_read_tool", arguments)), true), wayOut)
	}
	if text := said(t, decide(t, d, wire.Modern, call("call_read_tool", `{"name":"wiki_get_page","arguments":{"id":7}}`)), true); strings.Contains(text, wayOut) {
		t.Errorf("arguments that arrived are told to be lost: %s", text)
	}
}

func TestProfilesAreReadByName(t *testing.T) {
	for _, want := range []sidecar.Profile{sidecar.Standard, sidecar.StrictArguments} {
		var got sidecar.Profile
		if err := got.UnmarshalText([]byte(want.String())); err != nil || got != want {
			t.Errorf("%s is read as %s: %v", want, got, err)
		}
	}
	var p sidecar.Profile
	if err := p.UnmarshalText([]byte("openai")); err == nil || !strings.Contains(err.Error(), "strict-arguments") {
		t.Errorf("an unknown profile: %v", err)
	}
}
