package sidecar_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

func TestAForwardedCallKeepsEveryOtherByte(t *testing.T) {
	d := open(t, nil, office()...)
	tests := map[string]struct{ body, want string }{
		"key order, white space, big numbers and escapes": {
			"{ \"id\" : 9007199254740991,\t\"params\":{\"_meta\" : {\"progressToken\":1.0e2, \"x\":\"\\u00e9\"}, \"arguments\":{\"arguments\":{ \"q\" : \"a\\u002fb\" },\"name\":\"mail_find\"}, \"name\":\"call_read_tool\" , \"requestState\":\"\\ud83d\\ude00\", \"inputResponses\":{\"a\":[1.0]}},\n\"jsonrpc\":\"2.0\",\"method\":\"tools/call\" }",
			"{ \"id\" : 9007199254740991,\t\"params\":{\"_meta\" : {\"progressToken\":1.0e2, \"x\":\"\\u00e9\"}, \"arguments\":{ \"q\" : \"a\\u002fb\" }, \"name\":\"mail_find\" , \"requestState\":\"\\ud83d\\ude00\", \"inputResponses\":{\"a\":[1.0]}},\n\"jsonrpc\":\"2.0\",\"method\":\"tools/call\" }",
		},
		"a name with escapes is the same name": {
			`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"call\u005fread_tool","arguments":{"name":"mail\u005ffind"}}}`,
			`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"mail_find","arguments":{}}}`,
		},
		"keys beside name and arguments are not forwarded": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_read_tool","arguments":{"why":"curious","name":"mail_find","arguments":{"q":"x"},"server":"mail"}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mail_find","arguments":{"q":"x"}}}`,
		},
		"null arguments become an empty object": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_read_tool","arguments":{"name":"mail_find","arguments":null}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mail_find","arguments":{}}}`,
		},
		"arguments_json is decoded once": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_read_tool","arguments":{"name":"mail_find","arguments_json":"{\"q\":\"{}\"}"}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mail_find","arguments":{"q":"{}"}}}`,
		},
		"a read tool runs through the write door": {
			inner("call_write_tool", "mail_find", `{"q":"x"}`), call("mail_find", `{"q":"x"}`),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := decide(t, d, wire.Legacy, list, raw(tt.body))
			if got.Kind != sidecar.Forward || string(got.NewBody) != tt.want {
				t.Errorf("%s\n%s\nwant\n%s", got.Kind, got.NewBody, tt.want)
			}
		})
	}
}

func TestAForwardedCallSaysWhatItIs(t *testing.T) {
	d := open(t, nil, append(office(), tool("ūkas", "A name that is not ASCII.", "", readOnly),
		tool("db_query", "With headers.", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"page":{"type":"integer","x-mcp-header":"Page"}}}`, readOnly))...)
	tests := map[string]struct {
		era     wire.Era
		body    string
		headers map[string]string // inbound
		set     http.Header
		removed []string
	}{
		"modern":                         {wire.Modern, inner("call_read_tool", "mail_find", `{}`), nil, http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {"mail_find"}}, []string{"Accept-Encoding"}},
		"a name that is not header-safe": {wire.Modern, inner("call_read_tool", "ūkas", `{}`), nil, http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {wire.EncodeValue("ūkas")}}, []string{"Accept-Encoding"}},
		"inbound parameter headers go": {wire.Modern, inner("call_read_tool", "mail_find", `{}`), map[string]string{"Mcp-Param-Region": "eu", "Mcp-Param-X": "y", "Content-Type": "text/plain; charset=utf-8"},
			http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {"mail_find"}}, []string{"Accept-Encoding", "Mcp-Param-Region", "Mcp-Param-X"}},
		"the target's parameter headers come": {wire.Modern, inner("call_read_tool", "db_query", `{"region":"šiaurė","page":7}`), map[string]string{"Mcp-Param-Region": wire.EncodeValue("šiaurė"), "Mcp-Param-X": "y"},
			http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {"db_query"}, "Mcp-Param-Region": {wire.EncodeValue("šiaurė")}, "Mcp-Param-Page": {"7"}}, []string{"Accept-Encoding", "Mcp-Param-X"}},
		"legacy headers that lie are overwritten": {wire.Legacy, inner("call_read_tool", "mail_find", `{}`), map[string]string{"Mcp-Method": "ping", "Mcp-Name": "mail_purge", "Mcp_name": "mail_purge", "Mcp_param_x": "1"},
			http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {"mail_find"}}, []string{"Accept-Encoding", "Mcp_name", "Mcp_param_x"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := decide(t, d, tt.era, tt.body, func(r *sidecar.Request) {
				for name, value := range tt.headers {
					r.Header[name] = []string{value}
				}
			})
			if got.Kind != sidecar.Forward {
				t.Fatalf("%s %s", got.Kind, got.Body)
			}
			slices.Sort(got.RemoveHeader)
			tt.set.Set("Content-Type", "application/json") // whatever the client called it
			if !sameHeader(got.SetHeader, tt.set) || !slices.Equal(got.RemoveHeader, tt.removed) {
				t.Errorf("set %v, removed %v; want %v, %v", got.SetHeader, got.RemoveHeader, tt.set, tt.removed)
			}
		})
	}
}

func TestParameterHeadersMustNotContradictTheArguments(t *testing.T) {
	d := open(t, nil, tool("db_query", "", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"page":{"type":"integer","x-mcp-header":"Page"}}}`, readOnly))
	body := inner("call_read_tool", "db_query", `{"region":"eu"}`)
	tests := map[string]struct {
		change  func(*sidecar.Request)
		refused bool
	}{
		"the same value":               {set("Mcp-Param-Region", "eu"), false},
		"the same value in Base64":     {set("Mcp-Param-Region", "=?base64?ZXU=?="), false},
		"one that nobody declares":     {set("Mcp-Param-Other", "x"), false},
		"another value":                {set("Mcp-Param-Region", "us"), true},
		"the same value twice":         {set("Mcp-Param-Region", "eu", "eu"), true},
		"broken Base64":                {set("Mcp-Param-Region", "=?base64?*?="), true},
		"one whose argument is absent": {set("Mcp-Param-Page", "7"), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := decide(t, d, wire.Modern, body, tt.change)
			if !tt.refused {
				if got.Kind != sidecar.Forward || got.SetHeader.Get("Mcp-Param-Region") != "eu" {
					t.Errorf("%s %v %s", got.Kind, got.SetHeader, got.Body)
				}
				return
			}
			if a := read(t, got); a.Error == nil || a.Error.Code != wire.CodeHeaderMismatch || got.Status != http.StatusBadRequest {
				t.Errorf("%d %s", got.Status, got.Body)
			}
			if legacy := decide(t, d, wire.Legacy, body, tt.change); legacy.Kind != sidecar.Forward {
				t.Errorf("a legacy header decided: %s", legacy.Body)
			}
		})
	}
}

func sameHeader(a, b http.Header) bool {
	if len(a) != len(b) {
		return false
	}
	for name := range a {
		if !slices.Equal(a[name], b[name]) {
			return false
		}
	}
	return true
}

func TestWhereARequestGoes(t *testing.T) {
	read := inner("call_read_tool", "mail_find", `{}`)
	tests := map[string]struct {
		keep bool
		path string
		want string
	}{
		"to the aggregate route":                       {false, testdoor.SearchPath, testdoor.AggregatePath},
		"with its query":                               {false, testdoor.SearchPath + "?a=%2F&b", testdoor.AggregatePath + "?a=%2F&b"},
		"nowhere else when the gateway can't re-route": {true, testdoor.SearchPath + "?a", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := open(t, func(s *testdoor.Setup) { s.Engine.KeepRoute = tt.keep }, office()...)
			for _, body := range []string{read, `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`} {
				if got := decide(t, d, wire.Modern, body, func(r *sidecar.Request) { r.Path = tt.path }); got.Path != tt.want {
					t.Errorf("path %q, want %q", got.Path, tt.want)
				}
			}
		})
	}
}

func TestArgumentsThatAreTooLongForHeadersAreRefused(t *testing.T) {
	d := open(t, nil, tool("db_query", "", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`, readOnly), tool(strings.Repeat("n", 7000), "", "", readOnly))
	fits, long := strings.Repeat("x", 5000), strings.Repeat("x", 6001)
	if got := decide(t, d, wire.Modern, inner("call_read_tool", "db_query", `{"region":"`+fits+`"}`)); got.Kind != sidecar.Forward {
		t.Errorf("5,000 bytes were refused: %.200s", got.Body)
	}
	mustSay(t, said(t, decide(t, d, wire.Modern, inner("call_read_tool", "db_query", `{"region":"`+long+`"}`)), true), "was not run", "region", "at most 6000 bytes")
	said(t, decide(t, d, wire.Modern, inner("call_read_tool", strings.Repeat("n", 7000), `{}`)), true)
}
