package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"mcp-toolsearch/sidecar/wire"
)

// stream has one event of every kind, once for each line ending.
func stream(eol string) string {
	lines := []string{
		"event: prime", "id: s_0", "data: ", "",
		": keep-alive", "",
		"id:s_1", "retry: 500", "event: message", `data: {"a":`, "data:1}", ": note", "",
		"data", "data", "",
		"",
		"id", "data:  two spaces", "unknown: x", "",
	}
	return strings.Join(lines, eol) + eol
}

func showEvent(ev wire.Event) string {
	id := "-"
	if ev.HasID {
		id = ev.ID
	}
	return fmt.Sprintf("%s|%s|%q", ev.Type, id, ev.Data)
}

const wantStream = `prime|s_0|"" |-|"" message|s_1|"{\"a\":\n1}" |-|"\n" |-|"" ||" two spaces"`

func TestFirstEvent(t *testing.T) {
	t.Parallel()
	for _, eol := range []string{"\n", "\r\n"} {
		buf := []byte(stream(eol))
		var got []string
		var raw []byte
		for {
			ev, rest, ok := wire.FirstEvent(buf)
			if !ok {
				break
			}
			got, raw, buf = append(got, showEvent(ev)), append(raw, ev.Raw...), rest
		}
		if strings.Join(got, " ") != wantStream || len(buf) != 0 {
			t.Errorf("%q: got  %s\nwant %s, nothing left of %q", eol, strings.Join(got, " "), wantStream, buf)
		}
		if string(raw) != stream(eol) {
			t.Errorf("%q: the raw events are not the stream", eol)
		}
	}
}

func TestFirstEventWaits(t *testing.T) {
	t.Parallel()
	for _, buf := range []string{"", "data: a", "data: a\n", "data: a\r", "data: a\r\n", "data: a\r\n\r", "data: a\r\r", "\r"} {
		if ev, rest, ok := wire.FirstEvent([]byte(buf)); ok || string(rest) != buf {
			t.Errorf("%q gave %q and left %q, want nothing taken", buf, ev.Raw, rest)
		}
	}
	ev, rest, ok := wire.FirstEvent([]byte("data: a\r\rdata: b"))
	if !ok || string(ev.Data) != "a" || string(rest) != "data: b" {
		t.Errorf("CR alone: got %q, %q, %v", ev.Data, rest, ok)
	}
	ev, _, ok = wire.FirstEvent([]byte("\xef\xbb\xbfdata: a\nid: 1\x00\n\n"))
	if !ok || string(ev.Data) != "a" || ev.HasID {
		t.Errorf("byte order mark and NUL in an id: got %+v", ev)
	}
}

func TestEventsAtEverySplit(t *testing.T) {
	t.Parallel()
	for _, eol := range []string{"\n", "\r", "\r\n"} {
		whole := stream(eol)
		for split := range len(whole) {
			r := io.MultiReader(strings.NewReader(whole[:split]), strings.NewReader(whole[split:]))
			checkStream(t, r, whole, fmt.Sprintf("%q at %d", eol, split))
		}
		checkStream(t, iotest.OneByteReader(strings.NewReader(whole)), whole, "byte by byte")
		checkStream(t, iotest.DataErrReader(strings.NewReader(whole)), whole, "with its end")
	}
}

func checkStream(t *testing.T, r io.Reader, whole, what string) {
	t.Helper()
	var got []string
	var raw []byte
	reader := wire.NewEventReader(r, 1000)
	for {
		ev, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got, raw = append(got, showEvent(ev)), append(raw, ev.Raw...)
	}
	if strings.Join(got, " ") != wantStream {
		t.Fatalf("%s: got  %s\nwant %s", what, strings.Join(got, " "), wantStream)
	}
	if string(raw) != whole {
		t.Fatalf("%s: the raw events are not the stream", what)
	}
}

func TestEventReaderEnds(t *testing.T) {
	t.Parallel()
	broken := errors.New("reset")
	tests := []struct {
		name   string
		r      io.Reader
		events string
		err    error
	}{
		{"an unfinished event at the end is one", strings.NewReader("data: a\n\ndata: b"), "a b", io.EOF},
		{"a finished line at the end is one", strings.NewReader("data: b\r"), "b", io.EOF},
		{"an unfinished event before an error is none", io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)), "a", broken},
		{"an empty stream ends", strings.NewReader(""), "", io.EOF},
		{"an event over the limit", strings.NewReader("data: a\n\ndata: " + strings.Repeat("b", 30) + "\n\n"), "a", wire.ErrEventTooLarge},
		{"an endless line", strings.NewReader(strings.Repeat("b", 9000)), "", wire.ErrEventTooLarge},
		{"endless short lines", strings.NewReader(strings.Repeat(":\n", 9000)), "", wire.ErrEventTooLarge},
		{"a reader without progress", noProgress{}, "", io.ErrNoProgress},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			reader := wire.NewEventReader(tt.r, 20)
			var got []string
			ev, err := reader.Next()
			for ; err == nil; ev, err = reader.Next() {
				got = append(got, string(ev.Data))
			}
			if strings.Join(got, " ") != tt.events || !errors.Is(err, tt.err) {
				t.Errorf("got %q and %v, want %q and %v", got, err, tt.events, tt.err)
			}
			if _, again := reader.Next(); !errors.Is(again, tt.err) {
				t.Errorf("asked again it says %v, want %v", again, tt.err)
			}
		})
	}
}

type noProgress struct{}

func (noProgress) Read([]byte) (int, error) { return 0, nil }

func TestEventsOfAReaderStay(t *testing.T) {
	t.Parallel()
	reader := wire.NewEventReader(iotest.OneByteReader(strings.NewReader("data: first\n\ndata: other\n\n")), 100)
	first, err := reader.Next()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Next(); err != nil {
		t.Fatal(err)
	}
	if string(first.Data) != "first" || string(first.Raw) != "data: first\n\n" {
		t.Errorf("the first event became %q", first.Raw)
	}
}

func TestWithData(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, event, data, want string }{
		{"all but data stays", "event: message\nid: 7\ndata: a\nretry: 5\n: c\nx: y\n\n", "b", "event: message\nid: 7\ndata: b\nretry: 5\n: c\nx: y\n\n"},
		{"several lines become one", "data: a\nid: 1\ndata: b\ndata\n\n", "c", "data: c\nid: 1\n\n"},
		{"one line becomes several", "data: a\nid: 1\n\n", "b\nc\r\nd\re", "data: b\ndata: c\ndata: d\ndata: e\nid: 1\n\n"},
		{"line endings stay", "id: 1\r\ndata:a\r\n\r\n", "b\nc", "id: 1\r\ndata: b\r\ndata: c\r\n\r\n"},
		{"line endings may be CR", "id: 1\rdata:a\r\r", "b", "id: 1\rdata: b\r\r"},
		{"no data gets some before the blank line", ": c\r\nid: 1\r\n\r\n", "b", ": c\r\nid: 1\r\ndata: b\r\n\r\n"},
		{"a byte order mark stays in front", "\xef\xbb\xbfdata: a\n\n", "b", "\xef\xbb\xbfdata: b\n\n"},
		{"a field that starts like data stays", "dataset: x\ndata: a\n\n", "b", "dataset: x\ndata: b\n\n"},
		{"empty data is a line", "data: a\n\n", "", "data: \n\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := []byte(tt.event)
			if strings.HasSuffix(tt.event, "\r") {
				in = append(in, ':') // FirstEvent waits for what follows a CR
			}
			ev, _, ok := wire.FirstEvent(in)
			if !ok {
				t.Fatal("no event")
			}
			if got := string(ev.WithData([]byte(tt.data))); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if string(ev.Raw) != tt.event {
				t.Errorf("the event became %q", ev.Raw)
			}
		})
	}
}

func TestWithDataOfAnUnfinishedEvent(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"id: 1\ndata: a": "id: 1\ndata: b\n", "id: 1": "id: 1\ndata: b\n"} {
		ev, err := wire.NewEventReader(strings.NewReader(in), 100).Next()
		if err != nil {
			t.Fatal(err)
		}
		if got := string(ev.WithData([]byte("b"))); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// counted is a reader in small pieces.
type counted struct {
	left []byte
}

func (c *counted) Read(p []byte) (int, error) {
	n := copy(p, c.left[:min(len(c.left), 1000)])
	c.left = c.left[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// BenchmarkOneLongEvent: the cost of a byte must not grow with the event.
func BenchmarkOneLongEvent(b *testing.B) {
	for _, size := range []int{1 << 16, 1 << 20, 1 << 24} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			stream := append(append([]byte("data: "), bytes.Repeat([]byte("x"), size)...), "\n\n"...)
			b.SetBytes(int64(size))
			for range b.N {
				ev, err := wire.NewEventReader(&counted{stream}, 2*size).Next()
				if err != nil || len(ev.Data) != size {
					b.Fatalf("%d bytes, %v", len(ev.Data), err)
				}
			}
		})
	}
}
