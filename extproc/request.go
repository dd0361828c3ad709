package extproc

import (
	"context"
	"net/http"
	"strings"

	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

func (st *stream) requestHeaders(m *extprocv3.HttpHeaders) (done bool, err error) {
	st.req = requestOf(m)
	st.req.Trace = traceOf(st.ctx)
	var d sidecar.Decision
	var decided bool
	err = st.within(st.requestMode, func() {
		d, decided = st.server.o.Engine.DecideHeaders(st.ctx, st.req, !m.EndOfStream)
	})
	if err != nil {
		return false, err
	}
	if !decided {
		if st.requestMode == duplex { // the route can still change while the headers' answer is withheld
			return false, nil
		}
		return false, st.send(headersAnswer(&extprocv3.CommonResponse{}, st.wantAnswerHeaders()))
	}
	st.decision, st.answered = d, true
	if d.Kind == sidecar.Answer {
		return true, st.send(immediate(&d))
	}
	return false, st.send(headersAnswer(onward(&d, -1), st.wantAnswerHeaders()))
}

func (st *stream) requestBody(m *extprocv3.HttpBody) (done bool, err error) {
	if st.answered {
		return false, st.bodyAfterAnswer()
	}
	if !st.take(len(m.Body)) {
		return true, st.turnAway()
	}
	if st.body == nil {
		st.body = m.Body
	} else {
		st.body = append(st.body, m.Body...)
	}
	if st.requestMode == duplex {
		return st.duplexPiece(m.EndOfStream)
	}
	// BUFFERED: one message, whose end_of_stream is unset when trailers or a decompressor come after it.
	if err := st.decide(); err != nil {
		return false, err
	}
	d := &st.decision
	if d.Kind == sidecar.Answer {
		return true, st.send(immediate(d))
	}
	common := onward(d, len(d.NewBody))
	if d.NewBody != nil {
		common.BodyMutation = wholeBody(d.NewBody)
	}
	st.forgetBodies()
	return false, st.send(bodyAnswer(common))
}

// bodyAfterAnswer meets a body of a request that was decided already. Full-duplex Envoys may send the last piece twice
// (envoyproxy/envoy issue 46237); all of it went on in our own answer. Anywhere else it would go on unseen.
func (st *stream) bodyAfterAnswer() error {
	if st.requestMode == duplex {
		return nil
	}
	return status.Error(codes.FailedPrecondition, "a body came after the request was decided")
}

// duplexPiece waits for the end of a full-duplex body; one over the limit is refused without waiting for it.
func (st *stream) duplexPiece(end bool) (done bool, err error) {
	tooLarge := len(st.body) > st.server.o.BodyBytes
	if !end && !tooLarge {
		return false, nil
	}
	done, err = st.decideDuplex(end)
	if err == nil && !done && !end {
		return false, status.Error(codes.ResourceExhausted, "the body is over the limit of the ext_proc door")
	}
	return done, err
}

// decideDuplex answers the withheld headers, then the whole body in one piece. ended is false when trailers come.
func (st *stream) decideDuplex(ended bool) (done bool, err error) {
	if err := st.decide(); err != nil {
		return false, err
	}
	d := &st.decision
	if d.Kind == sidecar.Answer {
		return true, st.send(immediate(d))
	}
	if !ended && len(st.body) > st.server.o.BodyBytes {
		return false, nil
	}
	if err := st.send(headersAnswer(onward(d, -1), nil)); err != nil {
		return false, err
	}
	body := d.NewBody
	if body == nil {
		body = st.body
	}
	st.forgetBodies()
	return false, st.send(bodyAnswer(piece(body, ended)))
}

func (st *stream) requestTrailers() (done bool, err error) {
	if !st.answered {
		if st.requestMode != duplex { // no body came, and trailers can't carry a decision
			return false, errWithoutAnswer
		}
		if done, err := st.decideDuplex(false); done || err != nil {
			return done, err
		}
	}
	return false, st.send(&extprocv3.ProcessingResponse{Response: &extprocv3.ProcessingResponse_RequestTrailers{
		RequestTrailers: &extprocv3.TrailersResponse{}}})
}

// decide asks the engine about the request with its body.
func (st *stream) decide() error {
	st.req.Body = st.body
	err := st.within(st.requestMode, func() { st.decision = st.server.o.Engine.Decide(st.ctx, st.req) })
	if err != nil {
		return err
	}
	if err := st.ctx.Err(); err != nil {
		return status.FromContextError(err).Err()
	}
	st.answered = true
	return nil
}

// forgetBodies lets go of the bodies while the upstream works: there may be thousands of such streams.
func (st *stream) forgetBodies() {
	st.body, st.req.Body, st.decision.NewBody = nil, nil, nil
	st.makeRoom()
}

// traceOf is the span in which Envoy called us, where Envoy traces: the request's headers don't have it yet.
func traceOf(ctx context.Context) wire.Trace {
	parents := metadata.ValueFromIncomingContext(ctx, "traceparent")
	if len(parents) != 1 {
		return wire.Trace{}
	}
	return wire.Trace{Parent: parents[0], State: strings.Join(metadata.ValueFromIncomingContext(ctx, "tracestate"), ",")}
}

// requestOf reads a request's headers.
func requestOf(m *extprocv3.HttpHeaders) sidecar.Request {
	req := sidecar.Request{Header: http.Header{}, Reroutes: true}
	for _, h := range m.GetHeaders().GetHeaders() {
		v := valueOf(h)
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
