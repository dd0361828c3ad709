package member

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"sync"

	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// carried is the body of a server's answer on its way to the client.
type carried struct {
	m       *Member
	ctx     context.Context
	body    io.ReadCloser
	patient *patience
	silent  func() // when the server was silent for too long
	leave   func()
	once    sync.Once
}

// carry passes an answer to a request on as it comes.
func (s *Session) carry(ctx context.Context, resp *http.Response, patient *patience, leave, silent func()) (*Answer, error) {
	a := s.m.pass(ctx, resp, patient, leave, silent)
	if err := s.m.unusable(resp); err != nil {
		a.Body.Close()
		return nil, err
	}
	return a, nil
}

// pass is carry for whatever comes.
func (m *Member) pass(ctx context.Context, resp *http.Response, patient *patience, leave, silent func()) *Answer {
	patient.heard()
	return &Answer{Status: resp.StatusCode, Header: passedBack(resp.Header),
		Body: &carried{m: m, ctx: ctx, body: resp.Body, patient: patient, silent: silent, leave: leave}}
}

// taken says that a message which gets no answer was taken: some servers say so
// with 200 and whatever else.
func taken(msg *wire.Message, resp *http.Response) bool {
	return (msg.Kind == wire.Notification || msg.Kind == wire.Response) && resp.StatusCode >= 200 && resp.StatusCode < 300
}

// carryAnswer is carry for the answer to a message of the client's.
func (s *Session) carryAnswer(ctx context.Context, msg *wire.Message, resp *http.Response, patient *patience, leave, silent func()) (*Answer, error) {
	if msg.Kind == wire.Request || msg.Kind == wire.Batch {
		if err := s.m.nothing(resp); err != nil {
			leaveAlone(resp, patient)
			leave()
			return nil, err
		}
	}
	return s.carry(ctx, resp, patient, leave, silent)
}

// nothing is the failure behind a good status with nothing after it, where a
// request has an answer to get: its client would wait on, or read nothing as
// JSON. The first byte is awaited, and left to be read again.
func (m *Member) nothing(resp *http.Response) error {
	if resp.StatusCode < 200 || resp.StatusCode >= 300 || resp.ContentLength > 0 || mediaType(resp.Header) == "text/event-stream" && resp.ContentLength != 0 {
		return nil
	}
	first := make([]byte, 1)
	n, err := io.ReadFull(resp.Body, first)
	if errors.Is(err, io.EOF) {
		return &Error{Server: m.Name(), Kind: upstream.Garbage, Status: resp.StatusCode, Detail: "it answered the request with nothing"}
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(first[:n]), resp.Body), resp.Body}
	return nil
}

// unusable is the failure behind an answer that is no MCP.
func (m *Member) unusable(resp *http.Response) error {
	switch kind := mediaType(resp.Header); {
	case kind == "application/json" || kind == "text/event-stream":
	case resp.StatusCode >= 500:
		return &Error{Server: m.Name(), Kind: upstream.BadStatus, Status: resp.StatusCode, Detail: "the server, or what stands before it, failed"}
	case resp.StatusCode == http.StatusOK:
		return &Error{Server: m.Name(), Kind: upstream.Garbage, Status: resp.StatusCode, Detail: "an answer that is neither JSON nor an event stream"}
	}
	return nil
}

func mediaType(h http.Header) string {
	t, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return t
}

// Read passes on what came.
func (c *carried) Read(p []byte) (int, error) {
	n, err := c.body.Read(p)
	if n > 0 {
		c.patient.heard()
	}
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return n, err
	case errors.Is(context.Cause(c.ctx), errSilent):
		if c.silent != nil {
			c.silent()
			c.silent = nil
		}
		return n, c.m.silent()
	case c.ctx.Err() != nil:
		return n, c.ctx.Err()
	}
	return n, c.m.broke()
}

func (m *Member) broke() error {
	return &Error{Server: m.Name(), Kind: upstream.Unreachable, Detail: "the connection broke in the middle of the answer"}
}

// Close ends the answer, and what still runs for it.
func (c *carried) Close() error {
	var err error
	c.once.Do(func() {
		c.patient.end()
		err = c.body.Close()
		c.leave()
	})
	return err
}

// accepted answers a message that gets no answer.
func accepted() *Answer {
	return &Answer{Status: http.StatusAccepted, Header: http.Header{}, Body: http.NoBody}
}

// jsonAnswer is a whole answer of our own.
func jsonAnswer(status int, body []byte) *Answer {
	return &Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body))}
}

func faultAnswer(f *wire.Fault, era wire.Era) *Answer {
	return jsonAnswer(f.StatusFor(era), f.Body())
}

// leaveAlone ends an answer that nobody wants, nil when there is none. One of
// unknown length may be a stream without an end.
func leaveAlone(resp *http.Response, patient *patience) {
	if resp != nil && resp.ContentLength >= 0 {
		upstream.Drain(resp)
	}
	patient.end()
	if resp != nil {
		resp.Body.Close()
	}
}
