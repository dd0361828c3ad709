package stdio

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

// Bounds of a talk.
const (
	maxEarly     = 128              // messages that wait for a stream to be opened
	maxEarlySize = 1 << 20          // bytes of them
	afterCancel  = 2 * time.Second  // how long the answer of a call is awaited that its client has cancelled
	mayStillRun  = 10 * time.Second // how long a dropped call counts as running
	firstID      = 1 << 20          // of our own ids
)

// errOver says that a talk takes no more calls.
var errOver = errors.New("the process has ended")

// talk is the conversation with one process: who waits for what. A session's talk has one client and its ids; a shared
// one has many clients and ids of our own.
type talk struct {
	name string // of the server
	idle time.Duration
	*process

	mu      sync.Mutex
	shared  bool
	probing bool     // it isn't known yet what it speaks
	calls   []*call  // running, in the order of their start
	nextID  int64    // shared: the next of our own
	stream  *mailbox // the client's stream for what belongs to no call; nil when it has none
	early   [][]byte // what came while there was neither a call nor a stream
	size    int      // bytes of early
	dropped []time.Time
	over    bool // takes no more calls
	worked  bool // it has run a tool
	last    time.Time
	timer   *time.Timer
	junk    int // lines that are no message
	lost    int // messages that nobody could get
}

func newTalk(name string, p *process, idle time.Duration) *talk {
	t := &talk{name: name, idle: idle, process: p, nextID: firstID, last: time.Now()}
	t.timer = time.AfterFunc(idle, func() { t.retire(idle) })
	return t
}

// settle says what the process speaks: the modern era, in which all share it, or not; probing: whether that is still to be
// found out. The transport's lock is held too, so that either is enough to read.
func (t *talk) settle(shared, probing bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shared, t.probing = shared, probing
}

// retire ends the process when no call has run for a time.
func (t *talk) retire(unused time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || len(t.calls) > 0 || time.Since(t.last) < unused {
		return false
	}
	t.finish()
	return true
}

// finish ends the process, whatever it does; t.mu is held.
func (t *talk) finish() {
	t.over = true
	t.end()
}

// quit is finish for those outside.
func (t *talk) quit() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.finish()
}

// begin notes a request and returns the line to send. The error is errOver, or a fault of the request.
func (t *talk) begin(m *wire.Message, era wire.Era) (*call, []byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return nil, nil, errOver
	}
	var own []byte
	if t.shared {
		own = strconv.AppendInt(nil, t.nextID, 10)
		t.nextID++
	}
	c := newCall(m, era, own)
	if t.find(c.sentID) != nil {
		return nil, nil, &wire.Fault{Code: wire.CodeInvalidRequest, Status: 400, Reason: "id_in_use", ID: m.ID,
			Message: "a request with this id is still running in this session: use another id"}
	}
	t.timer.Stop()
	t.last = time.Now()
	t.calls = append(t.calls, c)
	if !c.silent && t.stream == nil {
		t.flush(c.box)
	}
	return c, c.line(m), nil
}

// flush gives what came early to a box.
func (t *talk) flush(box *mailbox) {
	for _, message := range t.early {
		box.put(message)
	}
	t.early, t.size = nil, 0
}

// find is the running call of that id.
func (t *talk) find(id []byte) *call {
	key := keyOf(id)
	for _, c := range t.calls {
		if keyOf(c.sentID) == key {
			return c
		}
	}
	return nil
}

// forget takes a call out; false when it doesn't run.
func (t *talk) forget(c *call) bool {
	i := slices.Index(t.calls, c)
	if i < 0 {
		return false
	}
	t.calls = slices.Delete(t.calls, i, i+1)
	t.last = time.Now()
	if c.giveUp != nil {
		c.giveUp.Stop()
	}
	if c.release != nil {
		c.release()
	}
	if len(t.calls) == 0 && !t.over {
		t.timer.Reset(t.idle)
	}
	return true
}

// watch drops a call when its client's request ends.
func (t *talk) watch(ctx context.Context, c *call) {
	stop := context.AfterFunc(ctx, func() { t.drop(c) })
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.Contains(t.calls, c) {
		c.release = stop
	} else {
		stop()
	}
}

// drop cancels a call whose client left. A session that never began ends with it.
func (t *talk) drop(c *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.forget(c) {
		return
	}
	c.box.end()
	if c.silent {
		t.finish()
		return
	}
	if t.shared {
		t.dropped = append(t.dropped, time.Now())
	}
	notice := append([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`), c.sentID...)
	notice = append(notice, `,"reason":"the client left"}}`...)
	if !t.trySend(wire.OneLine(notice)) {
		t.lost++
	}
}

// cancelled is told that the client has cancelled one of its calls by a notification. The server need not answer it then
// (spec 2025-11-25 basic/utilities/cancellation), but a client's request over HTTP has to end.
func (t *talk) cancelled(id []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.find(id)
	if c == nil || c.giveUp != nil {
		return
	}
	c.giveUp = time.AfterFunc(afterCancel, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.forget(c) {
			c.box.finish((&wire.Fault{Code: wire.CodeInternal, Reason: "cancel_unanswered", ID: c.id,
				Message: "the client has cancelled this request, and the server gave no answer to it"}).Body())
		}
	})
}

// open makes box the client's stream; an older one ends.
func (t *talk) open(box *mailbox) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return errOver
	}
	if t.stream != nil {
		t.stream.end()
	}
	t.stream = box
	t.last = time.Now()
	t.flush(box)
	return nil
}

// leave ends a stream.
func (t *talk) leave(box *mailbox) {
	t.mu.Lock()
	defer t.mu.Unlock()
	box.end()
	if t.stream == box {
		t.stream = nil
	}
}

// close answers all that waits, once the process has ended.
func (t *talk) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	t.timer.Stop()
	for len(t.calls) > 0 {
		c := t.calls[0]
		t.forget(c)
		c.died = true
		c.box.finish(t.obituary(c).Body())
	}
	if t.stream != nil {
		t.stream.end()
	}
}

// obituary says to a client that waits what became of its request.
func (t *talk) obituary(c *call) *wire.Fault {
	how := "ended by itself (" + t.status + ")"
	if !t.unwanted() {
		how = "was stopped"
	}
	if c.sent.Load() {
		return &wire.Fault{Code: wire.CodeInternal, Reason: "server_broke_off", ID: c.id,
			Message: "the MCP server " + t.name + " " + how + " before it answered: what was asked may have been done; look before you try again"}
	}
	return &wire.Fault{Code: wire.CodeInternal, Reason: "server_not_asked", ID: c.id,
		Message: "the MCP server " + t.name + " " + how + " before it got the request: nothing was run; try again"}
}

func (t *talk) hasWorked() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.worked
}

// running is how many calls run, and when something last happened.
func (t *talk) running() (int, time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.calls), t.last
}
