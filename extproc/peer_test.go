package extproc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"mcp-toolsearch/extproc"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// stubEngine is scripted: the door's tests need no catalog.
type stubEngine struct {
	headers  *sidecar.Decision // of requests without a body; nil: the body is needed
	decide   func(ctx context.Context, req sidecar.Request) sidecar.Decision
	answer   http.Header       // header edits of answers
	edits    map[string]string // message -> edited message
	onEdit   func(ctx context.Context)
	requests []sidecar.Request
	statuses []int // of answers
	tooLarge atomic.Int32
}

func (e *stubEngine) DecideHeaders(_ context.Context, req sidecar.Request, hasBody bool) (sidecar.Decision, bool) {
	if hasBody || e.headers == nil {
		return sidecar.Decision{}, false
	}
	e.requests = append(e.requests, req)
	return *e.headers, true
}

func (e *stubEngine) Decide(ctx context.Context, req sidecar.Request) sidecar.Decision {
	e.requests = append(e.requests, req)
	return e.decide(ctx, req)
}

func (e *stubEngine) AnswerHeader(_ *sidecar.Decision, _ sidecar.Request, status int, _ http.Header) http.Header {
	e.statuses = append(e.statuses, status)
	return e.answer
}

func (e *stubEngine) EditsBody(*sidecar.Decision, int, http.Header) bool { return e.edits != nil }

func (e *stubEngine) EditAnswer(ctx context.Context, _ *sidecar.Decision, message []byte) ([]byte, bool) {
	if e.onEdit != nil {
		e.onEdit(ctx)
	}
	edited, ok := e.edits[string(message)]
	return []byte(edited), ok
}

func (e *stubEngine) TooLarge(*sidecar.Decision) { e.tooLarge.Add(1) }

func (e *stubEngine) IsAnswer(message []byte) bool {
	a, err := wire.ScanAnswer(message)
	return err == nil && a.Method == ""
}

// always decides every request with a body the same.
func always(d sidecar.Decision) *stubEngine {
	return &stubEngine{decide: func(context.Context, sidecar.Request) sidecar.Decision { return d }}
}

// counts is an Observer.
type counts struct {
	mu          sync.Mutex
	open        int
	outcomes    []string
	answerBytes int
}

func (c *counts) StreamOpened() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open++
}

func (c *counts) StreamClosed(outcome string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	c.outcomes = append(c.outcomes, outcome)
}

func (c *counts) AnswerBytes(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answerBytes += n
}

func (c *counts) bytes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answerBytes
}

func (c *counts) streams() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open
}

func (c *counts) ended() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprint(c.outcomes)
}

// logBuffer is a log that can be read while it is written.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// door is a server of ours with its client side.
type door struct {
	t      *testing.T
	client extprocv3.ExternalProcessorClient
	counts *counts
	log    *logBuffer
	opened chan *turns // the handler's side of the stream just opened
}

// turns lets a test follow the handler of one stream without waiting for time to pass.
type turns struct {
	grpc.ServerStream
	next  chan struct{} // one for each RecvMsg: everything before is handled
	ended chan struct{}
	sent  atomic.Int32
}

func (s *turns) RecvMsg(m any) error {
	s.next <- struct{}{}
	return s.ServerStream.RecvMsg(m)
}

func (s *turns) SendMsg(m any) error {
	s.sent.Add(1)
	return s.ServerStream.SendMsg(m)
}

// newDoor serves the door in memory. Nothing of it may be left when the test ends.
func newDoor(t *testing.T, o extproc.Options) *door {
	t.Helper()
	existing := goleak.IgnoreCurrent()
	d := &door{t: t, counts: &counts{}, log: &logBuffer{}, opened: make(chan *turns, 1)}
	o.Observer, o.Logger = d.counts, slog.New(slog.NewTextHandler(d.log, nil))
	follow := func(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		s := &turns{ServerStream: ss, next: make(chan struct{}, 1024), ended: make(chan struct{})}
		d.opened <- s
		defer close(s.ended)
		return handler(srv, s)
	}
	lis := bufconn.Listen(1 << 20)
	server := grpc.NewServer(grpc.StreamInterceptor(follow), grpc.MaxRecvMsgSize(64<<20))
	extprocv3.RegisterExternalProcessorServer(server, extproc.New(o))
	served := make(chan error, 1)
	go func() { served <- server.Serve(lis) }()
	conn, err := grpc.NewClient("passthrough:door", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := conn.Close()
		server.Stop()
		if err := errors.Join(err, <-served); err != nil {
			t.Error(err)
		}
		goleak.VerifyNone(t, existing)
	})
	d.client = extprocv3.NewExternalProcessorClient(conn)
	return d
}

// peer plays Envoy's side of one stream.
type peer struct {
	t       *testing.T
	stream  extprocv3.ExternalProcessor_ProcessClient
	handler *turns
	cancel  context.CancelFunc
	read    int32
}

func (d *door) open() *peer {
	d.t.Helper()
	ctx, cancel := context.WithCancel(d.t.Context())
	d.t.Cleanup(cancel)
	stream, err := d.client.Process(ctx)
	if err != nil {
		d.t.Fatal(err)
	}
	p := &peer{t: d.t, stream: stream, cancel: cancel, handler: <-d.opened}
	<-p.handler.next
	return p
}

// send sends a message and returns all that the handler answers to it. ended says that the stream is over.
func (p *peer) send(m *extprocv3.ProcessingRequest) (answers []*extprocv3.ProcessingResponse, ended bool) {
	p.t.Helper()
	if err := p.stream.Send(m); err != nil && !errors.Is(err, io.EOF) {
		p.t.Fatal(err)
	}
	return p.settle()
}

// settle waits until the handler has nothing to do and returns what it has sent.
func (p *peer) settle() (answers []*extprocv3.ProcessingResponse, ended bool) {
	p.t.Helper()
	select {
	case <-p.handler.next:
	case <-p.handler.ended:
		ended = true
	}
	for p.read < p.handler.sent.Load() {
		answers = append(answers, p.receive())
	}
	return answers, ended
}

// receive waits for one answer.
func (p *peer) receive() *extprocv3.ProcessingResponse {
	p.t.Helper()
	r, err := p.stream.Recv()
	if err != nil {
		p.t.Fatal(err)
	}
	p.read++
	return r
}

// end waits for the stream's end and returns its status; there must be no answer left.
func (p *peer) end() *status.Status {
	p.t.Helper()
	r, err := p.stream.Recv()
	switch {
	case err == nil:
		p.t.Fatalf("an answer instead of the end: %v", r)
	case errors.Is(err, io.EOF):
		err = nil
	}
	<-p.handler.ended
	return status.Convert(err)
}
