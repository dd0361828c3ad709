package extproc

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"mcp-toolsearch/sidecar"
)

// Engine decides. [sidecar.Engine] is the implementation.
type Engine interface {
	DecideHeaders(ctx context.Context, req sidecar.Request, hasBody bool) (sidecar.Decision, bool)
	Decide(ctx context.Context, req sidecar.Request) sidecar.Decision
	AnswerHeader(d *sidecar.Decision, req sidecar.Request, status int, h http.Header) http.Header
	EditsBody(d *sidecar.Decision, status int, h http.Header) bool
	EditAnswer(ctx context.Context, d *sidecar.Decision, message []byte) ([]byte, bool)
	IsAnswer(message []byte) bool
}

// Observer is told about streams, for metrics.
type Observer interface {
	// StreamOpened and StreamClosed bracket one ext_proc stream. outcome is "done", "canceled" or "error".
	StreamOpened()
	StreamClosed(outcome string)
	// AnswerBytes counts bytes of upstreams' answers that passed through the sidecar.
	AnswerBytes(n int)
}

// Options configure a [Server]. Zero values mean the defaults named beside each field.
type Options struct {
	Engine    Engine
	Observer  Observer
	Logger    *slog.Logger
	BodyBytes int           // largest request body; 4 MiB
	EditBytes int           // largest answer held for an edit; 32,000
	Patience  time.Duration // how long a decision may take before Envoy is asked for more time; 1 s
	Extension time.Duration // how much more; 595 s, below the shipped max_message_timeout
}

// Server is the ext_proc service. It is safe for concurrent use.
type Server struct {
	extprocv3.UnimplementedExternalProcessorServer
	o     Options
	modes sync.Once
	mute  sync.Once
}

// New returns the service. Engine, Observer and Logger must be set.
func New(o Options) *Server {
	if o.BodyBytes <= 0 {
		o.BodyBytes = 4 << 20
	}
	if o.EditBytes <= 0 {
		o.EditBytes = 32000
	}
	if o.Patience <= 0 {
		o.Patience = time.Second
	}
	if o.Extension <= 0 {
		o.Extension = 595 * time.Second
	}
	return &Server{o: o}
}

// errWithoutAnswer ends a stream whose request was not answered. It must be an error: after a good end Envoy carries
// the request on as it came, even with failure_mode_allow off.
var errWithoutAnswer = status.Error(codes.Aborted, "the stream ended before the request was answered")

// Process serves one HTTP request's stream.
func (s *Server) Process(grpcStream extprocv3.ExternalProcessor_ProcessServer) (err error) {
	s.o.Observer.StreamOpened()
	st := &stream{server: s, grpc: grpcStream, ctx: grpcStream.Context()}
	defer func() {
		if p := recover(); p != nil {
			// The value of a panic may hold request bytes; the stack of functions is enough to find it.
			s.o.Logger.Error("a request made the sidecar panic; it was refused", "stack", string(debug.Stack()))
			err = status.Error(codes.Internal, "internal error")
		}
		s.o.Observer.StreamClosed(outcome(st, err))
	}()
	return st.run()
}

func outcome(st *stream, err error) string {
	switch {
	case err == nil:
		return "done"
	case st.ctx.Err() != nil:
		return "canceled"
	}
	return "error"
}

// run answers Envoy's messages until there is nothing left to do.
func (st *stream) run() error {
	for {
		msg, err := st.grpc.Recv()
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

// ended says how the stream ends when Envoy ended it: well only after the request was answered.
func (st *stream) ended(err error) error {
	if st.answered && (errors.Is(err, io.EOF) || status.Code(err) == codes.Canceled) {
		st.warnMute()
		return nil
	}
	if errors.Is(err, io.EOF) {
		return errWithoutAnswer
	}
	return err
}

// warnMute tells once that answer bodies never come although they were asked for.
func (st *stream) warnMute() {
	if !st.askedForBody || st.sawBody || st.ctx.Err() != nil {
		return
	}
	st.server.mute.Do(func() {
		st.server.o.Logger.Warn("Envoy sent no answer body although the sidecar asked for it: instructions are not merged. " +
			"Set allow_mode_override: true on the ext_proc filter (and request_body_mode: BUFFERED).")
	})
}

func (s *Server) warnModes(request, response string) {
	s.modes.Do(func() {
		s.o.Logger.Error("the ext_proc filter's processing_mode can't work: every request on the search route is refused. "+
			"Set request_body_mode: BUFFERED (or FULL_DUPLEX_STREAMED) and request_header_mode: SEND.",
			"request_body_mode", request, "response_body_mode", response)
	})
}
