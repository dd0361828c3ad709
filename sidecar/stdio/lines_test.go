package stdio

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"mcp-toolsearch/sidecar/wire"
)

// cuts reads all lines of a stream.
func cuts(t testing.TB, in io.Reader, limit int) []cut {
	t.Helper()
	var all []cut
	for r := newReader(in, limit); ; {
		c, err := r.next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
}

func TestLinesAreCutAtNewlines(t *testing.T) {
	got := cuts(t, iotest.OneByteReader(strings.NewReader("a\r\n\n  b c \n\r\nlast")), 100)
	var lines []string
	for _, c := range got {
		lines = append(lines, string(c.line))
	}
	if strings.Join(lines, "|") != "a|b c|last" {
		t.Errorf("lines %q", lines)
	}
}

func TestALineOverTheLimitKeepsItsEnds(t *testing.T) {
	long := "head" + strings.Repeat("x", 300_000) + "tail"
	got := cuts(t, strings.NewReader("before\n"+long+"\nafter\n"+long), 100_000)
	if len(got) != 4 || string(got[0].line) != "before" || string(got[2].line) != "after" {
		t.Fatalf("%d lines", len(got))
	}
	for _, c := range []cut{got[1], got[3]} {
		if c.line != nil || !bytes.HasPrefix(c.head, []byte("head")) || !bytes.HasSuffix(bytes.TrimSpace(c.tail), []byte("tail")) || len(c.head)+len(c.tail) > 2*keptEnds {
			t.Errorf("head %.20q, tail %q", c.head, c.tail)
		}
	}
	if got := cuts(t, strings.NewReader(strings.Repeat("y", 100)+"\n"+strings.Repeat("y", 101)), 100); got[0].line == nil || got[1].line != nil {
		t.Error("the limit is not where it should be")
	}
}

func TestTheIDOfALineThatIsTooLong(t *testing.T) {
	for name, tt := range map[string]struct{ head, tail, want string }{
		"before the result":        {`{"jsonrpc":"2.0","id":7,"result":{"x":"`, `xxx"}}`, "7"},
		"a text":                   {`{"id" : "a\"b" ,"result":`, `]}`, `"a\"b"`},
		"behind the result":        {`{"result":{"id":1,"x":"`, `x"},"jsonrpc":"2.0","id":8}`, "8"},
		"behind it, with spaces":   {`{"result":[`, `], "id" : -3 } `, "-3"},
		"none":                     {`{"result":{"id":1,"x":"`, `x","id":9}}`, ""},
		"inside a text at the end": {`{"result":"`, `"id":9}"}`, ""},
		"a request":                {`{"method":"x","id":1,"params":`, `}`, ""},
		"half a number":            {`{"id":12`, `34,"result":"x"}`, ""},
		"junk":                     {`xxxxxxx`, `yyyyy`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(answeredID([]byte(tt.head), []byte(tt.tail))); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("{\"jsonrpc\":\"2.0\"}\r\n\n x \n"), 5)
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaaaaaaa\nb"), 3)
	f.Fuzz(func(t *testing.T, stream []byte, limit int) {
		if limit < 1 || limit > 1<<16 {
			return
		}
		var want [][]byte
		for line := range bytes.SplitSeq(stream, []byte{'\n'}) {
			if len(bytes.TrimRight(line, "\r\n")) > limit || len(bytes.TrimSpace(line)) > 0 {
				want = append(want, line)
			}
		}
		got := cuts(t, iotest.HalfReader(bytes.NewReader(stream)), limit)
		if len(got) != len(want) {
			t.Fatalf("%d lines, want %d", len(got), len(want))
		}
		for i, c := range got {
			if tooLong := len(bytes.TrimRight(want[i], "\r\n")) > limit; tooLong != (c.line == nil) {
				t.Errorf("line %d: too long %t", i, tooLong)
			}
			if c.line != nil && !bytes.Equal(c.line, bytes.TrimSpace(want[i])) {
				t.Errorf("line %d: %q, want %q", i, c.line, want[i])
			}
			answeredID(c.head, c.tail)
		}
	})
}

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
