package wire_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"mcp-toolsearch/sidecar/wire"
)

// cuts reads all lines of a stream.
func cuts(t testing.TB, in io.Reader, limit int) []wire.Line {
	t.Helper()
	var all []wire.Line
	for r := wire.NewLineReader(in, limit); ; {
		c, err := r.Next()
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
		lines = append(lines, string(c.Data))
	}
	if strings.Join(lines, "|") != "a|b c|last" {
		t.Errorf("lines %q", lines)
	}
}

func TestALineOverTheLimitKeepsItsEnds(t *testing.T) {
	long := "head" + strings.Repeat("x", 300_000) + "tail"
	got := cuts(t, strings.NewReader("before\n"+long+"\nafter\n"+long), 100_000)
	if len(got) != 4 || string(got[0].Data) != "before" || string(got[2].Data) != "after" {
		t.Fatalf("%d lines", len(got))
	}
	for _, c := range []wire.Line{got[1], got[3]} {
		if c.Data != nil || !bytes.HasPrefix(c.Head(), []byte("head")) || len(c.Head()) > 1000 {
			t.Errorf("head %.20q", c.Head())
		}
	}
	if got := cuts(t, strings.NewReader(strings.Repeat("y", 100)+"\n"+strings.Repeat("y", 101)), 100); got[0].Data == nil || got[1].Data != nil {
		t.Error("the limit is not where it should be")
	}
}

func TestTheIDOfALineThatIsTooLong(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for name, tt := range map[string]struct {
		line, want string
		request    bool
	}{
		"before the result":        {`{"jsonrpc":"2.0","id":7,"result":{"x":"LONG"}}`, "7", false},
		"a text":                   {`{"id" : "a\"b" ,"result":["LONG"]}`, `"a\"b"`, false},
		"behind the result":        {`{"result":{"id":1,"x":"LONG"},"jsonrpc":"2.0","id":8}`, "8", false},
		"behind it, with spaces":   {`{"result":["LONG"], "id" : -3 } `, "-3", false},
		"none":                     {`{"result":{"id":1,"x":"LONG","id":9}}`, "", false},
		"inside a text at the end": {`{"result":"LONG"id":9}"}`, "", false},
		"a request":                {`{"jsonrpc":"2.0","method":"x","id":1,"params":["LONG"]}`, "1", true},
		"a notification":           {`{"method":"x","params":{"a":"LONG"}}`, "", true},
		"junk":                     {`xxxxxxx LONG yyyyy`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			c := cuts(t, strings.NewReader(strings.Replace(tt.line, "LONG", long, 1)), 1000)[0]
			if id, request := c.ID(); string(id) != tt.want || request != tt.request {
				t.Errorf("%q, %t; want %q, %t", id, request, tt.want, tt.request)
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
			if tooLong := len(bytes.TrimRight(want[i], "\r\n")) > limit; tooLong != (c.Data == nil) {
				t.Errorf("line %d: too long %t", i, tooLong)
			}
			if c.Data != nil && !bytes.Equal(c.Data, bytes.TrimSpace(want[i])) {
				t.Errorf("line %d: %q, want %q", i, c.Data, want[i])
			}
			c.ID()
		}
	})
}
