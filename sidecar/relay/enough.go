package relay

import (
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/bounds"
	"mcp-toolsearch/sidecar/wire"
)

// gateOf is what a request takes a place behind: streams that last until somebody ends them have places of their own,
// because a few thousand of them cost little and stay for hours.
func (d *Door) gateOf(r *http.Request) *bounds.Gate {
	if r.Method == http.MethodGet || r.Header.Get("Mcp-Method") == "subscriptions/listen" {
		return d.o.Bounds.Streams
	}
	return d.o.Bounds.Requests
}

// tooMuch refuses a request for now.
func (x *exchange) tooMuch() {
	x.w.Header().Set("Retry-After", bounds.RetryAfter)
	x.refuse(wire.Overloaded(nil))
}

// errTooMuch says that too many bytes of bodies are held.
var errTooMuch = errors.New("too many bytes of bodies are held")

// counted reads a body, and takes room for what it has read.
type counted struct {
	io.Reader
	gate *bounds.Gate
	took int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if !c.gate.Take(int64(n)) {
		return 0, errTooMuch
	}
	c.took += int64(n)
	return n, err
}

// refuseConnection tells a client that one more connection is one too many, where it can be told.
func refuseConnection(conn net.Conn, tls bool) {
	if !tls {
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second)) // the socket's buffer is empty: this takes no time
		_, _ = conn.Write(faultAnswer(wire.Overloaded(nil)))   // a client that is gone needs none
	}
	_ = conn.Close() // says nothing of use
}

// placed is a connection that has a place.
type placed struct {
	gate *bounds.Gate
	once sync.Once
}

func (p *placed) leave() { p.once.Do(p.gate.Leave) }
