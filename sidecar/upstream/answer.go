package upstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"

	"mcp-toolsearch/sidecar/wire"
)

// maxErrorBytes bounds the body read of a 4xx.
const maxErrorBytes = 64 << 10

var errTooLong = errors.New("too long")

// Reply is an upstream's answer to a request of ours.
type Reply struct {
	Status int
	Header http.Header
	Answer *wire.Answer // nil when a 4xx carried no JSON-RPC error
}

// Reading says how an answer is read.
type Reading struct {
	ID       []byte // of the request that is answered
	Budget   *int64 // bytes that may still be read, counted down; nil = no bound on a stream
	MaxEvent int64  // of one event, or of a JSON body
	// Asked is called with a request of the server's on the stream; nil skips it.
	Asked func(context.Context, *wire.Answer)
}

// exchange sends a JSON-RPC request and reads its answer. An error means there
// is none; a 4xx is a reply.
func (r *route) exchange(ctx context.Context, h http.Header, body []byte, rd Reading) (*Reply, error) {
	resp, err := r.send(ctx, http.MethodPost, h, body)
	if err != nil {
		return nil, err
	}
	return ReadReply(ctx, resp, rd)
}

// ReadReply reads the answer to a request of ours, and closes it. An error
// (*Error, *AuthError or the context's) means there is none; a 4xx is a reply.
func ReadReply(ctx context.Context, resp *http.Response, rd Reading) (*Reply, error) {
	defer resp.Body.Close()
	if err := StatusFailure(resp); err != nil {
		return nil, err
	}
	rep := &Reply{Status: resp.StatusCode, Header: resp.Header}
	if resp.StatusCode >= 400 {
		rep.Answer = errorAnswer(resp, rd.ID)
		if rep.Answer == nil && ctx.Err() != nil {
			return nil, contextFailure(ctx)
		}
		return rep, nil
	}
	answer, err := readAnswer(ctx, resp, rd)
	rep.Answer = answer
	return rep, err
}

// errorAnswer is the JSON-RPC error of a 4xx, or nil.
func errorAnswer(resp *http.Response, id []byte) *wire.Answer {
	if mediaType(resp) != "application/json" {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes))
	if err != nil {
		return nil
	}
	answer, err := wire.ScanAnswer(body)
	if err != nil || answer.Error.Absent() || !forUs(answer, id) {
		return nil
	}
	return answer
}

func mediaType(resp *http.Response) string {
	t, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return t
}

// forUs says whether an answer is the one to our request. Servers that fail
// before they read the id send null.
func forUs(a *wire.Answer, id []byte) bool {
	return bytes.Equal(a.ID, id) || (!a.Error.Absent() && (a.ID == nil || wire.IsNull(a.ID)))
}

func readAnswer(ctx context.Context, resp *http.Response, rd Reading) (*wire.Answer, error) {
	if resp.Header.Get("Content-Encoding") != "" {
		return nil, garbage(resp, "a compressed answer nobody asked for")
	}
	body := &meter{r: resp.Body, left: rd.Budget}
	switch mediaType(resp) {
	case "application/json":
		return readJSON(ctx, resp, body, rd)
	case "text/event-stream":
		return readStream(ctx, resp, body, rd)
	}
	return nil, garbage(resp, "an answer that is neither JSON nor an event stream")
}

func garbage(resp *http.Response, detail string) error {
	return &Error{Kind: Garbage, Status: resp.StatusCode, Detail: detail}
}

func readJSON(ctx context.Context, resp *http.Response, body *meter, rd Reading) (*wire.Answer, error) {
	if resp.ContentLength > rd.MaxEvent {
		return nil, tooLong(resp)
	}
	raw, err := io.ReadAll(io.LimitReader(body, rd.MaxEvent+1))
	if err != nil {
		return nil, body.failure(ctx, resp)
	}
	if int64(len(raw)) > rd.MaxEvent {
		return nil, tooLong(resp)
	}
	answer, err := wire.ScanAnswer(raw)
	if err != nil {
		return nil, garbage(resp, "the answer is not a JSON-RPC message")
	}
	return answer, checkAnswer(resp, answer, rd.ID)
}

func checkAnswer(resp *http.Response, a *wire.Answer, id []byte) error {
	if a.Method != "" || (a.Result.Absent() && a.Error.Absent()) {
		return garbage(resp, "the answer is not a JSON-RPC response")
	}
	if !forUs(a, id) {
		return garbage(resp, "the answer is to another request")
	}
	return nil
}

// readStream skips what is not for us (priming events, notifications, requests
// of the server's) until the response to our request.
func readStream(ctx context.Context, resp *http.Response, body *meter, rd Reading) (*wire.Answer, error) {
	events := wire.NewEventReader(body, int(rd.MaxEvent))
	for {
		ev, err := events.Next()
		switch {
		case err == nil:
		case body.err != nil || ctx.Err() != nil:
			return nil, body.failure(ctx, resp)
		case errors.Is(err, io.EOF):
			return nil, &Error{Kind: Unreachable, Status: resp.StatusCode, Detail: "the stream ended before the answer"}
		default:
			return nil, tooLong(resp)
		}
		if len(ev.Data) == 0 || (ev.Type != "" && ev.Type != "message") {
			continue
		}
		a, err := wire.ScanAnswer(ev.Data)
		switch {
		case err != nil:
			return nil, garbage(resp, "an event is not a JSON-RPC message")
		case a.Method == "" && forUs(a, rd.ID):
			return a, checkAnswer(resp, a, rd.ID)
		case a.Method != "" && a.ID != nil && rd.Asked != nil:
			rd.Asked(ctx, a)
		}
	}
}

func tooLong(resp *http.Response) error {
	return &Error{Kind: TooLarge, Status: resp.StatusCode, Detail: "the answer is longer than the limit"}
}

// meter counts a budget down and remembers how reading failed.
type meter struct {
	r    io.Reader
	left *int64
	err  error // nil, or other than io.EOF
}

func (m *meter) Read(p []byte) (int, error) {
	if m.left != nil && *m.left <= 0 {
		m.err = errTooLong
		return 0, m.err
	}
	n, err := m.r.Read(p)
	if m.left != nil {
		*m.left -= int64(n)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}

func (m *meter) failure(ctx context.Context, resp *http.Response) error {
	if errors.Is(m.err, errTooLong) {
		return tooLong(resp)
	}
	if ended := contextFailure(ctx); ended != nil {
		return ended
	}
	return &Error{Kind: Unreachable, Status: resp.StatusCode, Detail: "the connection broke in the middle of the answer"}
}
