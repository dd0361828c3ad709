package member

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

// maxParked bounds the calls that wait for their clients.
const maxParked = 1000

// parking holds the calls of modern clients that wait for their client's
// answer, by the requestState that was given out. They live in this process:
// another replica doesn't know them.
type parking struct {
	mu    sync.Mutex
	calls map[string]*parked
}

// parked is a call that waits.
type parked struct {
	key    string // whose it is
	method string
	resume chan resumption // gets one value
}

// resumption is the client's answer and where the call goes on.
type resumption struct {
	s        *Session
	clientID []byte
	out      *outlet
	answer   []byte // raw result; nil when the client gave none
}

func (p *parking) put(state string, call *parked) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == nil {
		p.calls = map[string]*parked{}
	}
	if len(p.calls) >= maxParked {
		return false
	}
	p.calls[state] = call
	return true
}

// take gives a call to the one whose it is.
func (p *parking) take(state, key, method string) *parked {
	p.mu.Lock()
	defer p.mu.Unlock()
	call := p.calls[state]
	if call == nil || call.key != key || call.method != method {
		return nil
	}
	delete(p.calls, state)
	return call
}

// remove says whether the call was still waiting: else its answer comes.
func (p *parking) remove(state string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, waiting := p.calls[state]
	delete(p.calls, state)
	return waiting
}

// question is the name of a server's request among inputRequests: there is one
// at a time.
const question = "question"

// asks answers a request that the server makes during the call: pings by us,
// what the client can answer by an input_required result and the retry that
// follows it (spec 2026-07-28 patterns/mrtr), the rest by a no.
func (c *legacyCall) asks(ctx context.Context, o *opened, a *wire.Answer, patient *patience, left *watched) (done bool) {
	s := c.s
	state := s.m.ids + randomText(16)
	call := &parked{key: s.s.key, method: c.method, resume: make(chan resumption, 1)}
	if !c.may(a.Method) || !s.m.parking.put(state, call) {
		s.m.respond(ctx, s.who, o.hop(""), ownAnswer(a))
		return false
	}
	patient.rest()
	left.stop()
	one := object(append([]byte(`"method":`), wire.Quote(a.Method)...), append([]byte(`"params":`), orEmpty(member(a.Body, "params"))...))
	result := object([]byte(`"resultType":"input_required"`),
		append([]byte(`"inputRequests":`), object(append([]byte(`"`+question+`":`), one...))...),
		append([]byte(`"requestState":`), wire.Quote(state)...))
	c.out.finish(http.StatusOK, nil, wire.ResultBody(c.clientID, wire.Modern, result))
	timer := time.NewTimer(askTimeout)
	defer timer.Stop()
	select {
	case r := <-call.resume:
		c.resumed(ctx, o, a, r, patient, left)
		return false
	case <-timer.C:
	case <-ctx.Done():
	}
	if !s.m.parking.remove(state) {
		c.resumed(ctx, o, a, <-call.resume, patient, left)
		return false
	}
	s.m.respond(ctx, s.who, o.hop(""), wire.ErrorBody(a.ID, wire.CodeInternal, "the client did not answer in time", nil))
	s.m.cancelCall(ctx, s.who, o.hop(""), c.id)
	return true
}

// visitFirst is a code of the legacy eras: the client must have its user visit
// addresses and call again. The modern era has a question for it (spec
// 2026-07-28 basic/index "Error Codes").
const visitFirst = -32042

// visit is that question as an input_required result, nil for all other
// answers. Nothing is parked: the retry is a call like the first.
func (c *legacyCall) visit(a *wire.Answer) []byte {
	if a.ErrorCode != visitFirst || !c.may("elicitation/create") {
		return nil
	}
	var asked [][]byte
	err := wire.EachElement(member(member(a.Error.In(a.Body), "data"), "elicitations"), func(one []byte) bool {
		if wire.IsObject(one) {
			key := append(wire.Quote(question+"-"+strconv.Itoa(len(asked)+1)), `:{"method":"elicitation/create","params":`...)
			asked = append(asked, append(append(key, one...), '}'))
		}
		return true
	})
	if err != nil || len(asked) == 0 {
		return nil
	}
	return object([]byte(`"resultType":"input_required"`), append([]byte(`"inputRequests":`), object(asked...)...))
}

// may says whether the client can be asked this.
func (c *legacyCall) may(method string) bool {
	switch c.method {
	case "tools/call", "prompts/get", "resources/read":
		return c.can[method]
	}
	return false
}

// resumed goes on for the client's next request.
func (c *legacyCall) resumed(ctx context.Context, o *opened, a *wire.Answer, r resumption, patient *patience, left *watched) {
	c.s, c.clientID, c.out = r.s, r.clientID, r.out
	left.watch(c.out, patient)
	patient.wake()
	body := wire.ErrorBody(a.ID, wire.CodeInternal, "the client gave no answer", nil)
	if r.answer != nil {
		body = append(append(append([]byte(`{"jsonrpc":"2.0","id":`), a.ID...), `,"result":`...), append(slices.Clone(r.answer), '}')...)
	}
	c.s.m.respond(ctx, c.s.who, o.hop(""), body)
}

// resume gives a client's answer to the call that waits for it.
func (s *Session) resume(ctx context.Context, msg *wire.Message, state string) (*Answer, error) {
	call := s.m.parking.take(state, s.s.key, msg.Method)
	if call == nil {
		return faultAnswer(stateUnknown(msg.ID), wire.Modern), nil
	}
	out := newOutlet()
	answer := member(member(msg.Params.In(msg.Body), "inputResponses"), question)
	call.resume <- resumption{s: s, clientID: slices.Clone(msg.ID), out: out, answer: slices.Clone(answer)}
	return out.answer(ctx)
}

// watched cancels a call when its client leaves.
type watched struct {
	mu   sync.Mutex
	quit chan struct{}
	left bool
}

func (c *legacyCall) watch(patient *patience) *watched {
	w := &watched{}
	w.watch(c.out, patient)
	return w
}

func (w *watched) watch(out *outlet, patient *patience) {
	w.mu.Lock()
	defer w.mu.Unlock()
	quit := make(chan struct{})
	w.quit = quit
	go func() {
		select {
		case <-out.gone:
			w.mu.Lock()
			w.left = true
			w.mu.Unlock()
			patient.cancel(context.Canceled)
		case <-quit:
		}
	}()
}

func (w *watched) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.quit != nil {
		close(w.quit)
		w.quit = nil
	}
}

func (w *watched) happened() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.left
}
