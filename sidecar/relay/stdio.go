package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

// StdioOptions configure [ServeStdio]. Zero values mean the defaults named beside each field.
type StdioOptions struct {
	Handler     http.Handler  // the HTTP door, which must take requests for localhost
	Path        string        // of its search route; /mcp
	LineBytes   int           // largest message of the client; 4 MiB
	AnswerBytes int           // largest message to the client; 32 MiB
	Concurrent  int           // requests carried at a time, without subscriptions; 64. Sixteen times as many may wait
	Grace       time.Duration // time for running requests when in has ended; 4 s, since clients kill after 5
}

func (o StdioOptions) withDefaults() StdioOptions {
	if o.Path == "" {
		o.Path = "/mcp"
	}
	if o.LineBytes <= 0 {
		o.LineBytes = 4 << 20
	}
	if o.AnswerBytes <= 0 {
		o.AnswerBytes = 32 << 20
	}
	if o.Concurrent <= 0 {
		o.Concurrent = 64
	}
	if o.Grace <= 0 {
		o.Grace = 4 * time.Second
	}
	return o
}

// Times of the stdio door.
const (
	afterCancel = 2 * time.Second // how long an answer is awaited that the client has cancelled
	lastMoment  = time.Second     // for running requests when ctx ends
	goodbye     = 2 * time.Second // for ending the session
	waitingFor  = 16              // requests that may wait, for each that is carried
)

// ServeStdio is the stdio door: it reads messages of one client from in, a line each, has the HTTP door answer them in
// this process, and writes what comes back to out (spec 2026-07-28 basic/transports/stdio). Both eras work side by side.
// It returns when in ends or ctx does, after the running requests got their time; the error is one of reading or of
// writing. A Read of in that waits when ctx ends is left behind: it ends when in is closed.
func ServeStdio(ctx context.Context, o StdioOptions, in io.Reader, out io.Writer) error {
	s := newStdio(o, out)
	lines, failed := s.read(in)
	err := s.serve(ctx, lines, failed)
	return errors.Join(err, s.end(ctx))
}

// stdio is one client at the stdio door.
type stdio struct {
	o     StdioOptions
	way   *InProcess
	slots chan struct{}
	aside chan struct{} // a token for each message without an answer that is on its way

	ctx     context.Context // of all requests
	cancel  context.CancelCauseFunc
	endless context.Context // of what lasts until somebody ends it
	leave   context.CancelFunc
	work    sync.WaitGroup // requests
	streams sync.WaitGroup // endless ones, and notifications

	writing sync.Mutex
	out     io.Writer

	mu      sync.Mutex
	running map[string]*errand
	noticed chan struct{} // closed when the last notification was taken

	session session
}

func newStdio(o StdioOptions, out io.Writer) *stdio {
	o = o.withDefaults()
	s := &stdio{o: o, way: NewInProcess(o.Handler), slots: make(chan struct{}, o.Concurrent), aside: make(chan struct{}, o.Concurrent*waitingFor), out: out, running: map[string]*errand{}, noticed: make(chan struct{})}
	close(s.noticed)
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.endless, s.leave = context.WithCancel(s.ctx)
	return s
}

// read reads lines until in ends or nobody wants them.
func (s *stdio) read(in io.Reader) (<-chan wire.Line, <-chan error) {
	lines, failed := make(chan wire.Line), make(chan error, 1)
	go func() {
		reader := wire.NewLineReader(in, s.o.LineBytes)
		for {
			line, err := reader.Next()
			if err != nil {
				failed <- err
				return
			}
			select {
			case lines <- line:
			case <-s.endless.Done():
				return
			}
		}
	}()
	return lines, failed
}

// serve takes lines until there are no more.
func (s *stdio) serve(ctx context.Context, lines <-chan wire.Line, failed <-chan error) error {
	for {
		select {
		case line := <-lines:
			s.take(line)
		case err := <-failed:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("stdin can't be read: %w", err)
		case <-ctx.Done():
			return nil
		case <-s.ctx.Done(): // stdout is closed
			return context.Cause(s.ctx)
		}
	}
}

// end lets what runs come to its end, then cuts it, and closes the session.
func (s *stdio) end(ctx context.Context) error {
	s.leave()
	done := make(chan struct{})
	go func() {
		s.work.Wait()
		close(done)
	}()
	patience, enough := context.WithTimeout(s.ctx, s.o.Grace)
	defer enough()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastMoment, enough) })()
	wait(patience, done)
	broken := s.ctx.Err() != nil
	s.cancel(context.Canceled)
	<-done
	s.streams.Wait()
	s.goodbye()
	s.way.Close()
	if broken {
		return context.Cause(s.ctx)
	}
	return nil
}

// take begins what a line asks for.
func (s *stdio) take(line wire.Line) {
	if line.Data == nil {
		id, _ := line.ID()
		s.write((&wire.Fault{Code: wire.CodeInvalidRequest, ID: rawID(id), Message: fmt.Sprintf("the message is larger than %d bytes: send a smaller one", s.o.LineBytes)}).Body())
		return
	}
	m, fault := wire.Scan(line.Data, wire.Limits{Bytes: s.o.LineBytes})
	switch {
	case fault != nil:
		s.write(fault.Body())
	case m.Kind == wire.Request || m.Kind == wire.Batch:
		s.request(m)
	case m.Kind == wire.Notification && m.Method == "notifications/cancelled":
		s.cancelled(m)
	case m.Kind == wire.Notification:
		s.notify(m)
	default: // an answer to a request of a server
		s.beside(s.telling(m))
	}
}

// rawID is an id that was seen in a line that was not read, when it is one.
func rawID(id []byte) []byte {
	m, fault := wire.Scan(append(append([]byte(`{"jsonrpc":"2.0","method":"x","id":`), id...), '}'), wire.Limits{})
	if fault != nil || id == nil {
		return nil
	}
	return m.ID
}

// errand is a request, or a batch, on its way.
type errand struct {
	m         *wire.Message
	key       string
	modern    bool
	cancel    context.CancelFunc
	cancelled bool // by the client; under the door's lock
	giveUp    *time.Timer
}

func (e *errand) listens() bool { return e.m.Method == "subscriptions/listen" }

// keyOf makes one key of all spellings of an id: 1 and "1" differ, "a" and "\u0061" don't.
func keyOf(raw []byte) string {
	if text, ok := wire.String(raw); ok {
		return "s" + text
	}
	return "n" + string(raw)
}

// request carries a request beside all others.
func (s *stdio) request(m *wire.Message) {
	ctx, after := s.ctx, s.lastNotice()
	e := &errand{m: m, modern: m.Meta.Modern()}
	if e.listens() {
		ctx = s.endless
	}
	ctx, e.cancel = context.WithCancel(ctx)
	if fault := s.add(e); fault != nil {
		e.cancel()
		s.write(fault.Body())
		return
	}
	if m.Method == "initialize" && !e.modern {
		s.session.begin()
	}
	s.work.Go(func() {
		defer s.remove(e)
		if !wait(ctx, after) {
			return
		}
		if !e.listens() {
			select {
			case s.slots <- struct{}{}:
				defer func() { <-s.slots }()
			case <-ctx.Done():
				return
			}
		}
		s.carry(ctx, e)
	})
}

// add notes a request that runs. A batch has no id to find it by.
func (s *stdio) add(e *errand) *wire.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.m.Kind == wire.Batch {
		e.key = fmt.Sprintf("batch %p", e)
	} else {
		e.key = keyOf(e.m.ID)
	}
	switch {
	case s.running[e.key] != nil: // an answer with this id would be taken for the other's
		return &wire.Fault{Code: wire.CodeInvalidRequest, Message: "a request with the same id is still running: use another id"}
	case len(s.running) >= s.o.Concurrent*waitingFor:
		return &wire.Fault{Code: wire.CodeInternal, ID: e.m.ID, Message: fmt.Sprintf("%d requests are running already, and nothing was run: wait for answers", len(s.running))}
	}
	s.running[e.key] = e
	return nil
}

// forget gives the id of a request free. It comes before the answer is written: a client may use the id again as soon as
// it has read that.
func (s *stdio) forget(e *errand) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[e.key] == e {
		delete(s.running, e.key)
	}
}

func (s *stdio) remove(e *errand) {
	e.cancel()
	s.forget(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.giveUp != nil {
		e.giveUp.Stop()
	}
}

// cancelled ends a request of the client's. Over HTTP a modern request is cancelled by leaving it; a legacy one by the
// notification, and by leaving it when it gets no answer after that.
func (s *stdio) cancelled(m *wire.Message) {
	params := m.Params.In(m.Body)
	id := wire.TopSpan(params, "requestId").In(params)
	s.mu.Lock()
	e := s.running[keyOf(id)]
	if e != nil && !e.cancelled {
		e.cancelled = true
		if !e.modern {
			e.giveUp = time.AfterFunc(afterCancel, e.cancel)
		}
	}
	s.mu.Unlock()
	switch {
	case e == nil:
	case e.modern:
		e.cancel()
	default:
		s.beside(s.telling(m))
	}
}

// beside does what nobody waits for. When too much of it is under way, the client's next lines wait.
func (s *stdio) beside(do func()) {
	select {
	case s.aside <- struct{}{}:
	case <-s.ctx.Done():
		return
	}
	s.streams.Go(func() {
		defer func() { <-s.aside }()
		do()
	})
}

func (s *stdio) wasCancelled(e *errand) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.cancelled
}

// notify carries a notification, after those before it. Requests wait until it was taken.
func (s *stdio) notify(m *wire.Message) {
	s.mu.Lock()
	before, taken := s.noticed, make(chan struct{})
	s.noticed = taken
	s.mu.Unlock()
	tell := s.telling(m)
	s.beside(func() {
		defer close(taken)
		if wait(s.ctx, before) {
			tell()
		}
	})
}

func (s *stdio) lastNotice() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.noticed
}

func wait(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// write writes one message as one line.
func (s *stdio) write(message []byte) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := s.out.Write(wire.OneLine(message)); err != nil {
		s.cancel(fmt.Errorf("stdout can't be written: %w", err))
	}
}
