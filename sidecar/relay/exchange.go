package relay

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"mime"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// exchange is one request on its way through the door.
type exchange struct {
	door  *Door
	w     http.ResponseWriter
	r     *http.Request
	start time.Time

	body     []byte // as received; empty when there is none
	held     int64  // bytes for which room was taken
	req      sidecar.Request
	decided  bool // the engine decided; false on an aggregate route
	decision sidecar.Decision
	path     string // of the upstream, with the query
}

// refuse answers with a fault of the door's own.
func (x *exchange) refuse(f *wire.Fault) {
	l := sidecar.Labels{Method: "other", Outcome: "fault", Reason: f.Reason}
	x.door.o.Observer.Decided(sidecar.Answer, l, time.Since(x.start))
	x.write(f)
}

func (x *exchange) write(f *wire.Fault) {
	x.w.Header().Set("Content-Type", "application/json")
	x.w.WriteHeader(f.Status)
	_, _ = x.w.Write(f.Body()) // a client that went away needs no answer
}

// forget makes room for other bodies.
func (x *exchange) forget() { x.door.o.Bounds.Bodies.Give(x.held) }

// read reads the body, one byte over the limit at most: that is enough to refuse it.
func (x *exchange) read() bool {
	control := http.NewResponseController(x.w)
	_ = control.SetReadDeadline(time.Now().Add(x.door.o.BodyTimeout)) // not every writer has one: then none is set
	limit := int64(x.door.o.BodyBytes)
	in := &counted{Reader: io.LimitReader(x.r.Body, limit+1), gate: x.door.o.Bounds.Bodies}
	body, err := io.ReadAll(in)
	x.held = in.took
	if err == nil && int64(len(body)) > limit { // let a client that is still sending come to read the answer
		_, _ = io.CopyN(io.Discard, x.r.Body, 4*limit)
	}
	_ = control.SetReadDeadline(time.Time{})
	x.body = body
	switch {
	case err == nil:
		return true
	case errors.Is(err, errTooMuch):
		x.w.Header().Set("Connection", "close") // the rest of the body is not read
		x.tooMuch()
		return false
	case errors.Is(err, os.ErrDeadlineExceeded):
		x.w.Header().Set("Connection", "close")
		x.refuse(&wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusRequestTimeout, Reason: "body_slow",
			Message: "the request's body did not arrive in time: send it at once"})
		return false
	}
	panic(http.ErrAbortHandler) // the client broke off
}

// decide carries a request on a search route, or on none, as the engine says.
func (x *exchange) decide() {
	r, ctx := x.r, x.r.Context()
	x.req = sidecar.Request{Method: r.Method, Path: r.URL.RequestURI(), Authority: r.Host, Scheme: scheme(r), Header: r.Header,
		UpstreamHost: x.door.upstream.Host}
	decision, ok := x.door.o.Engine.DecideHeaders(ctx, x.req, r.ContentLength != 0)
	defer decision.Done()
	if !ok {
		if !x.read() {
			return
		}
		x.req.Body = x.body
		first := &ahead{w: x.w}
		defer first.stop()
		if takesStreams(r) {
			x.req.Notify = first.notify
		}
		decision = x.door.o.Engine.Decide(ctx, x.req)
		ended := x.mustRead()
		answered := first.finish(&decision)
		ended()
		if answered {
			return
		}
	}
	if ctx.Err() != nil {
		panic(http.ErrAbortHandler) // nobody waits for it
	}
	x.decision, x.decided = decision, true
	if decision.Kind == sidecar.Answer {
		defer x.mustRead()()
		for name, values := range decision.Header {
			x.w.Header()[name] = values
		}
		x.w.WriteHeader(decision.Status)
		_, _ = x.w.Write(decision.Body)
		return
	}
	x.path = decision.Path
	if x.path == "" { // the engine leaves the path to gateways that can't re-route; here the door does it
		_, query, _ := strings.Cut(x.req.Path, "?")
		x.path = x.door.search[r.URL.EscapedPath()].Aggregate + "?" + query
	}
	if decision.NewBody != nil {
		x.body = decision.NewBody
	}
	x.carry()
}

// mustRead gives the client a time to read an answer of ours in, which is held in memory until then; the function that it
// returns ends it.
func (x *exchange) mustRead() (ended func()) {
	control := http.NewResponseController(x.w)
	_ = control.SetWriteDeadline(time.Now().Add(x.door.o.BodyTimeout)) // not every writer has one: then none is set
	return func() { _ = control.SetWriteDeadline(time.Time{}) }
}

// relay carries a request on an aggregate route.
func (x *exchange) relay() {
	if x.r.ContentLength != 0 && !x.read() {
		return
	}
	if len(x.body) > x.door.o.BodyBytes {
		x.refuse(&wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusRequestEntityTooLarge, Reason: "body_too_large",
			Message: "the request body is larger than " + strconv.Itoa(x.door.o.BodyBytes) + " bytes: send a smaller one"})
		return
	}
	x.path = x.r.URL.RequestURI()
	x.carry()
}

// carry sends the request on and passes the answer back as it comes.
func (x *exchange) carry() {
	proxy := httputil.ReverseProxy{Rewrite: x.rewrite, ModifyResponse: x.answer, ErrorHandler: x.failed, Transport: x.door.o.Transport,
		FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0)} // its texts may hold bytes of the upstream's
	r := x.r
	if x.endless() {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(x.door.leaving, cancel)()
		r = r.WithContext(ctx)
	}
	proxy.ServeHTTP(x.w, r)
}

// endless tells the streams that last until somebody ends them: they carry no answer that would be lost.
func (x *exchange) endless() bool {
	return x.r.Method == http.MethodGet || x.decision.Labels.Method == "subscriptions/listen"
}

func (x *exchange) rewrite(p *httputil.ProxyRequest) {
	d, out := x.door, p.Out
	path, query, _ := strings.Cut(x.path, "?")
	plain, err := url.PathUnescape(path)
	if err != nil {
		plain = path
	}
	out.URL = &url.URL{Scheme: d.upstream.Scheme, Host: d.upstream.Host, Path: plain, RawPath: path, RawQuery: query}
	out.Host = d.o.Authority
	out.Header = d.onward(x.r.Header)
	for _, name := range x.decision.RemoveHeader {
		delete(out.Header, http.CanonicalHeaderKey(name))
	}
	for name, values := range x.decision.SetHeader {
		out.Header[name] = values
	}
	out.Body, out.GetBody, out.ContentLength, out.TransferEncoding = nil, nil, 0, nil
	if len(x.body) > 0 {
		out.ContentLength = int64(len(x.body))
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil } // a connection that died idle
		out.Body, _ = out.GetBody()
		wire.Once(out)
	}
}

// answer changes an upstream's answer as the engine says, and keeps a silent stream alive.
func (x *exchange) answer(resp *http.Response) error {
	err := x.change(resp)
	if mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); err == nil && mediaType == "text/event-stream" &&
		resp.Header.Get("Content-Encoding") == "" && resp.ContentLength < 0 {
		resp.Body = newAlive(resp.Body, x.door.o.KeepAlive)
	}
	return err
}

func (x *exchange) change(resp *http.Response) error {
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	stream := mediaType == "text/event-stream"
	ownHeaders(resp.Header, stream)
	ownHeaders(x.w.Header(), false) // set anew: an interim answer of the upstream's clears them
	x.door.allowOrigin(resp.Header, x.r)
	if resp.StatusCode >= http.StatusBadGateway && resp.StatusCode <= http.StatusGatewayTimeout && !stream && mediaType != "application/json" {
		return &gatewayError{status: resp.StatusCode, retry: resp.Header.Get("Retry-After")}
	}
	if x.endless() {
		resp.Body = &endable{ReadCloser: resp.Body, leaving: x.door.leaving}
	}
	if !x.decided {
		return nil
	}
	for name, values := range x.door.o.Engine.AnswerHeader(&x.decision, x.req, resp.StatusCode, resp.Header) {
		resp.Header[name] = values
	}
	if !x.door.o.Engine.EditsBody(&x.decision, resp.StatusCode, resp.Header) {
		return nil
	}
	if stream || mediaType == "application/json" {
		return x.edit(resp, stream)
	}
	return nil
}

// edit looks at an answer's body: JSON of known size at once, anything else as it passes.
func (x *exchange) edit(resp *http.Response, stream bool) error {
	ctx, limit := x.r.Context(), x.door.o.EditBytes
	k := &sidecar.Hold{Editor: x.door.o.Engine, Decision: &x.decision, SSE: stream, Limit: limit}
	switch {
	case !stream && resp.ContentLength > int64(limit):
		k.TooLarge()
		return nil
	case !stream && resp.ContentLength >= 0:
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return err
		}
		out, _ := k.Add(ctx, body, true)
		resp.Body = struct {
			io.Reader
			io.Closer
		}{bytes.NewReader(out), resp.Body}
		resp.ContentLength = int64(len(out))
		resp.Header.Set("Content-Length", strconv.Itoa(len(out)))
		return nil
	}
	resp.Body = &looked{ReadCloser: resp.Body, ctx: ctx, hold: k}
	resp.ContentLength = -1
	resp.Header.Del("Content-Length") // what the body will be isn't known yet
	return nil
}
