package wire_test

import (
	"net/http"
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

const goodMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// header makes a header of name, value pairs, spelled as given.
func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h[pairs[i]] = append(h[pairs[i]], pairs[i+1])
	}
	return h
}

// modern is a header of the modern era with more pairs.
func modern(method string, pairs ...string) http.Header {
	return header(append([]string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method}, pairs...)...)
}

func TestCheckHeaders(t *testing.T) {
	t.Parallel()
	named := call(`{"name":"naïve",` + goodMeta + `}`)
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + goodMeta + `}}`
	request := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `,` + goodMeta + `}}`
	}
	cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	tests := []struct {
		name   string
		header http.Header
		body   string
		reason string
	}{
		{"a true header passes", modern("tools/list"), list, ""},
		{"white space around values is trimmed", header("Mcp-Protocol-Version", " 2026-07-28\t", "Mcp-Method", "\ttools/list "), list, ""},
		{"header names are spelled in any case", header("mcp-protocol-version", "2026-07-28", "MCP-METHOD", "tools/list"), list, ""},
		{"a name in raw UTF-8 passes", modern("tools/call", "Mcp-Name", "naïve"), named, ""},
		{"a name in Base64 passes", modern("tools/call", "Mcp-Name", "=?base64?bmHDr3Zl?="), named, ""},
		{"a name on a method without one is ignored", modern("tools/list", "Mcp-Name", "x"), list, ""},
		{"a call without a name at all is for others to refuse", modern("tools/call"), request("tools/call", `"arguments":{}`), ""},
		{"a uri is the name of a resource", modern("resources/read", "Mcp-Name", "a:b"), request("resources/read", `"uri":"a:b","name":"x"`), ""},
		{"a task id is the name of a task", modern("tasks/get", "Mcp-Name", "t1"), request("tasks/get", `"taskId":"t1"`), ""},
		{"a notification needs no method header", header("Mcp-Protocol-Version", "2026-07-28"), cancelled, ""},
		{"a notification may have one", modern("notifications/cancelled"), cancelled, ""},
		{"a response needs the version only", header("Mcp-Protocol-Version", "2026-07-28"), `{"jsonrpc":"2.0","id":1,"result":{}}`, ""},

		{"a missing version", header("Mcp-Method", "tools/list"), list, "header_missing"},
		{"a missing method", header("Mcp-Protocol-Version", "2026-07-28"), list, "header_missing"},
		{"a missing name", modern("tools/call"), named, "header_missing"},
		{"an empty name", modern("tools/call", "Mcp-Name", ""), named, "header_mismatch"},
		{"a repeated version", modern("tools/list", "Mcp-Protocol-Version", "2026-07-28"), list, "header_repeated"},
		{"a repeated method", modern("tools/list", "Mcp-Method", "tools/list"), list, "header_repeated"},
		{"a repeated name, though equal", modern("tools/call", "Mcp-Name", "naïve", "Mcp-Name", "naïve"), named, "header_repeated"},
		{"a name repeated in another case", modern("tools/call", "Mcp-Name", "naïve", "mcp-name", "fail"), named, "header_repeated"},
		{"a repeated name where none is needed", modern("tools/list", "Mcp-Name", "a", "Mcp-Name", "b"), list, "header_repeated"},
		{"a name spelled with an underscore", modern("tools/call", "Mcp-Name", "naïve", "Mcp_Name", "fail"), named, "header_spelling"},
		{"another version", header("Mcp-Protocol-Version", "2026-07-29", "Mcp-Method", "tools/list"), list, "header_mismatch"},
		{"another method", modern("tools/call"), list, "header_mismatch"},
		{"a method in another case", modern("Tools/List"), list, "header_mismatch"},
		{"a method in Base64", modern("=?base64?dG9vbHMvbGlzdA==?="), list, "header_mismatch"},
		{"another name", modern("tools/call", "Mcp-Name", "naive"), named, "header_mismatch"},
		{"a name in another case", modern("tools/call", "Mcp-Name", "NAÏVE"), named, "header_mismatch"},
		{"a joined name", modern("tools/call", "Mcp-Name", "naïve,naïve"), named, "header_mismatch"},
		{"a name in broken Base64", modern("tools/call", "Mcp-Name", "=?base64?!?="), named, "header_malformed"},
		{"a name in Base64 with loose bits", modern("tools/call", "Mcp-Name", "=?base64?bmHDr3Zm?="), named, "header_mismatch"},
		{"a name the body lacks", modern("tools/call", "Mcp-Name", "x"), request("tools/call", `"arguments":{}`), "header_mismatch"},
		{"a name the body has as a number", modern("tools/call", "Mcp-Name", "5"), request("tools/call", `"name":5`), "header_mismatch"},
		{"the tool's name for a resource", modern("resources/read", "Mcp-Name", "x"), request("resources/read", `"uri":"a:b","name":"x"`), "header_mismatch"},
		{"another task", modern("tasks/cancel", "Mcp-Name", "t2"), request("tasks/cancel", `"taskId":"t1"`), "header_mismatch"},
		{"a lying notification", modern("notifications/other"), cancelled, "header_mismatch"},
		{"no _meta", modern("tools/list"), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "missing_meta"},
		{"no version in _meta", modern("tools/list"), `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}}`, "missing_meta"},
		{"capabilities that are no object", modern("tools/list"), `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":null}}}`, "missing_meta"},
		{"a wrong method comes before a missing _meta", modern("tools/call"), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "header_mismatch"},
		{"a batch", modern("tools/list"), `[` + list + `]`, "batch"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := scan(t, tt.body)
			checkFault(t, wire.CheckHeaders(tt.header, m), tt.reason, m)
		})
	}
}

func checkFault(t *testing.T, fault *wire.Fault, reason string, m *wire.Message) {
	t.Helper()
	if reason == "" {
		if fault != nil {
			t.Errorf("got %v, want it to pass", fault)
		}
		return
	}
	if fault == nil || fault.Reason != reason {
		t.Fatalf("got %v, want %s", fault, reason)
	}
	code := map[string]int{"missing_meta": wire.CodeInvalidParams, "batch": wire.CodeInvalidRequest}[reason]
	if code == 0 {
		code = wire.CodeHeaderMismatch
	}
	if fault.Code != code || fault.Status != 400 || string(fault.ID) != string(m.ID) {
		t.Errorf("got code %d, status %d, id %s, want %d, 400, %s", fault.Code, fault.Status, fault.ID, code, m.ID)
	}
}

func TestEraOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		header  http.Header
		era     wire.Era
		version string
		reason  string
	}{
		{"no header is legacy", header(), wire.Legacy, "", ""},
		{"an empty header is legacy", header("Mcp-Protocol-Version", " "), wire.Legacy, "", ""},
		{"2025-11-25 is legacy", header("Mcp-Protocol-Version", "2025-11-25"), wire.Legacy, "2025-11-25", ""},
		{"an unknown old version is legacy", header("Mcp-Protocol-Version", "2020-01-01"), wire.Legacy, "2020-01-01", ""},
		{"2026-07-28 is modern", header("mcp-protocol-version", " 2026-07-28 "), wire.Modern, "2026-07-28", ""},
		{"a later version is modern", header("Mcp-Protocol-Version", "2099-01-01"), wire.Modern, "2099-01-01", ""},
		{"two headers are refused", header("Mcp-Protocol-Version", "2025-11-25", "Mcp-Protocol-Version", "2026-07-28"), 0, "", "header_repeated"},
		{"two spellings are refused", header("Mcp-Protocol-Version", "2025-11-25", "mcp-protocol-version", "2025-11-25"), 0, "", "header_repeated"},
		{"two joined headers are refused", header("Mcp-Protocol-Version", "2025-11-25,2026-07-28"), 0, "", "header_repeated"},
		{"underscores are refused", header("mcp_protocol_version", "2026-07-28"), 0, "", "header_spelling"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			era, version, fault := wire.EraOf(tt.header)
			if era != tt.era || version != tt.version {
				t.Errorf("got %v %q, want %v %q", era, version, tt.era, tt.version)
			}
			checkFault(t, fault, tt.reason, &wire.Message{})
		})
	}
	if got := wire.Legacy.String() + " " + wire.Modern.String(); got != "legacy modern" {
		t.Errorf("the eras are called %q", got)
	}
}

func TestCheckEra(t *testing.T) {
	t.Parallel()
	two := call(`{"name":"a",` + goodMeta + `}`)
	old := call(`{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}}`)
	tests := []struct {
		name, body string
		era        wire.Era
		reason     string
	}{
		{"a modern message under a modern header", two, wire.Modern, ""},
		{"a modern message under a legacy header", two, wire.Legacy, "header_mismatch"},
		{"a legacy version in _meta", old, wire.Legacy, ""},
		{"no _meta", call(`{"name":"a"}`), wire.Legacy, ""},
		{"a modern message in a batch", `[` + old + `,` + two + `]`, wire.Legacy, "header_mismatch"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := scan(t, tt.body)
			checkFault(t, wire.CheckEra(tt.era, m), tt.reason, m)
		})
	}
}

func TestCheckEncoding(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		header http.Header
		reason string
	}{
		{"JSON", header("Content-Type", "application/json"), ""},
		{"JSON in UTF-8", header("Content-Type", `application/json; charset="UTF-8"`), ""},
		{"no type", header(), ""},
		{"another type is the server's to refuse", header("Content-Type", "text/plain"), ""},
		{"identity", header("Content-Encoding", " identity "), ""},
		{"gzip", header("Content-Encoding", "gzip"), "content_encoding"},
		{"gzip behind identity", header("Content-Encoding", "identity", "content-encoding", "gzip"), "content_encoding"},
		{"UTF-7", header("Content-Type", "application/json; charset=utf-7"), "charset"},
		{"Latin-1", header("Content-Type", "application/json;CHARSET=iso-8859-1"), "charset"},
		{"two charsets", header("Content-Type", "application/json; charset=utf-8; charset=utf-7"), "charset"},
		{"a second type", header("Content-Type", "application/json", "content-type", "a/b;charset=utf-16"), "charset"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fault := wire.CheckEncoding(tt.header)
			switch {
			case tt.reason == "" && fault != nil:
				t.Errorf("got %v, want it to pass", fault)
			case tt.reason != "" && (fault == nil || fault.Reason != tt.reason || fault.StatusFor(wire.Legacy) != 415):
				t.Errorf("got %v, want %s with 415", fault, tt.reason)
			}
		})
	}
}

func TestEncodeValue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{ // the first five are the spec's own examples
		"us-west1":             "us-west1",
		"Hello, 世界":            "=?base64?SGVsbG8sIOS4lueVjA==?=",
		" padded ":             "=?base64?IHBhZGRlZCA=?=",
		"line1\nline2":         "=?base64?bGluZTEKbGluZTI=?=",
		"=?base64?literal?=":   "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
		"=?base64?=":           "=?base64?PT9iYXNlNjQ/PQ==?=",
		"=?BASE64?literal?=":   "=?BASE64?literal?=",
		"a b!~":                "a b!~",
		"":                     "=?base64??=",
		"a\tb":                 "=?base64?YQli?=",
		"\x7f":                 "=?base64?fw==?=",
		"a\r\nX-Injected: yes": "=?base64?YQ0KWC1JbmplY3RlZDogeWVz?=",
	} {
		got := wire.EncodeValue(text)
		if got != want {
			t.Errorf("EncodeValue(%q) = %q, want %q", text, got, want)
		}
		if back, ok := wire.DecodeValue(got); !ok || back != text {
			t.Errorf("DecodeValue(%q) = %q, %v, want %q", got, back, ok, text)
		}
	}
}

func TestDecodeValueRefusesAmbiguity(t *testing.T) {
	t.Parallel()
	for _, v := range []string{"=?base64?YQ?=", "=?base64?YR==?=", "=?base64?YQ==\n?=", "=?base64?Y Q==?=", "=?base64?_-8=?=", "=?base64?/w==?=", "=?base64?YQ===?="} {
		if got, ok := wire.DecodeValue(v); ok {
			t.Errorf("DecodeValue(%q) = %q, want it refused", v, got)
		}
	}
	for _, v := range []string{"=?base64?YQ==", "base64?YQ==?=", "=?Base64?YQ==?=", "x=?base64?YQ==?=", "=?base64?="} {
		if got, ok := wire.DecodeValue(v); !ok || got != v {
			t.Errorf("DecodeValue(%q) = %q, %v, want it as it is", v, got, ok)
		}
	}
}
