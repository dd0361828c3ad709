package sidecar_test

import (
	"encoding/json"
	"slices"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

func TestStructuredContentWithoutBlocksIsShown(t *testing.T) {
	d := open(t, nil, tool("data", "", "", readOnly))
	d.Upstream.Script("data", upstreamtest.Script{Result: `{"resultType":"complete","content":[],"structuredContent":{"n":1.0}}`})
	a := read(t, decide(t, d, wire.Modern, calls(`{"name":"data"}`)))
	var block struct{ Text string }
	if err := json.Unmarshal(a.Result.Content[1], &block); err != nil || block.Text != `{"n":1.0}` {
		t.Errorf("%s", a.Result.Content)
	}
}

// TestNoItemOfABatchIsSilent: whatever an upstream sends as a result, the model sees it, and a failure as one.
func TestNoItemOfABatchIsSilent(t *testing.T) {
	tests := map[string]struct {
		script upstreamtest.Script
		state  string
		block  string // text of the block; "" none
		failed bool
	}{
		"no content at all":               {upstreamtest.Script{Result: `{"answer":1.0}`}, "ok", `{"answer":1.0}`, false},
		"an empty result":                 {upstreamtest.Script{Result: `{}`}, "ok", `{}`, false},
		"content that is text":            {upstreamtest.Script{Result: `{"content":"done"}`}, "ok", `{"content":"done"}`, false},
		"content of null":                 {upstreamtest.Script{Result: `{"content":null}`}, "ok", `{"content":null}`, false},
		"content of null, structured too": {upstreamtest.Script{Result: `{"content":null,"structuredContent":{"n":1}}`}, "ok", `{"n":1}`, false},
		"structured content of null":      {upstreamtest.Script{Result: `{"content":7,"structuredContent":null}`}, "ok", `{"content":7,"structuredContent":null}`, false},
		"empty content":                   {upstreamtest.Script{Result: `{"content":[]}`}, "ok", "", false},
		"an error of true":                {upstreamtest.Script{Result: `{"content":[],"isError":true}`}, "error:", "", true},
		"an error of false":               {upstreamtest.Script{Result: `{"content":[],"isError":false}`}, "ok", "", false},
		"an error of null":                {upstreamtest.Script{Result: `{"content":[],"isError":null}`}, "ok", "", false},
		"an error in text":                {upstreamtest.Script{Result: `{"content":[],"isError":"true"}`}, "error:", "", true},
		"an error of one":                 {upstreamtest.Script{Result: `{"content":[],"isError":1}`}, "error:", "", true},
		"a JSON-RPC error":                {upstreamtest.Script{Code: -32001, Message: "away"}, "error -32001: away", "", true},
		"a code that is text":             {upstreamtest.Script{Error: `{"code":"E_AWAY","message":"away"}`}, "error: away", "", true},
		"no code":                         {upstreamtest.Script{Error: `{"message":"away"}`}, "error: away", "", true},
		"no message":                      {upstreamtest.Script{Error: `{"code":-32001}`}, "error -32001: (no message)", "", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := open(t, nil, tool("data", "", "", readOnly))
			d.Upstream.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
			d.Upstream.Script("data", tt.script)
			a := read(t, decide(t, d, wire.Legacy, calls(`{"name":"data"}`)))
			var texts []string
			for _, raw := range a.Result.Content {
				var block struct{ Text string }
				if err := json.Unmarshal(raw, &block); err != nil {
					t.Fatal(err)
				}
				texts = append(texts, block.Text)
			}
			want := []string{"[1] data: " + tt.state}
			if tt.block != "" {
				want = append(want, tt.block)
			}
			if !slices.Equal(texts, want) || a.Result.IsError != tt.failed {
				t.Errorf("%q, error %t, want %q", texts, a.Result.IsError, want)
			}
		})
	}
}
