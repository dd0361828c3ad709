package extproc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
)

// socketMode lets Envoy's group connect to a unix socket, and nobody else.
const socketMode = 0o660

// Listener is a running ext_proc service with its health service.
type Listener struct {
	server *Server
	grpc   *grpc.Server
	health *health.Server
	net    net.Listener
	served chan error
}

// Listen starts serving s on address: host:port, or unix:///path (a socket left behind by a dead process is removed).
// It returns when the socket accepts connections; Shutdown ends it. Health checks are told NOT_SERVING until
// SetServing(true).
func Listen(ctx context.Context, s *Server, address string) (*Listener, error) {
	lis, err := listen(ctx, address)
	if err != nil {
		return nil, err
	}
	l := &Listener{server: s, net: lis, health: health.NewServer(), served: make(chan error, 1)}
	l.grpc = grpc.NewServer(
		// A body above the limit must reach the scan, which refuses it with a JSON-RPC error. With HTTP/2 clients Envoy
		// buffers up to their window of 16 MiB, whatever its own limit says.
		grpc.MaxRecvMsgSize(max(32<<20, 4*s.o.BodyBytes)),
		grpc.MaxSendMsgSize(max(32<<20, 4*s.o.BodyBytes)),
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

func listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	path, unix := strings.CutPrefix(address, "unix://")
	if !unix {
		lis, err := lc.Listen(ctx, "tcp", address)
		if err != nil {
			return nil, fmt.Errorf("ext_proc can't listen on %s: %w; choose another --extproc-listen", address, err)
		}
		return lis, nil
	}
	if err := removeStale(ctx, path); err != nil {
		return nil, err
	}
	lis, err := lc.Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("ext_proc can't listen on socket %s: %w; check that its folder exists and is writable", path, err)
	}
	if err := os.Chmod(path, socketMode); err != nil {
		return nil, errors.Join(fmt.Errorf("the socket %s can't be given its permissions: %w", path, err), lis.Close())
	}
	return lis, nil
}

// removeStale removes a socket that nobody listens on. A file that isn't a socket, or one in use, stays.
func removeStale(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("%s exists and is not a socket: choose another --extproc-listen", path)
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err == nil {
		return errors.Join(fmt.Errorf("another process listens on %s: stop it, or choose another --extproc-listen", path), c.Close())
	}
	if !errors.Is(err, syscall.ECONNREFUSED) { // only a refusal shows that nobody is behind it
		return fmt.Errorf("%s exists and can't be tried: %w; remove it, or choose another --extproc-listen", path, err)
	}
	return os.Remove(path)
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
