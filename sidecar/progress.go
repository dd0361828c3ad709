package sidecar

import (
	"fmt"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

// maxTokenBytes bounds a progress token that is repeated with every item.
const maxTokenBytes = 1024

// progress tells the client how many items of its batch are done (MCP "Progress": the value increases with each
// notification). Nothing is said while all that ended was refused for want of authorization: the whole may become a
// challenge, which needs an answer that hasn't begun.
type progress struct {
	notify func(message []byte) // nil: nobody wants to know
	token  []byte               // raw
	total  int
	timer  *time.Timer

	mu    sync.Mutex
	done  int
	auth  int // of them refused for want of authorization
	begun bool
	over  bool
}

// startProgress begins to count the items of t's batch. A client hears something after ProgressAfter at the latest, so
// that it knows the call to be alive. stop must be called before the answer is sent.
func (e *Engine) startProgress(t *turn, total int) *progress {
	p := &progress{total: total, token: progressToken(t.msg)}
	if p.token == nil || t.req.Notify == nil {
		return p
	}
	p.notify = t.req.Notify
	p.timer = time.AfterFunc(e.o.ProgressAfter, p.waiting)
	return p
}

// waiting tells that the batch runs when nothing of it has ended for a while.
func (p *progress) waiting() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done == 0 && !p.over {
		p.tell()
	}
}

// ended counts one item.
func (p *progress) ended(it item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if it.auth != nil {
		p.auth++
	}
	if p.begun || p.auth < p.done {
		p.tell()
	}
}

// tell must be called with the lock held: notifications keep their order.
func (p *progress) tell() {
	if p.notify == nil {
		return
	}
	p.begun = true
	p.notify(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":%d}}`, p.token, p.done, p.total))
}

// stop says whether an answer has begun. Nothing is told after it.
func (p *progress) stop() (begun bool) {
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	return p.begun
}

// progressToken is the request's raw token, a string or a number; nil when there is none that can be repeated.
func progressToken(m *wire.Message) []byte {
	fields, err := wire.Fields(m.Meta.In(m.Body))
	if err != nil {
		return nil
	}
	for _, f := range fields {
		if f.Key != "progressToken" || len(f.Value) > maxTokenBytes {
			continue
		}
		if c := f.Value[0]; c == '"' || c == '-' || c >= '0' && c <= '9' {
			return f.Value
		}
	}
	return nil
}
