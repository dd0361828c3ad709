package relay

import (
	"bytes"
	"io"
	"time"
)

// keepAliveEvery is how long a stream may be silent before a comment is sent: below the idle time of common proxies and
// clients, which begins at 30 s.
const keepAliveEvery = 15 * time.Second

// comment is an event stream's line that clients ignore (HTML standard, "Interpreting an event stream"), with the empty
// line that some wait for.
const comment = ": still working\n\n"

// alive is the body of an event stream in which a comment stands wherever the upstream is silent for long: what is
// between us and the client then keeps the connection. Nothing else of it changes, and no event is parted.
type alive struct {
	inner io.ReadCloser
	every time.Duration

	reads chan piece // of the one read under way; nil: none is
	rest  []byte     // read, but not yet given
	end   error      // of inner
	tail  []byte     // the last bytes given, to see where an event ends
}

// piece is what one read of the upstream's body gave.
type piece struct {
	data []byte
	err  error
}

func newAlive(inner io.ReadCloser, every time.Duration) *alive {
	return &alive{inner: inner, every: every}
}

// Read implements [io.Reader]. Only one goroutine may call it.
func (a *alive) Read(p []byte) (int, error) {
	if len(a.rest) > 0 || a.end != nil {
		return a.give(p)
	}
	if a.reads == nil {
		a.reads = make(chan piece, 1)
		go a.next(a.reads)
	}
	timer := time.NewTimer(a.every)
	defer timer.Stop()
	for {
		select {
		case got := <-a.reads:
			a.reads, a.rest, a.end = nil, got.data, got.err
			return a.give(p)
		case <-timer.C:
		}
		if a.between() && len(p) >= len(comment) {
			return copy(p, comment), nil
		}
		timer.Reset(a.every)
	}
}

// next reads once. It ends with the body at the latest, which Close waits for.
func (a *alive) next(into chan<- piece) {
	data := make([]byte, pieceBytes)
	n, err := a.inner.Read(data)
	into <- piece{data: data[:n], err: err}
}

func (a *alive) give(p []byte) (int, error) {
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	a.tail = append(a.tail, p[:n]...)
	a.tail = bytes.Clone(a.tail[max(0, len(a.tail)-4):])
	if len(a.rest) > 0 {
		return n, nil
	}
	return n, a.end
}

// between says that no event has begun that isn't ended.
func (a *alive) between() bool {
	return len(a.tail) == 0 || bytes.HasSuffix(a.tail, []byte("\n\n")) || bytes.HasSuffix(a.tail, []byte("\r\n\r\n")) || bytes.HasSuffix(a.tail, []byte("\r\r"))
}

// Close implements [io.Closer]. It waits for the read under way, which the end of the body ends.
func (a *alive) Close() error {
	err := a.inner.Close()
	if a.reads != nil {
		<-a.reads
		a.reads = nil
	}
	return err
}
