package relay

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// InProcess is an http.RoundTripper that asks a handler of this process, as if
// a connection were between them: bodies stream both ways, a flush is felt at
// once, and who leaves ends the other side. It is safe for concurrent use.
type InProcess struct {
	handler http.Handler
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc

	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup
}

// NewInProcess returns a transport to h; Close it.
func NewInProcess(h http.Handler) *InProcess {
	ctx, cancel := context.WithCancel(context.Background())
	return &InProcess{handler: h, ctx: ctx, cancel: cancel}
}

// Close ends all requests and waits for the handler to return from them.
func (t *InProcess) Close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.cancel()
	t.work.Wait()
}

var (
	errClosed = errors.New("the program is shutting down")
	errBroken = errors.New("the handler broke off before it answered")
)

// RoundTrip implements [http.RoundTripper].
func (t *InProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(t.ctx, cancel)
	in, out := io.Pipe()
	a := &answer{header: http.Header{}, pipe: out, req: req, ready: make(chan struct{}),
		body: &answerBody{PipeReader: in, leave: cancel}}
	leaves := context.AfterFunc(ctx, func() { out.CloseWithError(context.Cause(ctx)) })
	if !t.begin() {
		cancel()
		closeBody(req)
		return nil, errClosed
	}
	go func() {
		defer t.work.Done()
		defer cancel()
		defer stop()
		defer closeBody(req)
		a.serve(t.handler, asServed(ctx, req))
		leaves()
	}()
	select {
	case <-a.ready:
	case <-req.Context().Done():
	case <-t.ctx.Done():
	}
	switch err := req.Context().Err(); {
	case err != nil: // a handler that was ended may look as if it had answered
		cancel()
		return nil, err
	case t.ctx.Err() != nil:
		return nil, errClosed
	case a.response == nil:
		return nil, errBroken
	}
	return a.response, nil
}

// begin counts a request, unless the transport is closed.
func (t *InProcess) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.work.Add(1)
	return true
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close() // the sender's; nothing is left to do about it
	}
}

// asServed is a client's request as a handler sees it.
func asServed(ctx context.Context, req *http.Request) *http.Request {
	r := req.Clone(ctx)
	r.Proto, r.ProtoMajor, r.ProtoMinor, r.Close = "HTTP/1.1", 1, 1, false
	r.RequestURI = r.URL.RequestURI()
	if r.Host == "" {
		r.Host = r.URL.Host
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	r.RemoteAddr = "127.0.0.1:0"
	return r
}

// heldBytes is how much of an answer waits for its end or a flush, as in
// net/http: a short answer gets its Content-Length that way.
const heldBytes = 2 << 10

// answer is the handler's http.ResponseWriter.
type answer struct {
	header http.Header
	pipe   *io.PipeWriter
	req    *http.Request
	body   *answerBody

	status   int
	frozen   http.Header // what is sent: header as it was when the status was written
	held     bytes.Buffer
	sent     bool
	ready    chan struct{}  // closed when response is set, or never will be
	response *http.Response // nil when the handler broke off before
}

// serve runs the handler. A panic breaks the answer off; its value may hold
// bytes of a request, so it goes nowhere.
func (a *answer) serve(h http.Handler, r *http.Request) {
	broken := true
	defer func() {
		_ = recover()
		if broken {
			a.pipe.CloseWithError(io.ErrUnexpectedEOF)
			if !a.sent {
				close(a.ready)
			}
		}
	}()
	h.ServeHTTP(a, r)
	broken = false
	if !a.sent {
		a.end()
	} else {
		_, _ = a.pipe.Write(a.held.Bytes()) // who reads it may have left
	}
	_ = a.pipe.Close() // it never fails
}

// end sends an answer that was never flushed: its length is known.
func (a *answer) end() {
	rest := bytes.Clone(a.held.Bytes())
	a.held.Reset()
	a.WriteHeader(http.StatusOK)
	if a.frozen.Get("Content-Length") == "" && a.req.Method != http.MethodHead && bodyAllowed(a.status) {
		a.frozen.Set("Content-Length", strconv.Itoa(len(rest)))
	}
	a.send()
	_, _ = a.pipe.Write(rest) // who reads it may have left
}

func bodyAllowed(status int) bool {
	return status >= http.StatusOK && status != http.StatusNoContent && status != http.StatusNotModified
}

// send makes the response out of the headers.
func (a *answer) send() {
	a.WriteHeader(http.StatusOK)
	length := int64(-1)
	if n, err := strconv.ParseInt(a.frozen.Get("Content-Length"), 10, 64); err == nil {
		length = n
	}
	if !bodyAllowed(a.status) {
		length = 0
	}
	a.sent = true
	a.response = &http.Response{Status: strconv.Itoa(a.status) + " " + http.StatusText(a.status), StatusCode: a.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: a.frozen, Body: a.body, ContentLength: length, Request: a.req}
	close(a.ready)
}

// Header implements [http.ResponseWriter].
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements [http.ResponseWriter]. Interim answers are not passed on.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status, a.frozen = status, a.header.Clone()
	}
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if !bodyAllowed(a.status) {
		return 0, http.ErrBodyNotAllowed
	}
	if a.req.Method == http.MethodHead {
		return len(p), nil
	}
	if a.held.Len()+len(p) <= heldBytes {
		return a.held.Write(p)
	}
	if err := a.FlushError(); err != nil {
		return 0, err
	}
	return a.pipe.Write(p)
}

// Flush implements [http.Flusher].
func (a *answer) Flush() { _ = a.FlushError() } // who reads it may have left: the next Write says so

// FlushError is Flush for [http.ResponseController].
func (a *answer) FlushError() error {
	if !a.sent {
		a.send()
	}
	if a.held.Len() == 0 {
		return nil
	}
	_, err := a.pipe.Write(a.held.Bytes())
	a.held.Reset()
	return err
}

// EnableFullDuplex is for [http.ResponseController]: it is always so here.
func (a *answer) EnableFullDuplex() error { return nil }

// answerBody ends the request when it is closed.
type answerBody struct {
	*io.PipeReader
	leave context.CancelFunc
}

// Close implements [io.Closer].
func (b *answerBody) Close() error {
	b.leave()
	return b.PipeReader.Close()
}
