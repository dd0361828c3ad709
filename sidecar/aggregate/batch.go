package aggregate

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"mcp-toolsearch/sidecar/crash"
	"mcp-toolsearch/sidecar/wire"
)

// Bounds of a batch: its messages, and how many are served at once.
const (
	maxBatch   = 100
	batchSlots = 8
)

// takesBatches says that the client's version has batches: those before
// 2025-06-18 (spec 2025-06-18 changelog), which is also what no version means.
func (x *exchange) takesBatches() bool {
	return x.era == wire.Legacy && x.client.Version < "2025-06-18"
}

func batchArray() *wire.Fault {
	return &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusBadRequest, Reason: "batch_array",
		Message: "batches are not taken here: send each message as a request of its own"}
}

// batch serves the messages of a batch each by itself, and answers with an
// array; with a stream as soon as one of them has one (spec 2025-03-26
// basic/transports "Sending Messages to the Server").
func (x *exchange) batch() {
	if !x.takesBatches() {
		x.refuse(batchArray())
		return
	}
	if len(x.msg.Elements) > maxBatch {
		x.refuse(&wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusBadRequest, Reason: "batch_array",
			Message: "a batch holds at most " + strconv.Itoa(maxBatch) + " messages here: send several"})
		return
	}
	elements, err := wire.Elements(x.body)
	if err != nil { // it was scanned: this doesn't happen
		x.refuse(batchArray())
		return
	}
	out := &parts{x: x}
	slots := make(chan struct{}, batchSlots)
	var work sync.WaitGroup
	for _, raw := range elements {
		slots <- struct{}{}
		p := &part{of: out, header: http.Header{}}
		out.all = append(out.all, p)
		work.Go(func() {
			defer func() { <-slots }()
			x.element(p, slices.Clone(raw))
		})
	}
	work.Wait()
	out.finish()
}

// element serves one message of a batch.
func (x *exchange) element(p *part, raw []byte) {
	defer func() { // an answer that broke off is this message's alone
		broke := recover()
		if broke == nil {
			return
		}
		if broke != http.ErrAbortHandler {
			x.a.told(crash.Of(broke))
		}
		p.broke()
	}()
	one := *x
	one.w, one.body = p, raw
	msg, fault := wire.Scan(raw, wire.Limits{Bytes: x.a.o.BodyBytes})
	if fault != nil {
		one.msg = nil
		one.refuse(fault)
		return
	}
	one.msg = msg
	if msg.Kind == wire.Request {
		p.id = msg.ID
	}
	if msg.Method == "initialize" {
		one.refuse(&wire.Fault{Code: wire.CodeInvalidRequest, Reason: "batch_array", Message: "initialize can't be part of a batch: send it first, by itself"})
		return
	}
	one.dispatch()
}

// parts are the answers to a batch on their way into one.
type parts struct {
	x   *exchange
	all []*part

	mu     sync.Mutex
	stream bool // it has begun
}

// event passes a part of a stream on.
func (o *parts) event(raw []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.stream {
		o.stream = true
		o.x.startStream(http.StatusOK)
	}
	n, err := o.x.w.Write(raw)
	o.x.flush()
	return n, err
}

// finish writes the answers that are whole: all as an array, or each as the
// event that is missing in the stream.
func (o *parts) finish() {
	var bodies [][]byte
	for _, p := range o.all {
		if body := p.answer(); body != nil {
			bodies = append(bodies, body)
		}
	}
	switch {
	case o.stream:
		for _, body := range bodies {
			o.x.event(body)
		}
	case len(bodies) == 0:
		o.x.w.WriteHeader(http.StatusAccepted)
	default:
		o.x.write(http.StatusOK, slices.Concat([]byte("["), bytes.Join(bodies, []byte(",")), []byte("]")))
	}
}

// part is where one message's answer is written.
type part struct {
	of     *parts
	header http.Header
	id     []byte // of the request; nil: it gets no answer
	body   bytes.Buffer
	failed bool
}

// Header implements [http.ResponseWriter].
func (p *part) Header() http.Header { return p.header }

// WriteHeader implements [http.ResponseWriter]; a message of a batch has no
// status of its own.
func (p *part) WriteHeader(int) {}

// Write implements [http.ResponseWriter]: whole events of a stream go on at
// once, everything else is kept.
func (p *part) Write(b []byte) (int, error) {
	if p.header.Get("Content-Type") == streamKind {
		return p.of.event(b)
	}
	return p.body.Write(b)
}

func (p *part) broke() {
	p.failed = true
	p.body.Reset()
}

// answer is the JSON-RPC answer; nil when there is none, or it went on already.
func (p *part) answer() []byte {
	if p.header.Get("Content-Type") == streamKind {
		return nil
	}
	body := bytes.TrimSpace(p.body.Bytes())
	switch a, err := wire.ScanAnswer(body); {
	case len(body) == 0 && !p.failed:
		return nil
	case p.failed || err != nil || a.Result.Absent() && a.Error.Absent():
		if p.id == nil {
			return nil
		}
		return wire.ErrorBody(p.id, wire.CodeInternal, "its server gave no whole answer: look whether it was done before you try again", nil)
	}
	return body
}
