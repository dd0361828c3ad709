package sidecar_test

import (
	"fmt"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// TestArgumentsBesideTheNameAreNeverLost: a tool that takes nothing, or anything, must not run with nothing when it was
// given something in the wrong place.
func TestArgumentsBesideTheNameAreNeverLost(t *testing.T) {
	taking := `{"type":"object","properties":{"q":{"type":"string"},"_id":{"type":"string"},"toolCallId":{"type":"string"}}}`
	d := open(t, nil, tool("mail_purge", "", "", ""), tool("mail_wipe", "", taking, ""), tool("mail_count", "", "", readOnly), tool("mail_find", "", taking, readOnly))
	twins := map[string]string{"mail_purge": "mail_count", "mail_wipe": "mail_find"} // which take the same
	tests := map[string]struct {
		tool, beside string
		stray        []string // none: it runs
	}{
		"a value":                             {"mail_purge", `"q":"inbox"`, []string{"q"}},
		"an object":                           {"mail_purge", `"options":{"q":"inbox"}`, []string{"options"}},
		"a body":                              {"mail_purge", `"body":{"q":"inbox"}`, []string{"body"}},
		"kwargs":                              {"mail_purge", `"kwargs":{"q":"inbox"}`, []string{"kwargs"}},
		"false and zero":                      {"mail_purge", `"all":false,"n":0`, []string{"all", "n"}},
		"beside null arguments":               {"mail_purge", `"arguments":null,"q":"inbox"`, []string{"q"}},
		"beside empty arguments":              {"mail_purge", `"arguments":{ },"q":"inbox"`, []string{"q"}},
		"beside empty arguments as text":      {"mail_purge", `"arguments":"{}","q":"inbox"`, []string{"q"}},
		"beside an empty arguments_json":      {"mail_purge", `"arguments_json":"","q":"inbox"`, []string{"q"}},
		"beside an arguments_json of {}":      {"mail_purge", `"arguments_json":" {}","q":"inbox"`, []string{"q"}},
		"beside what a client adds":           {"mail_purge", `"toolCallId":"c1","q":"inbox"`, []string{"q"}},
		"a client's key that the tool takes":  {"mail_wipe", `"toolCallId":"c1"`, []string{"toolCallId"}},
		"an underscore that the tool takes":   {"mail_wipe", `"_id":"7"`, []string{"_id"}},
		"what a client adds":                  {"mail_purge", `"toolCallId":"c1","_meta":{"a":1}`, nil},
		"what a client adds, with arguments":  {"mail_wipe", `"toolCallId":"c1","arguments":{"q":"x"}`, nil},
		"null says nothing":                   {"mail_purge", `"q":null`, nil},
		"what the tool takes, beside others":  {"mail_wipe", `"arguments":{"other":"y"},"q":"inbox"`, []string{"q"}},
		"what the arguments hold already":     {"mail_wipe", `"arguments":{"q":"x"},"q":"other"`, nil},
		"beside arguments that hold one":      {"mail_wipe", `"arguments":{"q":"x"},"other":"y"`, nil},
		"beside an arguments_json that holds": {"mail_wipe", `"arguments_json":"{\"q\":\"x\"}","other":"y"`, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := decide(t, d, wire.Modern, call("call_write_tool", fmt.Sprintf(`{"name":%q,%s}`, tt.tool, tt.beside)))
			d.Upstream.Reset()
			batch := decide(t, d, wire.Modern, call("call_read_tools", fmt.Sprintf(`{"calls":[{"name":%q,%s}]}`, twins[tt.tool], tt.beside)))
			ran := len(d.Upstream.RequestsOf("tools/call"))
			if tt.stray == nil {
				if got.Kind != sidecar.Forward || strings.Contains(string(got.NewBody), "other") || strings.Contains(string(got.NewBody), "toolCallId") || ran != 1 {
					t.Errorf("%s %s%s; %d items ran: %s", got.Kind, got.NewBody, got.Body, ran, batch.Body)
				}
				return
			}
			text := said(t, got, true)
			mustSay(t, text, tt.tool+" was not run", `go into "arguments", not beside "name" ("`+strings.Join(tt.stray, `", "`)+`")`, `{"name":"`+tt.tool+`","arguments":{...}}`, "Input schema of "+tt.tool)
			if strings.Contains(text, "inbox") {
				t.Errorf("the refusal repeats a value: %s", text)
			}
			mustSay(t, said(t, batch, true), "[1] "+twins[tt.tool]+": refused: "+twins[tt.tool]+" was not run: its arguments go into")
			if ran != 0 {
				t.Errorf("%d items ran", ran)
			}
		})
	}
}

func TestARefusalNamesAFewOfTheKeysOnly(t *testing.T) {
	d := open(t, nil, tool("mail_purge", "", "", ""))
	keys := make([]string, 900)
	for i := range keys {
		keys[i] = fmt.Sprintf(`"k%03d":1`, i)
	}
	text := said(t, decide(t, d, wire.Legacy, call("call_write_tool", `{"name":"mail_purge",`+strings.Join(keys, ",")+`}`)), true)
	mustSay(t, text, `("k000", "k001", "k002", "k003", "k004", …)`)
	if len(text) > 1000 {
		t.Errorf("%d bytes", len(text))
	}
}
