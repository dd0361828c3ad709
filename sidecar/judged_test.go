package sidecar_test

import (
	"slices"
	"testing"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// merged is a definition as our own merge lists it.
func merged(name, server, hints string) string {
	raw, err := wire.SetField([]byte(tool(name, "", "", hints)), "_meta", []byte(`{"mcp-toolsearch/source":"`+server+`"}`))
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestACallSaysWhatItWasJudgedAs(t *testing.T) {
	d := open(t, func(s *testdoor.Setup) { s.Catalog.ReadTools = []string{"silent"} },
		merged("reads", "one", readOnly), merged("silent", "two", ""), merged("writes", "one", `{"readOnlyHint":false}`), tool("plain", "", "", readOnly))
	forged := func(r *sidecar.Request) {
		r.Header[wire.JudgedHeader] = []string{"read one"}
		r.Header["X_mcp-Toolsearch_judged"] = []string{"read one"}
	}
	for name, tc := range map[string]struct{ door, tool, want string }{
		"a read":                            {"call_read_tool", "reads", "read one"},
		"one that the operator lifted":      {"call_read_tool", "silent", "lifted two"},
		"a read through the door of writes": {"call_write_tool", "reads", "write one"},
		"a write":                           {"call_write_tool", "writes", "write one"},
		"one that is from no merge of ours": {"call_read_tool", "plain", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
				got := d.Engine.Decide(t.Context(), request(t, era, inner(tc.door, tc.tool, `{}`), forged))
				if got.Kind != sidecar.Forward || got.SetHeader.Get(wire.JudgedHeader) != tc.want {
					t.Errorf("%v: %v, judged %q, want %q", era, got.Kind, got.SetHeader.Get(wire.JudgedHeader), tc.want)
				}
				for _, name := range []string{wire.JudgedHeader, "X_mcp-Toolsearch_judged"} {
					if _, set := got.SetHeader[name]; !set && !slices.Contains(got.RemoveHeader, name) {
						t.Errorf("%v: a client's own %s goes on", era, name)
					}
				}
			}
		})
	}
}

func TestWhatIsOnlyRelayedCarriesNoJudgement(t *testing.T) {
	d := open(t, nil, office()...)
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		got := d.Engine.Decide(t.Context(), request(t, era, `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, func(r *sidecar.Request) { r.Header.Set(wire.JudgedHeader, "read one") }))
		if got.Kind != sidecar.Pass || !slices.Contains(got.RemoveHeader, wire.JudgedHeader) {
			t.Errorf("%v: %v, %q is removed", era, got.Kind, got.RemoveHeader)
		}
	}
}

func TestAnItemOfABatchSaysWhatItWasJudgedAs(t *testing.T) {
	up := upstreamtest.New(t, merged("reads", "one", readOnly))
	up.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
	d := testdoor.Open(t, up, nil)
	said(t, d.Engine.Decide(t.Context(), request(t, wire.Modern, call("call_read_tools", `{"calls":[{"name":"reads","arguments":{}}]}`))), false)
	judged := ""
	for _, r := range up.RequestsOf("tools/call") {
		judged = r.Header.Get(wire.JudgedHeader)
	}
	if judged != "read one" {
		t.Errorf("the call was sent as judged %q", judged)
	}
}
