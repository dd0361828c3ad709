package extproc

import (
	"context"
	"net/http"
	"time"

	filterv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"mcp-toolsearch/sidecar"
)

// stream is the state of one HTTP request.
type stream struct {
	server *Server
	grpc   extprocv3.ExternalProcessor_ProcessServer
	ctx    context.Context

	duplexRequest  bool // request_body_mode FULL_DUPLEX_STREAMED
	duplexResponse bool // response_body_mode FULL_DUPLEX_STREAMED

	req      sidecar.Request
	body     []byte
	decision sidecar.Decision
	answered bool // the request was answered: a good end is safe

	hold         *hold // the answer's body, when it may need an edit
	askedForBody bool
	sawBody      bool
}

// step answers one message of Envoy's. done ends the stream well.
func (st *stream) step(msg *extprocv3.ProcessingRequest) (done bool, err error) {
	if c := msg.GetProtocolConfig(); c != nil {
		st.duplexRequest = c.RequestBodyMode == filterv3.ProcessingMode_FULL_DUPLEX_STREAMED
		st.duplexResponse = c.ResponseBodyMode == filterv3.ProcessingMode_FULL_DUPLEX_STREAMED
		switch c.RequestBodyMode {
		case filterv3.ProcessingMode_STREAMED, filterv3.ProcessingMode_BUFFERED_PARTIAL, filterv3.ProcessingMode_NONE:
			st.server.warnModes(c.RequestBodyMode.String(), c.ResponseBodyMode.String())
			return false, status.Error(codes.FailedPrecondition, "processing_mode.request_body_mode must be BUFFERED")
		}
	}
	switch m := msg.Request.(type) {
	case *extprocv3.ProcessingRequest_RequestHeaders:
		return st.requestHeaders(m.RequestHeaders)
	case *extprocv3.ProcessingRequest_RequestBody:
		return st.requestBody(m.RequestBody)
	case *extprocv3.ProcessingRequest_RequestTrailers:
		return st.requestTrailers()
	case *extprocv3.ProcessingRequest_ResponseHeaders:
		return st.responseHeaders(m.ResponseHeaders)
	case *extprocv3.ProcessingRequest_ResponseBody:
		return st.responseBody(m.ResponseBody)
	case *extprocv3.ProcessingRequest_ResponseTrailers:
		return st.responseTrailers()
	}
	return false, status.Error(codes.Unimplemented, "unknown message of the ext_proc protocol")
}

func (st *stream) send(r *extprocv3.ProcessingResponse) error { return st.grpc.Send(r) }

func (st *stream) requestHeaders(m *extprocv3.HttpHeaders) (done bool, err error) {
	st.req = requestOf(m)
	d, ok := st.server.o.Engine.DecideHeaders(st.ctx, st.req, !m.EndOfStream)
	if !ok {
		if st.duplexRequest { // the route can still change while the headers' answer is withheld
			return false, nil
		}
		return false, st.send(headersAnswer(&extprocv3.CommonResponse{}))
	}
	st.decision, st.answered = d, true
	if d.Kind == sidecar.Answer {
		return true, st.send(immediate(&d))
	}
	return false, st.send(headersAnswer(&extprocv3.CommonResponse{HeaderMutation: mutation(&d, -1), ClearRouteCache: d.Path != ""}))
}

func (st *stream) requestBody(m *extprocv3.HttpBody) (done bool, err error) {
	if len(st.body)+len(m.Body) > st.server.o.BodyBytes+1 { // one more than allowed is kept, so that the scan refuses it
		st.body = append(st.body, m.Body[:st.server.o.BodyBytes+1-len(st.body)]...)
	} else {
		st.body = append(st.body, m.Body...)
	}
	if st.duplexRequest {
		if !m.EndOfStream {
			return false, nil
		}
		return st.decideDuplex(true)
	}
	// BUFFERED: one message, whose end_of_stream is unset when trailers or a decompressor come after it.
	if err := st.decide(); err != nil {
		return false, err
	}
	d := &st.decision
	st.answered = true
	if d.Kind == sidecar.Answer {
		return true, st.send(immediate(d))
	}
	common := &extprocv3.CommonResponse{HeaderMutation: mutation(d, len(d.NewBody)), ClearRouteCache: d.Path != ""}
	if d.NewBody != nil {
		common.BodyMutation = &extprocv3.BodyMutation{Mutation: &extprocv3.BodyMutation_Body{Body: d.NewBody}}
	}
	return false, st.send(bodyAnswer(common))
}

// decideDuplex answers the withheld headers, then the whole body in one piece. ended is false when trailers come.
func (st *stream) decideDuplex(ended bool) (done bool, err error) {
	if err := st.decide(); err != nil {
		return false, err
	}
	d := &st.decision
	st.answered = true
	if d.Kind == sidecar.Answer {
		return true, st.send(immediate(d))
	}
	err = st.send(headersAnswer(&extprocv3.CommonResponse{HeaderMutation: mutation(d, -1), ClearRouteCache: d.Path != ""}))
	if err != nil {
		return false, err
	}
	body := d.NewBody
	if body == nil {
		body = st.body
	}
	return false, st.send(bodyAnswer(streamed(body, ended)))
}

func (st *stream) requestTrailers() (done bool, err error) {
	if st.duplexRequest && !st.answered {
		if done, err := st.decideDuplex(false); done || err != nil {
			return done, err
		}
	}
	return false, st.send(&extprocv3.ProcessingResponse{Response: &extprocv3.ProcessingResponse_RequestTrailers{
		RequestTrailers: &extprocv3.TrailersResponse{}}})
}

// decide asks the engine, and Envoy for more time when that takes long (a cold catalog, a batch). The decision ends
// with the stream's context, so it never outlives the request.
func (st *stream) decide() error {
	st.req.Body = st.body
	type result struct {
		decision sidecar.Decision
		panicked any
	}
	results := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			r.panicked = recover()
			results <- r
		}()
		r.decision = st.server.o.Engine.Decide(st.ctx, st.req)
	}()
	timer := time.NewTimer(st.server.o.Patience)
	defer timer.Stop()
	for {
		select {
		case r := <-results:
			if r.panicked != nil {
				panic(r.panicked)
			}
			st.decision = r.decision
			return st.ctx.Err()
		case <-timer.C:
			if st.duplexRequest { // no message timeout runs there
				continue
			}
			more := &extprocv3.ProcessingResponse{OverrideMessageTimeout: durationpb.New(st.server.o.Extension)}
			if err := st.send(more); err != nil {
				<-results // a stream that can't be written to has ended, and so does the decision
				return err
			}
		}
	}
}

func (st *stream) responseHeaders(m *extprocv3.HttpHeaders) (done bool, err error) {
	code, h := statusAndHeader(m)
	if !st.answered { // a local reply of Envoy's came before the request was decided, its 413 for example
		return true, st.send(answerHeaders(&extprocv3.CommonResponse{}, nil))
	}
	set := st.server.o.Engine.AnswerHeader(&st.decision, st.req, code, h)
	common := &extprocv3.CommonResponse{HeaderMutation: headerMutation(set, nil)}
	if !m.EndOfStream && st.server.o.Engine.EditsBody(&st.decision, code, h) {
		st.hold = newHold(st, h)
	}
	if st.duplexResponse {
		if m.EndOfStream {
			return true, st.send(answerHeaders(common, nil))
		}
		return false, st.send(answerHeaders(common, nil))
	}
	if st.hold == nil || st.hold.mode == filterv3.ProcessingMode_NONE {
		return true, st.send(answerHeaders(common, nil))
	}
	st.askedForBody = true
	return false, st.send(answerHeaders(common, &filterv3.ProcessingMode{
		RequestBodyMode: filterv3.ProcessingMode_BUFFERED, ResponseBodyMode: st.hold.mode}))
}

func (st *stream) responseBody(m *extprocv3.HttpBody) (done bool, err error) {
	st.sawBody = true
	if st.duplexResponse {
		return st.duplexBody(m)
	}
	if st.hold == nil { // a filter configured to send bodies that nobody asked for
		return true, st.send(bodyOfAnswer(&extprocv3.CommonResponse{}))
	}
	st.server.o.Observer.AnswerBytes(len(m.Body))
	out, over := st.hold.add(st.ctx, m.Body, m.EndOfStream)
	common := &extprocv3.CommonResponse{}
	switch {
	case st.hold.mode == filterv3.ProcessingMode_BUFFERED && st.hold.edited:
		common.HeaderMutation = contentLength(len(out))
		common.BodyMutation = &extprocv3.BodyMutation{Mutation: &extprocv3.BodyMutation_Body{Body: out}}
	case st.hold.mode == filterv3.ProcessingMode_BUFFERED:
	case len(out) == 0 && len(m.Body) > 0:
		common.BodyMutation = &extprocv3.BodyMutation{Mutation: &extprocv3.BodyMutation_ClearBody{ClearBody: true}}
	case !same(out, m.Body):
		common.BodyMutation = &extprocv3.BodyMutation{Mutation: &extprocv3.BodyMutation_Body{Body: out}}
	}
	return over || m.EndOfStream, st.send(bodyOfAnswer(common))
}

// duplexBody echoes a full-duplex answer to its end, edited where it has to be. Such a stream must not be left early.
func (st *stream) duplexBody(m *extprocv3.HttpBody) (done bool, err error) {
	st.server.o.Observer.AnswerBytes(len(m.Body))
	out := m.Body
	if st.hold != nil {
		var over bool
		if out, over = st.hold.add(st.ctx, m.Body, m.EndOfStream); over {
			st.hold = nil
		}
	}
	if len(out) == 0 && !m.EndOfStream {
		return false, nil // held: nothing to pass on yet
	}
	return m.EndOfStream, st.send(bodyOfAnswer(streamed(out, m.EndOfStream)))
}

func (st *stream) responseTrailers() (done bool, err error) {
	if st.hold != nil && st.duplexResponse {
		if out := st.hold.flush(st.ctx); len(out) > 0 {
			if err := st.send(bodyOfAnswer(streamed(out, false))); err != nil {
				return false, err
			}
		}
	}
	return true, st.send(&extprocv3.ProcessingResponse{Response: &extprocv3.ProcessingResponse_ResponseTrailers{
		ResponseTrailers: &extprocv3.TrailersResponse{}}})
}

// requestOf reads a request's headers.
func requestOf(m *extprocv3.HttpHeaders) sidecar.Request {
	req := sidecar.Request{Header: http.Header{}}
	for _, h := range m.GetHeaders().GetHeaders() {
		v := string(h.RawValue)
		if v == "" {
			v = h.Value
		}
		switch h.Key {
		case ":method":
			req.Method = v
		case ":path":
			req.Path = v
		case ":authority":
			req.Authority = v
		case ":scheme":
			req.Scheme = v
		case "host":
		default:
			req.Header.Add(h.Key, v)
		}
	}
	if proto := req.Header.Get("X-Forwarded-Proto"); proto == "https" || proto == "http" {
		req.Scheme = proto
	}
	return req
}
