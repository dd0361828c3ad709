package member

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

// patienceForShape is how long it may stay open whether an answer is JSON or a
// stream. After it the stream begins, so that the client sees a sign of life.
const patienceForShape = time.Second

// outlet is where an answer that we make for a client comes out: as JSON when
// the first thing written is the last, else as an event stream. One goroutine
// writes; the client may leave at any time.
type outlet struct {
	ready chan shaped   // gets one value
	gone  chan struct{} // closed when the client left before the end

	mu       sync.Mutex
	reader   *io.PipeReader
	writer   *io.PipeWriter // nil while the shape is open
	shaped   bool
	finished bool
	left     bool
}

// shaped is what a Post returns.
type shaped struct {
	answer *Answer
	err    error
}

func newOutlet() *outlet { return &outlet{ready: make(chan shaped, 1), gone: make(chan struct{})} }

// open makes it a stream, now.
func (o *outlet) open() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.shaped {
		return
	}
	o.shaped = true
	o.reader, o.writer = io.Pipe()
	h := http.Header{"Content-Type": {"text/event-stream"}, "Cache-Control": {"no-cache, no-transform"}, "X-Accel-Buffering": {"no"}}
	o.ready <- shaped{answer: &Answer{Status: http.StatusOK, Header: h, Body: &outletBody{PipeReader: o.reader, o: o}}}
}

// event writes one message of several. The error means that the client left.
func (o *outlet) event(message []byte) error {
	o.open()
	o.mu.Lock()
	w := o.writer
	o.mu.Unlock()
	if w == nil {
		return io.ErrClosedPipe
	}
	_, err := w.Write(wire.Event{Raw: []byte("event: message\ndata:\n\n")}.WithData(message))
	return err
}

// finish writes the last message.
func (o *outlet) finish(status int, h http.Header, message []byte) {
	o.mu.Lock()
	o.finished = true
	if !o.shaped {
		o.shaped = true
		a := jsonAnswer(status, message)
		for name, values := range h {
			a.Header[name] = values
		}
		o.ready <- shaped{answer: a}
		o.mu.Unlock()
		return
	}
	o.mu.Unlock()
	if o.writer != nil && o.event(message) == nil {
		o.writer.Close()
	}
}

// fail ends the answer without a last message.
func (o *outlet) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.finished = true
	if !o.shaped {
		o.shaped = true
		o.ready <- shaped{err: err}
		return
	}
	if o.writer != nil {
		o.writer.CloseWithError(err)
	}
}

// leave notes that the client is gone.
func (o *outlet) leave() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.left {
		return
	}
	o.left = true
	if !o.shaped {
		o.shaped = true
		o.ready <- shaped{err: context.Canceled}
	}
	if o.reader != nil {
		o.reader.CloseWithError(io.ErrClosedPipe)
	}
	if !o.finished {
		close(o.gone)
	}
}

// answer waits until there is something to return. The client leaves when ctx
// ends.
func (o *outlet) answer(ctx context.Context) (*Answer, error) {
	stop := context.AfterFunc(ctx, o.leave)
	timer := time.NewTimer(patienceForShape)
	defer timer.Stop()
	var s shaped
	select {
	case s = <-o.ready:
	case <-timer.C:
		o.open()
		s = <-o.ready
	}
	if s.err != nil {
		stop()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, s.err
	}
	if body, ok := s.answer.Body.(*outletBody); ok {
		body.stop = stop
	} else {
		stop()
	}
	return s.answer, nil
}

// outletBody is the client's end of a stream.
type outletBody struct {
	*io.PipeReader
	o    *outlet
	stop func() bool
}

// Close tells that the client is gone.
func (b *outletBody) Close() error {
	b.stop()
	b.o.leave()
	return nil
}

// until makes a context that ends with ctx, or when the outlet's client leaves.
func (o *outlet) until(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-o.gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
