package stdio

import (
	"bytes"
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

func FuzzOneLine(f *testing.F) {
	f.Add([]byte("{\n \"jsonrpc\":\"2.0\",\r\n\"id\":\"a\\n\",\"method\":\"x\",\"params\":{\"_meta\":{\"progressToken\":\"t\"}}}"))
	f.Add([]byte(`{"id":1,"method":"x","jsonrpc":"2.0","params":{"_meta":{"progressToken":1,"a":[1.0,12345678901234567890]}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, fault := wire.Scan(body, wire.Limits{})
		if fault != nil || m.Kind != wire.Request {
			return
		}
		plain := newCall(m, wire.Legacy, nil).line(m)
		if bytes.Count(plain, []byte{'\n'}) != 1 || !bytes.Equal(wire.Compact(plain[:len(plain)-1]), wire.Compact(body)) {
			t.Fatalf("%q became %q", body, plain)
		}
		c := newCall(m, wire.Modern, []byte("4711"))
		ours, fault := wire.Scan(c.line(m), wire.Limits{})
		if fault != nil || string(ours.ID) != "4711" || (m.Meta.ProgressToken != nil) != (string(ours.Meta.ProgressToken) == "4711") {
			t.Fatalf("%q became %q: %v", body, c.line(m), fault)
		}
		// And back: the answer's id and the token are the client's own again.
		k := &talk{shared: true}
		if back := k.theirs(c, c.line(m), []string{"id"}, []string{"params", "_meta", "progressToken"}); !bytes.Equal(back, plain) {
			t.Fatalf("%q came back as %q", plain, back)
		}
	})
}
