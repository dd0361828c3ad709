package wire_test

import (
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

func scan(t testing.TB, body string) *wire.Message {
	t.Helper()
	m, fault := wire.Scan([]byte(body), wire.DefaultLimits())
	if fault != nil {
		t.Fatalf("Scan(%q): %v", body, fault)
	}
	return m
}

// call is a tools/call with these raw params.
func call(params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`
}

func TestScanReadsARequest(t *testing.T) {
	t.Parallel()
	m := scan(t, ` {"params" : {"arguments": {"a" : 1.0}, "_meta":{"progressToken": "p1","traceparent":"00-a-b-01",
		"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}}},
		"na\u006de" : "caf\u00e9", "cursor":"c", "uri":"u:1", "taskId":"t1", "vendor": [1]}, "method":"tools\/call", "id" : "x\u0031", "jsonrpc":"2.0"} `)
	got := map[string]string{
		"id": string(m.ID), "method": m.Method, "name": m.Name, "name token": string(m.NameAt.In(m.Body)), "uri": m.URI, "task": m.TaskID,
		"arguments": string(m.Arguments.In(m.Body)), "version": m.Meta.ProtocolVersion, "token": string(m.Meta.ProgressToken),
		"trace": m.Meta.Traceparent, "capabilities": string(m.Meta.ClientCapabilities.In(m.Body)),
	}
	want := map[string]string{
		"id": `"x\u0031"`, "method": "tools/call", "name": "café", "name token": `"caf\u00e9"`, "uri": "u:1", "task": "t1",
		"arguments": `{"a" : 1.0}`, "version": "2026-07-28", "token": `"p1"`, "trace": "00-a-b-01", "capabilities": `{"roots":{}}`,
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s = %q, want %q", k, got[k], v)
		}
	}
	if m.Kind != wire.Request || !m.HasName || !m.HasCursor || !m.Meta.HasClientCapabilities || !m.Meta.Modern() {
		t.Errorf("got %+v, want a modern request with name, cursor and capabilities", m)
	}
	if !wire.IsObject(m.Params.In(m.Body)) || !wire.IsObject(m.Meta.In(m.Body)) {
		t.Errorf("params %q or _meta %q is not cut at its braces", m.Params.In(m.Body), m.Meta.In(m.Body))
	}
}

func TestScanTellsKindsApart(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       wire.Kind
	}{
		{"a method with an id is a request", `{"jsonrpc":"2.0","id":"","method":"ping"}`, wire.Request},
		{"a method without an id is a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, wire.Notification},
		{"null params are no params", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}`, wire.Request},
		{"a result is a response", `{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}`, wire.Response},
		{"an error is a response", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`, wire.Response},
		{"a null result is a response", `{"jsonrpc":"2.0","id":1,"result":null}`, wire.Response},
		{"an array is a batch", `[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]`, wire.Batch},
		{"unknown members are let through", `{"jsonrpc":"2.0","id":1,"method":"x/y","vendor":{"a":[]},"params":{"level":"info"}}`, wire.Request},
		{"a look-alike deep in the arguments is an argument", call(`{"name":"a","arguments":{"Name":1,"METHOD":2,"meta":3}}`), wire.Request},
		{"the method of a notification may carry a name", `{"jsonrpc":"2.0","method":"notifications/x","params":{"name":"n"}}`, wire.Notification},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if m := scan(t, tt.body); m.Kind != tt.want {
				t.Errorf("kind = %d, want %d", m.Kind, tt.want)
			}
		})
	}
}

func TestScanLeavesOtherTypesAlone(t *testing.T) {
	t.Parallel()
	m := scan(t, call(`{"name":7,"arguments":null,"uri":[],"taskId":{},"cursor":null,"_meta":"x"}`))
	if m.HasName || m.Name != "" || !m.NameAt.Absent() || m.URI != "" || m.TaskID != "" || m.HasCursor || !m.Meta.Absent() {
		t.Errorf("got %+v, want none of the strings", m)
	}
	if got := string(m.Arguments.In(m.Body)); got != "null" {
		t.Errorf("arguments = %q, want null", got)
	}
	m = scan(t, call(`{"_meta":{"progressToken":null,"traceparent":1,"io.modelcontextprotocol/clientCapabilities":[],"io.modelcontextprotocol/protocolVersion":3}}`))
	if m.Meta.Absent() || m.Meta.ProgressToken != nil || m.Meta.HasClientCapabilities || !m.Meta.ClientCapabilities.Absent() || m.Meta.Modern() {
		t.Errorf("got %+v, want an object without its members", m.Meta)
	}
}

func TestScanIDs(t *testing.T) {
	t.Parallel()
	for _, id := range []string{`1`, `0`, `-1`, `9007199254740991`, `-9007199254740991`, `"1"`, `""`, `"\ud83d\ude00"`} {
		body := `{"jsonrpc":"2.0","method":"ping","id":` + id + `}`
		if got := string(scan(t, body).ID); got != id {
			t.Errorf("id = %s, want the token %s", got, id)
		}
	}
	for _, id := range []string{
		`null`, `true`, `1.0`, `1.5`, `1e2`, `1E0`, `-0`, `9007199254740992`, `-9007199254740992`, `18446744073709551617`,
		`123456789012345678901234567890`, `{}`, `[1]`, `[]`,
	} {
		body := `{"jsonrpc":"2.0","method":"ping","id":` + id + `}`
		_, fault := wire.Scan([]byte(body), wire.DefaultLimits())
		if fault == nil || fault.Reason != "invalid_id" || fault.Code != wire.CodeInvalidRequest || fault.ID != nil {
			t.Errorf("id %s: got %v, want it refused without an id to answer", id, fault)
		}
	}
}

func TestScanBatch(t *testing.T) {
	t.Parallel()
	m := scan(t, ` [ {"jsonrpc":"2.0","method":"a","params":{"x":1}} , {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"n","arguments":{"k":[1]}}} ]`)
	if len(m.Elements) != 2 || m.Elements[0].Kind != wire.Notification {
		t.Fatalf("got %d elements, want a notification and a call", len(m.Elements))
	}
	e := m.Elements[1]
	for what, got := range map[string][]byte{`2`: e.ID, `"n"`: e.NameAt.In(e.Body), `{"k":[1]}`: e.Arguments.In(e.Body)} {
		if string(got) != what {
			t.Errorf("got %s, want %s", got, what)
		}
	}
	if !strings.HasPrefix(string(e.Body), `{"jsonrpc"`) || !strings.HasSuffix(string(e.Body), `}}}`) {
		t.Errorf("the element's body is %s, want its own object", e.Body)
	}
	want := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"z","arguments":[]}}`
	if got := string(e.Rewrite("z", []byte("[]"))); got != want {
		t.Errorf("rewritten element = %s, want %s", got, want)
	}
}

func TestScanLimits(t *testing.T) {
	t.Parallel()
	nested := func(levels int) string {
		inner := levels - 2 // the message and its params
		return call(strings.Replace(`{"name":"a","arguments":A}`, "A", strings.Repeat("[", inner)+strings.Repeat("]", inner), 1))
	}
	exact := `{"jsonrpc":"2.0","method":"a"}`
	tests := []struct {
		name, body string
		lim        wire.Limits
		reason     string
		status     int
	}{
		{"a body of exactly the limit is read", exact, wire.Limits{Bytes: len(exact)}, "", 0},
		{"a body of one byte more is refused", exact, wire.Limits{Bytes: len(exact) - 1}, "body_too_large", 413},
		{"200 levels are read", nested(200), wire.Limits{}, "", 0},
		{"201 levels are refused", nested(201), wire.Limits{}, "too_deep", 400},
		{"more levels than the decoder has are refused", nested(20000), wire.Limits{Depth: 1 << 30}, "too_deep", 400},
		{"a batch is a level", "[" + nested(200) + "]", wire.Limits{}, "too_deep", 400},
		{"objects in objects count", call(`{"a":{"b":{}}}`), wire.Limits{Depth: 3}, "too_deep", 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, fault := wire.Scan([]byte(tt.body), tt.lim)
			switch {
			case tt.reason == "" && fault != nil:
				t.Errorf("got %v, want it read", fault)
			case tt.reason != "" && (fault == nil || fault.Reason != tt.reason || fault.Status != tt.status):
				t.Errorf("got %v, want %s with %d", fault, tt.reason, tt.status)
			}
		})
	}
}
