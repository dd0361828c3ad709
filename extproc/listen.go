package extproc

import (
	"context"
	"net"
	"time"

	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
)

// Listener is a running ext_proc service with its health service.
type Listener struct {
	server *Server
	grpc   *grpc.Server
	health *health.Server
	net    net.Listener
	served chan error
}

// Listen starts serving s at a place; a socket left behind by a dead process is removed. It returns when the socket
// accepts connections; Shutdown ends it. Health checks are told NOT_SERVING until SetServing(true).
func Listen(ctx context.Context, s *Server, p Place) (*Listener, error) {
	lis, err := p.listen(ctx)
	if err != nil {
		return nil, err
	}
	l := &Listener{server: s, net: lis, health: health.NewServer(), served: make(chan error, 1)}
	l.grpc = grpc.NewServer(
		grpc.Creds(p.credentials(s.o.Logger)),
		// A body above the limit must reach the scan, which refuses it with a JSON-RPC error. With HTTP/2 clients Envoy
		// buffers up to their window of 16 MiB, whatever its own limit says.
		grpc.MaxRecvMsgSize(max(32<<20, 4*s.o.BodyBytes)),
		grpc.MaxSendMsgSize(max(32<<20, 4*s.o.BodyBytes)),
		// Those that are one too many get an answer, which a client can read: Envoy has to send them first.
		grpc.MaxConcurrentStreams(s.perConnection()),
		grpc.MaxHeaderListSize(64<<10), grpc.ConnectionTimeout(10*time.Second),
		// Envoy's connection_keepalive is below Go's default minimum of five minutes, which closes its connections.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true}),
	)
	extprocv3.RegisterExternalProcessorServer(l.grpc, s)
	healthv1.RegisterHealthServer(l.grpc, l.health)
	l.SetServing(false)
	go func() {
		defer close(l.served)
		l.served <- l.grpc.Serve(lis)
	}()
	return l, nil
}

// Addr is the address that is listened on.
func (l *Listener) Addr() net.Addr { return l.net.Addr() }

// Failed delivers the error when serving ends before Shutdown.
func (l *Listener) Failed() <-chan error { return l.served }

// SetServing tells Envoy's health checks whether to send requests here.
func (l *Listener) SetServing(serving bool) {
	status := healthv1.HealthCheckResponse_NOT_SERVING
	if serving {
		status = healthv1.HealthCheckResponse_SERVING
	}
	l.health.SetServingStatus("", status)
	l.health.SetServingStatus(extprocv3.ExternalProcessor_ServiceDesc.ServiceName, status)
}

// lastCall is how long streams have that were told to leave.
const lastCall = time.Second

// Shutdown drains: it says NOT_SERVING, waits until Envoy's health check has seen it, and lets the open streams end.
// When ctx ends, streams that only wait for an upstream are left, so that its answers still arrive, and the others cut
// (decisions under way).
func (l *Listener) Shutdown(ctx context.Context, notice time.Duration) {
	l.SetServing(false)
	timer := time.NewTimer(notice)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		l.grpc.GracefulStop()
	}()
	select {
	case <-drained:
		return
	case <-ctx.Done():
	}
	l.server.leave()
	timer.Reset(lastCall)
	select {
	case <-drained:
	case <-timer.C:
		l.grpc.Stop()
		<-drained
	}
}
