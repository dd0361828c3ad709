package sidecar_test

import (
	"net/http"
	"strings"
	"testing"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

const oneObject = "arguments_json must hold one JSON object with distinct keys"

func TestACallWithoutItsShapeIsShownTheRightOne(t *testing.T) {
	d := open(t, nil, office()...)
	tests := map[string]struct {
		arguments string
		reason    sidecar.Reason
		says      []string
	}{
		"no arguments at all":             {`{}`, sidecar.MissingName, []string{"name is missing", `{"name":"exact_tool_name","arguments":{...}}`}},
		"arguments that are a list":       {`[1]`, sidecar.BadCall, []string{"must be an object"}},
		"arguments that are no JSON":      {`"mail_purge"`, sidecar.BadCall, []string{"must be an object"}},
		"a name that is a number":         {`{"name":7}`, sidecar.MissingName, []string{"name is missing"}},
		"an empty name":                   {`{"name":""}`, sidecar.MissingName, []string{"name is missing"}},
		"a name one level too deep":       {`{"arguments":{"name":"mail_purge","folder":"x"}}`, sidecar.MissingName, []string{"beside arguments", `{"name":"mail_purge","arguments":{...}}`}},
		"a name too deep in text":         {`{"arguments":"{\"name\":\"mail_purge\"}"}`, sidecar.MissingName, []string{"beside arguments", "mail_purge"}},
		"a name under tool_name":          {`{"tool_name":"mail_purge","arguments":{"folder":"x"}}`, sidecar.MissingName, []string{`not "tool_name"`, "mail_purge"}},
		"a name under a look-alike":       {`{"Name":"mail_purge"}`, sidecar.MissingName, []string{`not "Name"`, "mail_purge"}},
		"a name under a typo":             {`{"nane":"mail_purge"}`, sidecar.MissingName, []string{`not "nane"`, "mail_purge"}},
		"arguments under args":            {`{"name":"mail_purge","args":{"folder":"x"}}`, sidecar.BadCall, []string{`not "args"`, "Nothing was run"}},
		"arguments under a look-alike":    {`{"name":"clock_set","Arguments":{"h":1}}`, sidecar.BadCall, []string{`not "Arguments"`}},
		"arguments under a typo":          {`{"name":"clock_set","argumens":{"h":1}}`, sidecar.BadCall, []string{`not "argumens"`}},
		"arguments beside the name":       {`{"name":"mail_purge","folder":"x"}`, sidecar.BadCall, []string{`go into "arguments", not beside "name" ("folder"): {"name":"mail_purge","arguments":{...}}`, `"required":["folder"]`}},
		"two kinds of arguments":          {`{"name":"mail_purge","arguments":{"folder":"x"},"arguments_json":"{\"folder\":\"y\"}"}`, sidecar.BadCall, []string{"not both"}},
		"arguments_json of an object":     {`{"name":"mail_purge","arguments_json":{"folder":"x"}}`, sidecar.BadCall, []string{"must be a string"}},
		"arguments_json of no JSON":       {`{"name":"mail_purge","arguments_json":"folder=x"}`, sidecar.BadCall, []string{oneObject}},
		"arguments_json of a list":        {`{"name":"mail_purge","arguments_json":"[]"}`, sidecar.BadCall, []string{oneObject}},
		"arguments_json of null":          {`{"name":"clock_set","arguments_json":"null"}`, sidecar.BadCall, []string{oneObject}},
		"arguments_json with a key twice": {`{"name":"clock_set","arguments_json":"{\"a\":1,\"a\":2}"}`, sidecar.BadCall, []string{oneObject}},
		"arguments_json that is deep":     {`{"name":"clock_set","arguments_json":"` + strings.Repeat(`{\"a\":`, 300) + `1` + strings.Repeat(`}`, 300) + `"}`, sidecar.BadCall, []string{oneObject, "levels deep"}},
		"arguments of a list":             {`{"name":"clock_set","arguments":[]}`, sidecar.BadArguments, []string{"object"}},
		"a repeated key in text":          {`{"name":"clock_set","arguments":"{\"a\":1,\"a\":2}"}`, sidecar.BadArguments, []string{"object"}},
		"a lone surrogate in text":        {`"{\"name\":\"clock_set\",\"arguments\":{\"a\":\"\\ud800\"}}"`, sidecar.BadArguments, []string{"valid JSON"}},
		"an unknown key with a near":      {`{"name":"mail_purge","arguments":{"folders":"x"}}`, sidecar.BadArguments, []string{"folders", "folder is required"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d.Upstream.Reset()
			text := said(t, decide(t, d, wire.Modern, call("call_write_tool", tt.arguments)), true)
			mustSay(t, text, tt.says...)
			if l := d.Seen.Last(); l.Reason != string(tt.reason) {
				t.Errorf("reason %s, want %s: %s", l.Reason, tt.reason, text)
			}
			item := said(t, decide(t, d, wire.Modern, call("call_read_tools", `{"calls":[`+tt.arguments+`]}`)), true)
			if tt.reason != sidecar.BadArguments { // in a batch the door comes before the arguments
				mustSay(t, item, "[1] ", ": refused: ")
			}
			if n := len(d.Upstream.RequestsOf("tools/call")); n != 0 {
				t.Errorf("%d calls reached the upstream", n)
			}
		})
	}
}

func TestARepairLeavesItsReceipt(t *testing.T) {
	schema := `{"type":"object","properties":{"fields":{"type":"object"},"tags":{"type":"array"},"note":{"type":"string"}}}`
	tests := map[string]struct {
		body   string
		sent   string
		places int
	}{
		"nothing to repair":           {inner("call_read_tool", "edit", `{"note":"{}"}`), `{"note":"{}"}`, 0},
		"whole arguments":             {inner("call_read_tool", "edit", `"{\"note\":\"x\"}"`), `{"note":"x"}`, 1},
		"two places":                  {inner("call_read_tool", "edit", `{"fields":"{\"a\":1.0}","tags":"[1]"}`), `{"fields":{"a":1.0},"tags":[1]}`, 2},
		"text inside text stays":      {inner("call_read_tool", "edit", `{"fields":"{\"a\":\"{}\"}"}`), `{"fields":{"a":"{}"}}`, 1},
		"the call as text":            {call("call_read_tool", `"{\"name\":\"edit\",\"arguments\":{}}"`), `{}`, 1},
		"the call and a part":         {call("call_read_tool", `"{\"name\":\"edit\",\"arguments\":{\"tags\":\"[]\"}}"`), `{"tags":[]}`, 2},
		"arguments_json is no repair": {call("call_read_tool", `{"name":"edit","arguments_json":"{\"tags\":[]}"}`), `{"tags":[]}`, 0},
		"arguments_json and a part":   {call("call_read_tool", `{"name":"edit","arguments_json":"{\"tags\":\"[]\"}"}`), `{"tags":"[]"}`, -1},
		"an empty arguments_json":     {call("call_read_tool", `{"name":"edit","arguments":{"note":"x"},"arguments_json":""}`), `{"note":"x"}`, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := open(t, nil, tool("edit", "", schema, readOnly))
			got := decide(t, d, wire.Legacy, tt.body)
			if tt.places < 0 { // text is decoded once only: the rest is the model's to correct
				mustSay(t, said(t, got, true), "tags")
				return
			}
			if got.Kind != sidecar.Forward || !strings.Contains(string(got.NewBody), `"arguments":`+tt.sent+`}`) {
				t.Fatalf("%s %s%s", got.Kind, got.NewBody, got.Body)
			}
			h := d.Engine.AnswerHeader(&got, request(t, wire.Legacy, list), http.StatusOK, http.Header{})
			want := ""
			if tt.places > 0 {
				want = string(rune('0' + tt.places))
			}
			if h.Get(sidecar.RepairedHeader) != want || d.Seen.Repairs() != tt.places {
				t.Errorf("receipt %q, %d counted, want %q", h.Get(sidecar.RepairedHeader), d.Seen.Repairs(), want)
			}
		})
	}
}

func TestARepairedSearchHasTheReceiptToo(t *testing.T) {
	d := open(t, nil, office()...)
	got := decide(t, d, wire.Modern, call("search_tools", `"{\"query\":\"find mail\"}"`))
	mustSay(t, said(t, got, false), "mail_find")
	if got.Header.Get(sidecar.RepairedHeader) != "1" || d.Seen.Repairs() != 1 {
		t.Errorf("receipt %v, %d counted", got.Header, d.Seen.Repairs())
	}
}

func TestASchemaThatDoesNotCompileBlocksNothing(t *testing.T) {
	d := open(t, nil, tool("odd", "", `{"type":"object","properties":{"x":{"$ref":"#/$defs/none"}},"required":["x"]}`, readOnly))
	for range 3 {
		got := decide(t, d, wire.Modern, inner("call_read_tool", "odd", `{"y":[1]}`))
		if got.Kind != sidecar.Forward || !strings.Contains(string(got.NewBody), `{"y":[1]}`) {
			t.Errorf("%s %s", got.Kind, got.Body)
		}
	}
	if n := d.Seen.Uncompilable(); n != 1 {
		t.Errorf("counted %d times, want once for the tool", n)
	}
	said(t, decide(t, d, wire.Modern, inner("call_read_tool", "odd", `[1]`)), true)
}

func TestArgumentsTooDearToCheckGoThroughAndAreCounted(t *testing.T) {
	d := open(t, nil, tool("wide", "", `{"type":"object","properties":{"x":{"type":"array","items":{"type":"integer"}}}}`, readOnly))
	for range 2 {
		got := decide(t, d, wire.Modern, inner("call_read_tool", "wide", `{"x":[`+strings.Repeat(`"y",`, 300_000)+`1]}`))
		if got.Kind != sidecar.Forward {
			t.Errorf("%s %s", got.Kind, got.Body)
		}
	}
	if n := d.Seen.Uncompilable(); n != 1 {
		t.Errorf("counted %d times, want once for the tool", n)
	}
	said(t, decide(t, d, wire.Modern, inner("call_read_tool", "wide", `{"x":["y"]}`)), true)
}

func TestAHugeSchemaIsNotRepeatedInARefusal(t *testing.T) {
	long := `{"type":"object","properties":{"x":{"type":"integer","description":"` + strings.Repeat("d", 50_000) + `"}}}`
	d := open(t, func(*testdoor.Setup) {}, tool("long", "", long, readOnly))
	text := said(t, decide(t, d, wire.Modern, inner("call_read_tool", "long", `{"x":"no"}`)), true)
	mustSay(t, text, "x must be", "too long to repeat: see describe_tools")
	if len(text) > 2000 {
		t.Errorf("the refusal has %d bytes", len(text))
	}
}
