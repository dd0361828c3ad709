package relay

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestASilentStreamIsKeptAlive: comments stand between events, wherever the upstream is silent, and never inside one.
func TestASilentStreamIsKeptAlive(t *testing.T) {
	for _, c := range []struct {
		name  string
		write []string // one every 40 s
		want  string
	}{
		{"silent from the start", []string{"data: a\n\n"}, comment + comment + "data: a\n\n" + comment + comment},
		{"between events", []string{"data: a\n\n", "data: b\r\n\r\n", "data: c\n\n"}, comment + comment + "data: a\n\n" + comment + comment + "data: b\r\n\r\n" + comment + comment + "data: c\n\n" + comment + comment},
		{"inside an event", []string{"data: a\n", "\n"}, comment + comment + "data: a\n" + "\n" + comment + comment},
		{"inside a line", []string{"da", "ta: a\n\n"}, comment + comment + "da" + "ta: a\n\n" + comment + comment},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in, out := io.Pipe()
				body := newAlive(in, 15*time.Second)
				go func() {
					for _, text := range c.write {
						time.Sleep(40 * time.Second) // of the bubble's clock
						_, _ = io.WriteString(out, text)
					}
					time.Sleep(40 * time.Second)
					out.CloseWithError(errors.New("the end"))
				}()
				got, err := io.ReadAll(body)
				if string(got) != c.want || err == nil || err.Error() != "the end" {
					t.Errorf("%q, %v; want %q", got, err, c.want)
				}
				if err := body.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestABusyStreamIsNotTouched(t *testing.T) {
	text := strings.Repeat("data: some words\n\n", 5000)
	body := newAlive(io.NopCloser(strings.NewReader(text)), time.Hour)
	got, err := io.ReadAll(inPieces{body})
	if string(got) != text || err != nil {
		t.Errorf("%d bytes of %d, %v", len(got), len(text), err)
	}
}

// inPieces reads a few bytes at a time.
type inPieces struct{ io.Reader }

func (r inPieces) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(len(p), 7)]) }

// TestClosingEndsTheReadUnderWay; goleak watches the goroutine.
func TestClosingEndsTheReadUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		body := newAlive(in, time.Second)
		read := make(chan string)
		go func() {
			p := make([]byte, 100)
			n, _ := body.Read(p)
			read <- string(p[:n])
		}()
		if got := <-read; got != comment {
			t.Errorf("%q", got)
		}
		if err := body.Close(); err != nil {
			t.Error(err)
		}
		if _, err := io.WriteString(out, "x"); err == nil {
			t.Error("the upstream can still write")
		}
	})
}
