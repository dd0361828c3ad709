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

// TestModernHeadersMustTellTheTruth: on all that is answered or rewritten here, before anything else.
func TestModernHeadersMustTellTheTruth(t *testing.T) {
	d := open(t, nil, office()...)
	write := inner("call_write_tool", "mail_purge", `{"folder":"x"}`)
	tests := map[string]struct {
		body   string
		change func(*sidecar.Request)
		code   int
		reason string
	}{
		"Mcp-Method of a ping on a write":        {write, set("Mcp-Method", "ping"), wire.CodeHeaderMismatch, "header_mismatch"},
		"Mcp-Method in another case":             {write, set("Mcp-Method", "TOOLS/CALL"), wire.CodeHeaderMismatch, "header_mismatch"},
		"no Mcp-Method":                          {write, set("Mcp-Method"), wire.CodeHeaderMismatch, "header_missing"},
		"Mcp-Method twice":                       {write, set("Mcp-Method", "tools/call", "tools/call"), wire.CodeHeaderMismatch, "header_repeated"},
		"Mcp-Name of a read tool on a write":     {write, set("Mcp-Name", "mail_find"), wire.CodeHeaderMismatch, "header_mismatch"},
		"Mcp-Name of the inner tool":             {write, set("Mcp-Name", "mail_purge"), wire.CodeHeaderMismatch, "header_mismatch"},
		"no Mcp-Name":                            {write, set("Mcp-Name"), wire.CodeHeaderMismatch, "header_missing"},
		"Mcp-Name twice":                         {write, set("Mcp-Name", "call_write_tool", "mail_find"), wire.CodeHeaderMismatch, "header_repeated"},
		"Mcp-Name of broken Base64":              {write, set("Mcp-Name", "=?base64?*?="), wire.CodeHeaderMismatch, "header_malformed"},
		"Mcp-Name with an underscore":            {write, func(r *sidecar.Request) { r.Header["Mcp_name"] = []string{"mail_find"} }, wire.CodeHeaderMismatch, "header_spelling"},
		"the version twice":                      {write, set("Mcp-Protocol-Version", "2026-07-28", "2025-11-25"), wire.CodeHeaderMismatch, "header_repeated"},
		"the version as a list":                  {write, set("Mcp-Protocol-Version", "2026-07-28, 2025-11-25"), wire.CodeHeaderMismatch, "header_repeated"},
		"a version that isn't in _meta":          {write, set("Mcp-Protocol-Version", "2025-11-25"), wire.CodeHeaderMismatch, "header_mismatch"},
		"a modern body without the header":       {write, set("Mcp-Protocol-Version"), wire.CodeHeaderMismatch, "header_mismatch"},
		"a version of the future":                {write, set("Mcp-Protocol-Version", "2099-01-01"), wire.CodeUnsupportedVersion, "unsupported_version"},
		"a version that is none":                 {write, set("Mcp-Protocol-Version", "newest"), wire.CodeUnsupportedVersion, "unsupported_version"},
		"no _meta":                               {write, raw(write), wire.CodeInvalidParams, "missing_meta"},
		"the list of tools under another's name": {list, set("Mcp-Method", "prompts/list"), wire.CodeHeaderMismatch, "header_mismatch"},
		"a direct call under another's name":     {call("mail_find", `{}`), set("Mcp-Name", "call_read_tool"), wire.CodeHeaderMismatch, "header_mismatch"},
		"a search under another's name":          {call("search_tools", `{"query":"x"}`), set("Mcp-Name", "x"), wire.CodeHeaderMismatch, "header_mismatch"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d.Upstream.Reset()
			got := decide(t, d, wire.Modern, tt.body, tt.change)
			a := read(t, got)
			if got.Status != http.StatusBadRequest || a.Error == nil || a.Error.Code != tt.code || got.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%d %v %s, want 400 and %d", got.Status, got.Header, got.Body, tt.code)
			}
			if l := d.Seen.Last(); l.Reason != tt.reason || l.Outcome != "fault" {
				t.Errorf("labels %+v, want %s", l, tt.reason)
			}
			if n := len(d.Upstream.Requests()); n != 0 {
				t.Errorf("%d requests reached the upstream", n)
			}
		})
	}
	encoded := decide(t, d, wire.Modern, write, set("Mcp-Name", "=?base64?Y2FsbF93cml0ZV90b29s?="))
	if encoded.Kind != sidecar.Forward {
		t.Errorf("a Base64 name is refused: %s", encoded.Body)
	}
	a := read(t, decide(t, d, wire.Modern, list, set("Mcp-Protocol-Version", "2099-01-01")))
	mustSay(t, string(a.Error.Data), `"supported":["2026-07-28","2025-11-25"`, `"requested":"2099-01-01"`)
}

// TestLegacyHeadersDecideNothing: the body alone does, and the modern headers don't reach the upstream.
func TestLegacyHeadersDecideNothing(t *testing.T) {
	d := open(t, nil, office()...)
	lies := []func(*sidecar.Request){set("Mcp-Method", "ping"), set("Mcp-Name", "mail_find"), set("Mcp-Param-Region", "eu"), func(r *sidecar.Request) { r.Header["Mcp_method"] = []string{"ping"} }}
	for _, version := range []string{"", "2025-03-26", "2025-06-18", "2025-11-25"} {
		change := append(lies, set("Mcp-Protocol-Version", version))
		if version == "" {
			change[len(change)-1] = set("Mcp-Protocol-Version")
		}
		said(t, decide(t, d, wire.Legacy, inner("call_read_tool", "mail_purge", `{"folder":"x"}`), change...), true)
		if got := decide(t, d, wire.Legacy, inner("call_write_tool", "mail_purge", `{"folder":"x"}`), change...); got.SetHeader.Get("Mcp-Name") != "mail_purge" || got.SetHeader.Get("Mcp-Method") != "tools/call" {
			t.Errorf("version %q: headers %v", version, got.SetHeader)
		}
		relayed := decide(t, d, wire.Legacy, `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, change...)
		if want := []string{"Mcp-Method", "Mcp-Name", "Mcp-Param-Region", "Mcp_method"}; !slices.Equal(relayed.RemoveHeader, want) || len(relayed.SetHeader) != 0 {
			t.Errorf("version %q: a relayed request loses %q and gets %v, want %q", version, relayed.RemoveHeader, relayed.SetHeader, want)
		}
	}
	if got := decide(t, d, wire.Legacy, list, set("Mcp-Protocol-Version", "2024-10-07")); got.Status != http.StatusBadRequest {
		t.Errorf("an unknown version got %d", got.Status)
	}
}

func TestEverythingElseIsRelayedUntouched(t *testing.T) {
	d := open(t, nil, office()...)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"mail_find","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/later"}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`,
	} {
		bothEras(t, func(t *testing.T, era wire.Era) {
			got := decide(t, d, era, list, raw(body))
			if got.Kind != sidecar.Pass || got.NewBody != nil || len(got.SetHeader) > 0 || got.Path != testdoor.AggregatePath {
				t.Errorf("%s: %s, set %v, body %s", body, got.Kind, got.SetHeader, got.NewBody)
			}
			if era == wire.Modern && len(got.RemoveHeader) > 0 {
				t.Errorf("%s: loses %q", body, got.RemoveHeader)
			}
		})
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete, http.MethodOptions, http.MethodHead} {
		got, ok := d.Engine.DecideHeaders(t.Context(), sidecar.Request{Method: method, Path: testdoor.SearchPath}, false)
		if !ok || got.Kind != sidecar.Pass || got.Path != testdoor.AggregatePath {
			t.Errorf("%s: %t %s", method, ok, got.Kind)
		}
	}
	if n := len(d.Upstream.Requests()); n != 0 {
		t.Errorf("relaying made %d requests of our own", n)
	}
}

func TestEveryBodyIsSeen(t *testing.T) {
	d := open(t, nil, office()...)
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		for _, h := range []http.Header{nil, {"Mcp-Method": {"ping"}}, {"Content-Length": {"0"}}, {"Content-Type": {"text/plain"}}} {
			if _, ok := d.Engine.DecideHeaders(t.Context(), sidecar.Request{Method: method, Path: testdoor.SearchPath, Header: h}, true); ok {
				t.Errorf("%s %v with a body was decided without it", method, h)
			}
		}
	}
	got := decide(t, d, wire.Legacy, inner("call_write_tool", "clock_set", `{}`), func(r *sidecar.Request) { r.Method = http.MethodGet })
	if got.Status != http.StatusMethodNotAllowed || got.Header.Get("Allow") != "POST" {
		t.Errorf("a GET with a body: %s %d", got.Kind, got.Status)
	}
	for _, codings := range [][]string{{"gzip"}, {"identity", "br"}, {"identity, deflate"}, {"GZIP"}} {
		if got := decide(t, d, wire.Legacy, list, set("Content-Encoding", codings...)); got.Status != http.StatusUnsupportedMediaType {
			t.Errorf("content-encoding %q: %d", codings, got.Status)
		}
	}
	if got := decide(t, d, wire.Legacy, list, set("Content-Encoding", "Identity")); got.Status != http.StatusOK {
		t.Errorf("identity: %d", got.Status)
	}
}

func TestABatchArrayIsRelayedOnlyWhereItExistsAndHoldsNothingOfOurs(t *testing.T) {
	d := open(t, nil, office()...)
	ping, note := `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	tests := map[string]struct {
		era     wire.Era
		version string
		body    string
		relayed bool
	}{
		"in 2025-03-26":          {wire.Legacy, "2025-03-26", "[" + ping + "," + note + "]", true},
		"without a version":      {wire.Legacy, "", "[" + ping + "]", true},
		"in 2025-06-18":          {wire.Legacy, "2025-06-18", "[" + ping + "]", false},
		"in the modern era":      {wire.Modern, "2026-07-28", "[" + ping + "]", false},
		"with tools/list":        {wire.Legacy, "2025-03-26", "[" + ping + "," + list + "]", false},
		"with tools/call":        {wire.Legacy, "2025-03-26", "[" + inner("call_write_tool", "clock_set", `{}`) + "]", false},
		"with initialize":        {wire.Legacy, "2025-03-26", "[" + initialize + "]", false},
		"with an empty array":    {wire.Legacy, "2025-03-26", "[]", false},
		"with an array":          {wire.Legacy, "2025-03-26", "[[" + ping + "]]", false},
		"with a list in escapes": {wire.Legacy, "2025-03-26", `[{"jsonrpc":"2.0","id":1,"method":"tools\u002flist"}]`, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			change := set("Mcp-Protocol-Version", tt.version)
			if tt.version == "" {
				change = set("Mcp-Protocol-Version")
			}
			got := decide(t, d, tt.era, list, raw(tt.body), change)
			if (got.Kind == sidecar.Pass) != tt.relayed {
				t.Errorf("%s %s", got.Kind, got.Body)
			}
			if !tt.relayed {
				if a := read(t, got); a.Error == nil || a.Error.Code != wire.CodeInvalidRequest || got.Status != http.StatusBadRequest {
					t.Errorf("%d %s", got.Status, got.Body)
				}
			}
		})
	}
}

// TestNothingGetsPastTheScan: what the strict scan refuses reaches neither our rules nor an upstream.
func TestNothingGetsPastTheScan(t *testing.T) {
	d := open(t, nil, office()...)
	write := inner("call_write_tool", "clock_set", `{}`)
	for name, body := range map[string]string{
		"a method twice":           strings.Replace(write, `"method"`, `"method":"ping","method"`, 1),
		"a method in another case": strings.Replace(write, `"method"`, `"Method":"ping","method"`, 1),
		"a name twice":             strings.Replace(write, `"name"`, `"name":"search_tools","name"`, 1),
		"an escaped name twice":    strings.Replace(write, `"name"`, `"n\u0061me":"search_tools","name"`, 1),
		"a folded name":            strings.Replace(write, `"name"`, `"Name":"search_tools","name"`, 1),
		"a name with a NUL":        strings.Replace(write, `"name"`, `"name\u0000x":"search_tools","name"`, 1),
		"a name twice inside":      strings.Replace(write, `"clock_set"`, `"mail_find","name":"clock_set"`, 1),
		"data after the end":       write + write,
		"a call without an id":     strings.Replace(write, `"id":1,`, ``, 1),
		"a fractional id":          strings.Replace(write, `"id":1,`, `"id":1.5,`, 1),
		"a byte order mark":        "\xef\xbb\xbf" + write,
		"invalid UTF-8":            strings.Replace(write, `clock_set`, "clock_set\xff", 1),
		"params as an array":       `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["call_write_tool"]}`,
		"arguments too deep":       call("call_write_tool", `{"name":"clock_set","arguments":`+strings.Repeat(`{"a":`, 300)+"1"+strings.Repeat("}", 300)+`}`),
		"too large":                strings.Replace(write, `clock_set`, strings.Repeat("x", 5<<20), 1),
	} {
		t.Run(name, func(t *testing.T) {
			bothEras(t, func(t *testing.T, era wire.Era) {
				d.Upstream.Reset()
				got := decide(t, d, era, list, raw(body))
				if a := read(t, got); a.Error == nil || got.Status < 400 {
					t.Errorf("%d %.300s", got.Status, got.Body)
				}
				if n := len(d.Upstream.Requests()); n != 0 {
					t.Errorf("%d requests reached the upstream", n)
				}
			})
		})
	}
}
