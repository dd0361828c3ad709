package extproc_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"go.uber.org/goleak"
	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"mcp-toolsearch/extproc"
	"mcp-toolsearch/sidecar"
)

// listener is a running door on a real socket.
type listener struct {
	*extproc.Listener
	conn   *grpc.ClientConn
	counts *counts
}

func listen(t *testing.T, address string, e extproc.Engine) *listener {
	t.Helper()
	existing := goleak.IgnoreCurrent()
	l := &listener{counts: &counts{}}
	var err error
	l.Listener, err = extproc.Listen(t.Context(), doorOf(e, l.counts), extproc.Place{Address: address})
	if err != nil {
		t.Fatal(err)
	}
	target := l.Addr().String()
	if l.Addr().Network() == "unix" {
		target = "unix://" + target
	}
	l.conn, err = grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		if err := l.conn.Close(); err != nil {
			t.Error(err)
		}
		l.Shutdown(ended, 0)
		if err := <-l.Failed(); err != nil {
			t.Error(err)
		}
		goleak.VerifyNone(t, existing)
	})
	return l
}

func doorOf(e extproc.Engine, c *counts) *extproc.Server {
	return extproc.New(extproc.Options{Engine: e, Observer: c, Logger: slog.New(slog.DiscardHandler), Patience: patient})
}

func (l *listener) open(t *testing.T) extprocv3.ExternalProcessor_ProcessClient {
	t.Helper()
	s, err := extprocv3.NewExternalProcessorClient(l.conn).Process(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// exchange sends rows and waits for an answer to each.
func exchange(t *testing.T, s extprocv3.ExternalProcessor_ProcessClient, rows ...string) []string {
	t.Helper()
	var last []string
	for _, row := range rows {
		if err := s.Send(parseLine(row).message(t)); err != nil {
			t.Fatal(err)
		}
		r, err := s.Recv()
		if err != nil {
			t.Fatal(err)
		}
		last = describe(r)
	}
	return last
}

func (l *listener) health(t *testing.T, service string) string {
	t.Helper()
	r, err := healthv1.NewHealthClient(l.conn).Check(t.Context(), &healthv1.HealthCheckRequest{Service: service})
	if err != nil {
		t.Fatal(err)
	}
	return r.Status.String()
}

func TestHealthFollowsSetServing(t *testing.T) {
	l := listen(t, "127.0.0.1:0", always(sidecar.Decision{}))
	for _, service := range []string{"", "envoy.service.ext_proc.v3.ExternalProcessor"} {
		before := l.health(t, service)
		l.SetServing(true)
		serving := l.health(t, service)
		l.SetServing(false)
		if got := fmt.Sprint(before, serving, l.health(t, service)); got != "NOT_SERVINGSERVINGNOT_SERVING" {
			t.Errorf("health of %q is %s", service, got)
		}
	}
}

func TestABodyOverTheLimitReachesTheScan(t *testing.T) {
	got := make(chan int, 1)
	e := always(sidecar.Decision{})
	e.decide = func(_ context.Context, req sidecar.Request) sidecar.Decision {
		got <- len(req.Body)
		return sidecar.Decision{Kind: sidecar.Answer, Status: 413}
	}
	l := listen(t, "127.0.0.1:0", e)
	s := l.open(t)
	exchange(t, s, rowHeaders)
	const size = 17 << 20 // over all that Envoy buffers, with HTTP/2 clients too
	m := parseLine("request_body end").message(t)
	m.GetRequestBody().Body = make([]byte, size)
	if err := s.Send(m); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Recv(); err != nil || r.GetImmediateResponse().GetStatus().GetCode() != 413 {
		t.Errorf("the door says %v, %v", r, err)
	}
	if n := <-got; n != size {
		t.Errorf("the engine got %d bytes, want %d", n, size)
	}
}

func TestAUnixSocketIsForItsGroupOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "door.sock")
	l := listen(t, "unix://"+path, always(sidecar.Decision{Kind: sidecar.Answer, Status: 200}))
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o660 {
		t.Errorf("the socket's mode is %o, want 660", got)
	}
	if said := exchange(t, l.open(t), rowHeaders, rowBody); said[0] != "immediate 200" {
		t.Errorf("the door says %q", said)
	}
}

func TestAStaleSocketIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "door.sock")
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	if err := stale.Close(); err != nil {
		t.Fatal(err)
	}
	l := listen(t, "unix://"+path, always(sidecar.Decision{}))
	if got := l.health(t, ""); got != "NOT_SERVING" {
		t.Errorf("health is %s", got)
	}
}

func TestOtherFilesAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	file, busy := filepath.Join(dir, "file"), filepath.Join(dir, "busy.sock")
	if err := os.WriteFile(file, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	lis, err := net.Listen("unix", busy)
	if err != nil {
		t.Fatal(err)
	}
	defer lis.Close()
	for address, want := range map[string]string{
		"unix://" + file:                 "is not a socket",
		"unix://" + busy:                 "another process listens",
		"unix://" + dir + "/none/d.sock": "check that its folder exists",
		"127.0.0.1:999999":               "choose another --extproc-listen",
	} {
		_, err := extproc.Listen(t.Context(), doorOf(nil, &counts{}), extproc.Place{Address: address})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one that says %q", address, err, want)
		}
	}
	if left, err := os.ReadFile(file); err != nil || string(left) != "keep" {
		t.Errorf("the file was touched: %q, %v", left, err)
	}
}

func TestAnIdleDoorDrainsAtOnce(t *testing.T) {
	l := listen(t, "127.0.0.1:0", always(sidecar.Decision{}))
	l.SetServing(true)
	l.Shutdown(t.Context(), 0)
	if _, open := <-l.Failed(); open {
		if _, open := <-l.Failed(); open {
			t.Error("serving has not ended")
		}
	}
}

func TestTheDrainGivesNotice(t *testing.T) {
	l := listen(t, "127.0.0.1:0", always(sidecar.Decision{Kind: sidecar.Answer, Status: 200}))
	l.SetServing(true)
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		l.Shutdown(ctx, time.Hour)
	}()
	for l.health(t, "") != "NOT_SERVING" {
	}
	if said := exchange(t, l.open(t), rowHeaders, rowBody); said[0] != "immediate 200" {
		t.Errorf("in the notice the door says %q", said)
	}
	cancel()
	<-over
}

func TestAStopLeavesStreamsThatOnlyWait(t *testing.T) {
	started := make(chan struct{})
	e := always(sidecar.Decision{Kind: sidecar.Forward, NewBody: []byte(`{}`)})
	e.edits = map[string]string{}
	busy := always(sidecar.Decision{}).decide
	e.decide = func(ctx context.Context, req sidecar.Request) sidecar.Decision {
		if string(req.Body) != "slow" {
			return sidecar.Decision{Kind: sidecar.Forward, NewBody: []byte(`{}`)}
		}
		close(started)
		<-ctx.Done()
		return busy(ctx, req)
	}
	tests := []struct {
		name string
		rows []string
		want codes.Code
	}{
		{"it waits for the answer's headers", []string{rowHeaders, rowBody}, codes.OK},
		{"it waits for the first event", []string{rowHeaders, rowBody, rowSSE, `response_body ": comment\n\n"`}, codes.OK},
		{"it holds half an event", []string{rowHeaders, rowBody, rowSSE, `response_body "data: half"`}, codes.Unavailable},
	}
	l := listen(t, "127.0.0.1:0", e)
	var streams []extprocv3.ExternalProcessor_ProcessClient
	for _, tt := range tests {
		s := l.open(t)
		exchange(t, s, tt.rows...)
		streams = append(streams, s)
	}
	slow := l.open(t)
	exchange(t, slow, rowHeaders)
	if err := slow.Send(parseLine("request_body end `slow`").message(t)); err != nil {
		t.Fatal(err)
	}
	<-started
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	l.Shutdown(ended, time.Hour)
	for i, tt := range tests {
		if got := endOf(streams[i]); got != tt.want {
			t.Errorf("%s: the stream ends with %v, want %v", tt.name, got, tt.want)
		}
	}
	if got := endOf(slow); got == codes.OK {
		t.Error("a stream ended well before its request was answered: Envoy would carry it on as it came")
	}
}

func endOf(s extprocv3.ExternalProcessor_ProcessClient) codes.Code {
	_, err := s.Recv()
	if err != nil && err.Error() == "EOF" {
		return codes.OK
	}
	return status.Code(err)
}

// TestEnvoysKeepaliveIsNoAttack pings the way Envoy's connection_keepalive does; Go's own policy would end the
// connection after the third ping.
func TestEnvoysKeepaliveIsNoAttack(t *testing.T) {
	l := listen(t, "127.0.0.1:0", always(sidecar.Decision{}))
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(http2.ClientPreface)); err != nil {
		t.Fatal(err)
	}
	framer := http2.NewFramer(conn, conn)
	if err := framer.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(1010 * time.Millisecond)
	defer tick.Stop()
	for range 4 {
		<-tick.C
		if err := framer.WritePing(false, [8]byte{1}); err != nil {
			t.Fatal(err)
		}
		if err := awaitPong(framer); err != nil {
			t.Fatal(err)
		}
	}
}

func awaitPong(framer *http2.Framer) error {
	for {
		f, err := framer.ReadFrame()
		if err != nil {
			return err
		}
		switch f := f.(type) {
		case *http2.GoAwayFrame:
			return fmt.Errorf("GOAWAY %s", f.DebugData())
		case *http2.PingFrame:
			if f.IsAck() {
				return nil
			}
		}
	}
}
