package stdio

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

// call is a client's request that a process works on.
type call struct {
	id     []byte // as the client wrote it
	sentID []byte // as the process sees it
	own    bool   // sentID is ours
	token  []byte // progress token as the client wrote it; nil without one
	tool   bool   // it runs a tool
	silent bool   // nothing but its answer goes to its stream
	logs   bool   // modern: it asked for log messages
	listen bool   // modern: a subscription, which the server may end

	box     *mailbox
	ok      bool        // it was answered with a result; set before the box has the answer
	died    bool        // the process ended instead of answering; set like ok
	sent    atomic.Bool // the process may have got it
	giveUp  *time.Timer // set when the client has cancelled it; the talk's to touch
	release func() bool // stops watching the client's context
}

// newCall reads what is needed of a request. sentID is nil for the client's own.
func newCall(m *wire.Message, era wire.Era, sentID []byte) *call {
	c := &call{id: m.ID, sentID: sentID, own: sentID != nil, token: m.Meta.ProgressToken, box: newMailbox(), silent: m.Method == "initialize", tool: m.Method == "tools/call"}
	if !c.own {
		c.sentID = m.ID
	}
	if era == wire.Modern {
		c.listen = m.Method == "subscriptions/listen"
		c.logs = !wire.TopSpan(m.Meta.In(m.Body), "io.modelcontextprotocol/logLevel").Absent()
	}
	return c
}

// line is the request as the process gets it. With an id of ours the progress token is that id too: both are the
// process' alone.
func (c *call) line(m *wire.Message) []byte {
	if !c.own {
		return wire.OneLine(m.Body)
	}
	id := edit{at: find(m.Body, "id"), with: c.sentID}
	token := edit{with: c.sentID}
	if c.token != nil {
		token.at = find(m.Body, "params", "_meta", "progressToken")
	}
	return wire.OneLine(spliced(m.Body, id, token))
}

// reply answers a call: with JSON when nothing comes before its answer, else with a stream of events.
func (c *call) reply(r *http.Request, era wire.Era, drop func()) (*http.Response, error) {
	ctx := r.Context()
	if c.listen { // its answer only comes at its end
		return stream(r, &events{ctx: ctx, box: c.box, drop: drop}), nil
	}
	first, answer, err := c.box.take(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		drop()
		return nil, ctx.Err()
	case err != nil:
		return nil, io.ErrUnexpectedEOF
	case answer:
		return document(r, statusOf(first, era), first), nil
	}
	return stream(r, &events{ctx: ctx, box: c.box, drop: drop, ready: event(first)}), nil
}

// statusOf is the HTTP status of an answer: in the modern era an error has one of its own.
func statusOf(answer []byte, era wire.Era) int {
	a, err := wire.ScanAnswer(answer)
	if era == wire.Legacy || err != nil || a.Error.Absent() {
		return http.StatusOK
	}
	switch a.ErrorCode {
	case wire.CodeMethodNotFound, wire.CodeInvalidParams, wire.CodeInvalidRequest, wire.CodeHeaderMismatch, wire.CodeMissingCapability, wire.CodeUnsupportedVersion:
		return (&wire.Fault{Code: a.ErrorCode}).StatusFor(wire.Modern)
	}
	return http.StatusOK
}

// events is a stream of messages as an answer's body.
type events struct {
	ctx   context.Context
	box   *mailbox
	drop  func() // called when the reader leaves, also when all was read
	ready []byte
}

// Read implements [io.Reader].
func (e *events) Read(p []byte) (int, error) {
	if len(e.ready) == 0 {
		message, _, err := e.box.take(e.ctx)
		if err != nil {
			return 0, err
		}
		e.ready = event(message)
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

// Close implements [io.Closer]: who leaves before the answer cancels the call.
func (e *events) Close() error {
	e.drop()
	e.box.end()
	return nil
}

// event is a message as a server-sent event. A CR would end its data line; outside strings, where none can be, a space
// means the same.
func event(message []byte) []byte {
	out := make([]byte, 0, len(message)+24)
	out = append(out, "event: message\ndata: "...)
	out = append(out, bytes.ReplaceAll(message, []byte{'\r'}, []byte{' '})...)
	return append(out, "\n\n"...)
}

func stream(r *http.Request, body io.ReadCloser) *http.Response {
	resp := response(r, http.StatusOK, body, -1)
	resp.Header.Set("Content-Type", "text/event-stream")
	resp.Header.Set("Cache-Control", "no-cache, no-transform")
	return resp
}

func document(r *http.Request, status int, body []byte) *http.Response {
	resp := response(r, status, io.NopCloser(bytes.NewReader(body)), int64(len(body)))
	resp.Header.Set("Content-Type", "application/json")
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return resp
}

func empty(r *http.Request, status int) *http.Response { return response(r, status, http.NoBody, 0) }

func response(r *http.Request, status int, body io.ReadCloser, length int64) *http.Response {
	return &http.Response{Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: body, ContentLength: length, Request: r}
}
