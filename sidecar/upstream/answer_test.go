package upstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

func TestCompressionIsNeverAskedFor(t *testing.T) {
	up := upstreamtest.New(t, tools(1)...)
	c := newClient(t, func(o *Options) { o.Transport = &http.Transport{} })
	if _, err := list(t, c, up); err != nil {
		t.Fatal(err)
	}
	if got := up.Requests()[0].Header.Get("Accept-Encoding"); got != "" {
		t.Errorf("Accept-Encoding = %q", got)
	}
	up.Fail("", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 200, Header: http.Header{"Content-Encoding": {"gzip"}}, Body: "{}"})
	_, err := list(t, c, up)
	mustKind(t, err, Garbage)
}

// TestAConnectionClosedAtTheWrongMoment: a server may close a kept connection
// just when we use it. A list is asked again; a call is not, it may have run.
func TestAConnectionClosedAtTheWrongMoment(t *testing.T) {
	up := upstreamtest.New(t, tools(3)...)
	up.Script("x", upstreamtest.Script{})
	up.Configure(func(b *upstreamtest.Behaviour) { b.PageSize = 1 })
	c := newClient(t, nil)
	up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.CloseAtOnce, Skip: 1, Times: 1})
	l, err := list(t, c, up)
	if err != nil || len(l.Tools) != 3 {
		t.Fatalf("listing = %v, %v", l, err)
	}
	up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.CloseAtOnce, Times: 1})
	_, err = do(t, c, up, Call{Era: wire.Modern, Name: "x"})
	mustKind(t, err, Unreachable)
	if n := len(up.RequestsOf("tools/call")); n != 1 {
		t.Errorf("a call was sent %d times", n)
	}
}

func TestAStreamWithoutTheAnswer(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		kind Kind
	}{
		"an empty stream":                {"", Unreachable},
		"only a comment":                 {": hello\n\n", Unreachable},
		"only somebody else's answer":    {"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n", Unreachable},
		"an event that is not JSON":      {"data: hello\n\n", Garbage},
		"our id without a result":        {"data: {\"jsonrpc\":\"2.0\",\"id\":\"me\"}\n\n", Garbage},
		"another type of event with it":  {"event: other\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"me\",\"result\":{}}\n\n", Unreachable},
		"an event longer than the limit": {"data: {\"x\":\"" + string(bytes.Repeat([]byte("y"), 3000)) + "\"}\n\n", TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(t, "text/event-stream", tc.body)
			mustKind(t, err, tc.kind)
		})
	}
}

// read reads an answer to the request "me" of at most 2,000 bytes an event.
func read(t *testing.T, contentType, body string) (*wire.Answer, error) {
	t.Helper()
	rec := httptest.NewRecorder()
	rec.Header().Set("Content-Type", contentType)
	_, _ = io.WriteString(rec, body)
	return readAnswer(context.Background(), rec.Result(), Reading{ID: []byte(`"me"`), MaxEvent: 2000})
}

// FuzzReadAnswer: whatever comes, it is the answer to our request or an error
// of ours.
func FuzzReadAnswer(f *testing.F) {
	f.Add(true, []byte("event: prime\nid: 1\ndata: \n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":\"me\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"me\",\"result\":{}}\n\n"))
	f.Add(true, []byte("data: {\"id\":\"me\",\rdata: \"error\":{\"code\":1}}\r\n\r\n"))
	f.Add(false, []byte(`{"jsonrpc":"2.0","id":"me","result":{"a":1}}`))
	f.Add(false, []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}`))
	f.Add(false, []byte(`[]`))
	f.Fuzz(func(t *testing.T, stream bool, body []byte) {
		contentType := "application/json; charset=utf-8"
		if stream {
			contentType = "text/event-stream"
		}
		a, err := read(t, contentType, string(body))
		var ours *Error
		switch {
		case err != nil && !errors.As(err, &ours):
			t.Errorf("error of another type: %v", err)
		case err == nil && (!forUs(a, []byte(`"me"`)) || a.Method != "" || (a.Result.Absent() && a.Error.Absent())):
			t.Errorf("not the answer: %s", a.Body)
		}
	})
}
