package wire_test

import (
	"bytes"
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

func TestRewrite(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, body, inner, arguments, want string }{
		{"both values change and nothing else",
			`{"jsonrpc" : "2.0", "id":9007199254740991,"method":"tools\/call", "params":{ "name" : "call_read_tool" , "arguments":{"name":"x"},"_meta":{"n":1.0,"big":12345678901234567890,"é":"\u00e9"}},"z":[1e400]} `,
			"x", `{"a":2.50}`,
			`{"jsonrpc" : "2.0", "id":9007199254740991,"method":"tools\/call", "params":{ "name" : "x" , "arguments":{"a":2.50},"_meta":{"n":1.0,"big":12345678901234567890,"é":"\u00e9"}},"z":[1e400]} `},
		{"arguments may stand before the name",
			call(`{"arguments":{"name":"x"},"requestState":"s","name":"call"}`), "inner", `{}`,
			call(`{"arguments":{},"requestState":"s","name":"inner"}`)},
		{"absent arguments are inserted behind the name",
			call(`{"_meta":{},"name":"call","inputResponses":{}}`), "inner", `{"a":1}`,
			call(`{"_meta":{},"name":"inner","arguments":{"a":1},"inputResponses":{}}`)},
		{"no arguments are an empty object",
			call(`{"name":"call","arguments":{"name":"x","arguments":{"y":1}}}`), "inner", ``,
			call(`{"name":"inner","arguments":{}}`)},
		{"a name is quoted", call(`{"name":"call"}`), "a\"b\\c\n<é>", `{}`, call(`{"name":"a\"b\\c\n<é>","arguments":{}}`)},
		{"an escaped key stays escaped", call(`{"n\u0061me":"call","\u0061rguments":[]}`), "x", `{}`, call(`{"n\u0061me":"x","\u0061rguments":{}}`)},
		{"null arguments are replaced", call(`{"name":"call","arguments":null}`), "x", `{"k":null}`, call(`{"name":"x","arguments":{"k":null}}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := []byte(tt.body)
			m, fault := wire.Scan(body, wire.DefaultLimits())
			if fault != nil {
				t.Fatal(fault)
			}
			if got := string(m.Rewrite(tt.inner, []byte(tt.arguments))); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if !bytes.Equal(body, []byte(tt.body)) {
				t.Error("the scanned body was changed")
			}
		})
	}
}

func TestRewriteNeedsAName(t *testing.T) {
	t.Parallel()
	for _, body := range []string{call(`{"arguments":{}}`), call(`{"name":5}`), `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `[` + call(`{"name":"a"}`) + `]`} {
		if got := scan(t, body).Rewrite("x", nil); got != nil {
			t.Errorf("%s became %s, want nothing", body, got)
		}
	}
}

// checkRewrite holds what every rewritten body must satisfy.
func checkRewrite(t *testing.T, m *wire.Message, name string, arguments []byte) {
	t.Helper()
	out := m.Rewrite(name, arguments)
	again, fault := wire.Scan(out, wire.Limits{Bytes: 1 << 24, Depth: 1000})
	if fault != nil {
		t.Fatalf("the rewritten body is refused: %v\n%q", fault, out)
	}
	if again.Name != toValid(name) || !bytes.Equal(again.Arguments.In(out), arguments) {
		t.Errorf("got %q with %s, want %q with %s", again.Name, again.Arguments.In(out), name, arguments)
	}
	if !bytes.Equal(again.ID, m.ID) || again.Method != m.Method || again.Kind != m.Kind || again.URI != m.URI {
		t.Errorf("the rewritten message is another: %q", out)
	}
	if !bytes.Equal(again.Meta.In(out), m.Meta.In(m.Body)) {
		t.Errorf("_meta changed from %q to %q", m.Meta.In(m.Body), again.Meta.In(out))
	}
	if !bytes.Equal(rest(again), rest(m)) {
		t.Errorf("other bytes changed:\n%q\n%q", rest(m), rest(again))
	}
}

// rest is a body without its name, its arguments and what Rewrite inserts
// between them.
func rest(m *wire.Message) []byte {
	first, second := m.NameAt, m.Arguments
	switch {
	case second.Absent():
		return append(bytes.Clone(m.Body[:first.Start]), m.Body[first.End:]...)
	case second.Start < first.Start:
		first, second = second, first
	}
	middle := m.Body[first.End:second.Start]
	if string(middle) == `,"arguments":` {
		middle = nil
	}
	out := append(bytes.Clone(m.Body[:first.Start]), middle...)
	return append(out, m.Body[second.End:]...)
}
