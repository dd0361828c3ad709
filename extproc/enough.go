package extproc

import (
	"math"

	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"mcp-toolsearch/sidecar"
)

// turnedAway is how many streams may be waiting to be told to come again; more of them are ended unheard, which the
// client sees as the gateway's own 503.
const turnedAway = 1024

// perConnection is how many streams one of Envoy's connections may have.
func (s *Server) perConnection() uint32 {
	most := s.o.Bounds.Requests.Most()
	if most == 0 || most > math.MaxUint32-turnedAway {
		return math.MaxUint32
	}
	return uint32(most) + turnedAway
}

// admitted runs a stream for which there is a place, and turns all others away.
func (st *stream) admitted() error {
	s := st.server
	if s.o.Bounds.Requests.Enter() {
		defer s.o.Bounds.Requests.Leave()
		defer st.makeRoom()
		return st.run()
	}
	if !s.away.Enter() {
		return status.Error(codes.ResourceExhausted, "too many streams are open: try again in a moment")
	}
	defer s.away.Leave()
	st.requestMode = buffered
	msg, err := st.grpc.Recv()
	if err != nil {
		return st.ended(err)
	}
	if err := st.configured(msg); err != nil {
		return err
	}
	if _, ok := msg.Request.(*extprocv3.ProcessingRequest_RequestHeaders); !ok {
		return status.Error(codes.ResourceExhausted, "too many streams are open: try again in a moment")
	}
	return st.turnAway()
}

// turnAway answers a request for which there is no room. A gRPC error would do as well for safety, but only says 503.
func (st *stream) turnAway() error {
	d := sidecar.Overloaded()
	st.answered = true
	return st.send(immediate(&d))
}

// take makes room for a piece of the body.
func (st *stream) take(bytes int) bool {
	if !st.server.o.Bounds.Bodies.Take(int64(bytes)) {
		return false
	}
	st.held += int64(bytes)
	return true
}

// makeRoom gives up what was taken.
func (st *stream) makeRoom() {
	st.server.o.Bounds.Bodies.Give(st.held)
	st.held = 0
}
