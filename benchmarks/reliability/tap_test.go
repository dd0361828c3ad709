package reliability_test

import (
	"net"
	"sync"
	"testing"
)

// way is a direction on a tapped connection.
type way int

const (
	forth way = iota // from the side that connected
	back
)

func (w way) String() string { return [...]string{"forth", "back"}[w] }

// point is a moment in a request: before or after the n-th piece (from 1) since the tap was armed goes on.
type point struct {
	way   way
	piece int
	after bool
}

// tap hands bytes on between two parties, piece by piece as they come, and can strike at a point.
type tap struct {
	lis    net.Listener
	target string // host:port

	mu     sync.Mutex
	conns  map[net.Conn]bool
	passed [2]int // pieces since the tap was armed
	at     *point
	strike func()
	struck bool
	open   sync.WaitGroup
}

// newTap taps connections to target; clients connect to addr.
func newTap(t testing.TB, target string) *tap {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &tap{lis: lis, target: target, conns: map[net.Conn]bool{}}
	p.open.Go(p.accept)
	t.Cleanup(func() {
		lis.Close()
		p.reset()
		p.open.Wait()
	})
	return p
}

func (p *tap) addr() string { return p.lis.Addr().String() }

func (p *tap) accept() {
	for {
		from, err := p.lis.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", p.target)
		if err != nil {
			abort(from)
			continue
		}
		p.mu.Lock()
		p.conns[from], p.conns[to] = true, true
		p.mu.Unlock()
		p.open.Go(func() { p.carry(from, to, forth) })
		p.open.Go(func() { p.carry(to, from, back) })
	}
}

// carry hands on until one side is gone; the other is then ended too.
func (p *tap) carry(from, to net.Conn, w way) {
	defer func() {
		from.Close()
		to.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, from)
		delete(p.conns, to)
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && !p.pass(to, buf[:n], w) {
			return
		}
		if err != nil {
			return
		}
	}
}

// pass hands a piece on and strikes when its point has come.
func (p *tap) pass(to net.Conn, piece []byte, w way) bool {
	p.mu.Lock()
	p.passed[w]++
	var strike func()
	after := false
	if p.at != nil && !p.struck && p.at.way == w && p.at.piece == p.passed[w] {
		strike, after, p.struck = p.strike, p.at.after, true
	}
	p.mu.Unlock()
	if strike != nil && !after {
		strike()
	}
	_, err := to.Write(piece)
	if strike != nil && after {
		strike()
	}
	return err == nil
}

// arm begins to count, and strikes when at has come; nil counts only.
func (p *tap) arm(at *point, strike func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.passed, p.at, p.strike, p.struck = [2]int{}, at, strike, false
}

// disarm tells whether the point came, and how many pieces passed each way.
func (p *tap) disarm() (struck bool, passed [2]int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = nil
	return p.struck, p.passed
}

// reset breaks all connections off, as a crash or a firewall does.
func (p *tap) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		abort(c)
	}
}

func abort(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Close()
}
