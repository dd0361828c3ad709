package extproc

import (
	"context"
	"errors"
	"io"
	"time"

	filterv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"mcp-toolsearch/sidecar"
)

type bodyMode = filterv3.ProcessingMode_BodySendMode

const (
	none     = filterv3.ProcessingMode_NONE
	buffered = filterv3.ProcessingMode_BUFFERED
	streamed = filterv3.ProcessingMode_STREAMED
	duplex   = filterv3.ProcessingMode_FULL_DUPLEX_STREAMED
)

// stream is the state of one HTTP request. Its messages are handled one after the other.
type stream struct {
	server *Server
	grpc   extprocv3.ExternalProcessor_ProcessServer
	ctx    context.Context

	requestMode  bodyMode // as configured; buffered when Envoy doesn't say
	responseMode bodyMode // as configured

	req      sidecar.Request
	body     []byte
	held     int64 // bytes for which room was taken
	decision sidecar.Decision
	answered bool // the request was answered: a good end is safe

	hold         *hold // the answer's body, when it may need an edit
	askedForBody bool
	sawBody      bool
}

// run answers Envoy's messages until there is nothing left to do.
func (st *stream) run() error {
	st.requestMode = buffered
	for {
		msg, err := st.receive()
		if err != nil {
			return st.ended(err)
		}
		done, err := st.step(msg)
		if err != nil {
			return err
		}
		if done {
			return nil
		}
	}
}

// receive waits for Envoy's next message. A stream that could just as well end now ends when the sidecar stops.
func (st *stream) receive() (*extprocv3.ProcessingRequest, error) {
	if !st.answered || st.responseMode == duplex || st.hold.holds() {
		return st.grpc.Recv()
	}
	type received struct {
		msg *extprocv3.ProcessingRequest
		err error
	}
	next := make(chan received, 1)
	go func() { // ends with the stream: Recv returns when the handler does
		msg, err := st.grpc.Recv()
		next <- received{msg, err}
	}()
	select {
	case r := <-next:
		return r.msg, r.err
	case <-st.server.leaving:
		return nil, errLeft
	}
}

// ended says how the stream ends when Envoy ended it: well only after the request was answered.
func (st *stream) ended(err error) error {
	over := errors.Is(err, io.EOF) || errors.Is(err, errLeft)
	if st.answered && (over || status.Code(err) == codes.Canceled) {
		if st.askedForBody && !st.sawBody && !errors.Is(err, errLeft) {
			st.server.bodyStayedAway()
		}
		return nil
	}
	if over {
		return errWithoutAnswer
	}
	return err
}

// step answers one message of Envoy's. done ends the stream well.
func (st *stream) step(msg *extprocv3.ProcessingRequest) (done bool, err error) {
	if err := st.configured(msg); err != nil {
		return false, err
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

// configured reads the filter's configuration, which comes with the first message, and refuses what can't work: in the
// other modes the route can't change any more when the body is here.
func (st *stream) configured(msg *extprocv3.ProcessingRequest) error {
	c := msg.GetProtocolConfig()
	if c != nil {
		st.requestMode, st.responseMode = c.RequestBodyMode, c.ResponseBodyMode
	}
	if !msg.ObservabilityMode && (st.requestMode == buffered || st.requestMode == duplex) {
		return nil
	}
	st.server.warnModes(st.requestMode.String(), st.responseMode.String())
	return status.Error(codes.FailedPrecondition, "the ext_proc filter's processing_mode.request_body_mode must be BUFFERED")
}

func (st *stream) send(r *extprocv3.ProcessingResponse) error { return st.grpc.Send(r) }

// within runs work that may take long (a cold catalog, a batch, a directory of sources) and asks Envoy once for more
// time, where Envoy measures it. work must end with the stream's context, so it never outlives the request.
func (st *stream) within(mode bodyMode, work func()) error {
	err := errWithoutAnswer
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = st.server.guarded(func() error {
			work()
			return nil
		})
	}()
	timer := time.NewTimer(st.server.o.Patience)
	defer timer.Stop()
	select {
	case <-done:
		return err
	case <-timer.C:
	}
	var sent error
	if mode != duplex { // no message timeout runs there
		sent = st.send(moreTime(st.server.o.Extension))
	}
	<-done // a stream that can't be written to has ended, and so does the work
	return errors.Join(sent, err)
}
