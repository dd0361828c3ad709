package extproc

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/bounds"
	"mcp-toolsearch/sidecar/crash"
)

// Engine decides. [sidecar.Engine] is the implementation.
type Engine interface {
	DecideHeaders(ctx context.Context, req sidecar.Request, hasBody bool) (sidecar.Decision, bool)
	Decide(ctx context.Context, req sidecar.Request) sidecar.Decision
	AnswerHeader(d *sidecar.Decision, req sidecar.Request, status int, h http.Header) http.Header
	EditsBody(d *sidecar.Decision, status int, h http.Header) bool
	EditAnswer(ctx context.Context, d *sidecar.Decision, message []byte) ([]byte, bool)
	IsAnswer(message []byte) bool
	TooLarge(d *sidecar.Decision)
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
	Bounds    bounds.Door   // of requests and bodies
	BodyBytes int           // largest request body; 4 MiB
	EditBytes int           // largest answer held for an edit; 32,000
	Patience  time.Duration // how long work may take before Envoy is asked for more time; 100 ms, below Envoy's own default of 200 ms
	Extension time.Duration // how much more; 595 s, below the shipped max_message_timeout
}

// Server is the ext_proc service. It is safe for concurrent use.
type Server struct {
	extprocv3.UnimplementedExternalProcessorServer
	o         Options
	away      *bounds.Gate  // streams that are told to come again
	leaving   chan struct{} // closed when streams that only wait have to go
	leaveOnce sync.Once
	modesOnce sync.Once
	muteOnce  sync.Once
	sawBody   atomic.Bool  // an answer's body came, so overrides are honoured
	mute      atomic.Int32 // streams whose answer's body was asked for and never came
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
		o.Patience = 100 * time.Millisecond
	}
	if o.Extension <= 0 {
		o.Extension = 595 * time.Second
	}
	return &Server{o: o, away: bounds.NewGate(turnedAway, nil), leaving: make(chan struct{})}
}

// errWithoutAnswer ends a stream whose request was not answered. It must be an error: after a good end Envoy carries
// the request on as it came, even with failure_mode_allow off.
var errWithoutAnswer = status.Error(codes.Aborted, "the stream ended before the request was answered")

// errLeft says that a stream was left because the sidecar stops.
var errLeft = errors.New("left")

// Process serves one HTTP request's stream.
func (s *Server) Process(grpcStream extprocv3.ExternalProcessor_ProcessServer) error {
	s.o.Observer.StreamOpened()
	st := &stream{server: s, grpc: grpcStream, ctx: grpcStream.Context()}
	err := s.guarded(st.admitted)
	st.decision.Done()
	s.o.Observer.StreamClosed(outcome(st, err))
	return err
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

// guarded runs f. A panic becomes an error and a line in the log, without the panic's value.
func (s *Server) guarded(f func() error) (err error) {
	defer func() {
		if r := crash.Of(recover()); r != nil {
			s.o.Logger.Error("a request made the sidecar panic; it was refused", "panic", r.What, "stack", r.Stack)
			err = status.Error(codes.Internal, "internal error")
		}
	}()
	return f()
}

// leave ends the streams that only wait for an answer's headers or its first event: Envoy carries such an answer on
// unchanged, where a cut stream would fail it.
func (s *Server) leave() { s.leaveOnce.Do(func() { close(s.leaving) }) }

// enoughMute is how many answers must stay mute before it is reported: one may be a client that went away.
const enoughMute = 3

// bodyStayedAway counts an answer whose body was asked for and never came, and tells once that none ever does.
func (s *Server) bodyStayedAway() {
	if s.sawBody.Load() || s.mute.Add(1) < enoughMute {
		return
	}
	s.warnMute()
}

func (s *Server) warnMute() {
	s.muteOnce.Do(func() {
		s.o.Logger.Warn("Envoy sends no answer bodies although the sidecar asks for them: calls and searches work, instructions are not merged. " +
			"On the ext_proc filter set allow_mode_override: true and request_body_mode: BUFFERED; a list of allowed_override_modes needs " +
			"{request_body_mode: BUFFERED, response_header_mode: SEND} with response_body_mode BUFFERED and with STREAMED.")
	})
}

func (s *Server) warnModes(request, response string) {
	s.modesOnce.Do(func() {
		s.o.Logger.Error("the ext_proc filter's processing_mode can't work: every request on the search route is refused. "+
			"Set request_body_mode: BUFFERED (or FULL_DUPLEX_STREAMED), request_header_mode: SEND and no observability_mode.",
			"request_body_mode", request, "response_body_mode", response)
	})
}
