package member

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"time"

	"mcp-toolsearch/sidecar/upstream"
)

// A legacy server may ask its client, and tell it things, on the session's one
// stream while a call runs, without saying which call it means. A modern client
// has no such stream: what comes there goes to its calls.

// step is one thing that happens on the way from a request to its response.
type step struct {
	received
	o        *opened
	answered bool // the server answered at all
	err      error
}

// reading sends a call's request and reads what comes, so that the call can
// hear the session's stream meanwhile.
type reading struct {
	c       *legacyCall
	s       *Session // of the request; the call's own changes when it goes on
	body    []byte
	patient *patience
	steps   chan step
}

// run ends after the first error, or with ctx.
func (r *reading) run(ctx context.Context) {
	resp, o, err := r.s.exchange(ctx, r.c.method, r.body, true)
	if err != nil {
		r.give(step{o: o, err: err})
		return
	}
	in := &incoming{m: r.s.m, ctx: ctx, patient: r.patient, resp: resp, id: r.c.id}
	defer func() { in.close() }()
	for {
		got, err := in.next()
		if endedEarly(err) && r.reconnect(ctx, o, in) {
			continue
		}
		if !r.give(step{received: got, o: o, answered: true, err: err}) || err != nil {
			return
		}
	}
}

// give hands a step over; false when the call is over. An error is always
// heard: it may be the end of the context itself.
func (r *reading) give(st step) bool {
	select {
	case r.steps <- st:
		return true
	case <-r.c.over:
		return false
	}
}

// reconnect takes up a stream that the server ended before the response: with
// an event id that is no failure, but a wish to be asked again later (spec
// 2025-11-25 basic/transports "Resumability and Redelivery").
func (r *reading) reconnect(ctx context.Context, o *opened, in *incoming) bool {
	if in.lastID == "" || ctx.Err() != nil || !sleep(ctx, in.retry()) {
		return false
	}
	resp, err := r.s.getStream(ctx, o, in.lastID)
	if err != nil {
		return false
	}
	if resp.StatusCode != http.StatusOK || mediaType(resp.Header) != "text/event-stream" {
		upstream.Drain(resp)
		return false
	}
	in.close()
	in.resp, in.events = resp, nil
	return true
}

// saying is a message on the session's stream.
type saying struct {
	received
	o *opened
}

// standing is a call that hears the session's stream.
type standing struct {
	c    *legacyCall
	said chan saying
}

// maxSaid bounds what waits for a call; what comes later is declined, or lost.
const maxSaid = 64

// The stream is awaited for streamPatience before the first call, since what is
// said before it is open may be lost, and kept for streamKept after the last.
const (
	streamPatience = time.Second
	streamKept     = time.Minute
)

// attend has the call hear the session's stream, if there is something on it
// for the call. A server without sessions has none.
func (c *legacyCall) attend(ctx context.Context) (said <-chan saying, leave func(), err error) {
	nothing := func() {}
	if !c.asksAnything() && !c.logs && c.token == nil {
		return nil, nothing, nil
	}
	o, err := c.s.s.ensure(ctx, c.s.c, c.s.who)
	if err != nil {
		return nil, nothing, settled(err)
	}
	h := c.s.s.hubOf()
	if o.id == "" || h.refused(o) {
		return nil, nothing, nil
	}
	k := &standing{c: c, said: make(chan saying, maxSaid)}
	tried, began := h.attend(c.s, k)
	timer := time.NewTimer(streamPatience - time.Since(began))
	defer timer.Stop()
	select {
	case <-tried:
	case <-timer.C:
	case <-ctx.Done():
	}
	who := c.s.who
	return k.said, func() {
		h.dismiss(k)
		for len(k.said) > 0 { // nothing is added any more
			if what := <-k.said; what.kind == isRequest {
				c.s.m.respond(ctx, who, what.o.hop(""), ownAnswer(what.answer))
			}
		}
	}, nil
}

// asksAnything says whether the server could ask the client something.
func (c *legacyCall) asksAnything() bool {
	return slices.ContainsFunc(questions(), c.may)
}

// questions are the requests that a server may make of a client.
func questions() []string {
	return []string{"elicitation/create", "sampling/createMessage", "roots/list"}
}

// attend adds a call and starts the stream; tried closes when it is there, or
// can't be had.
func (h *hub) attend(s *Session, k *standing) (tried <-chan struct{}, began time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.standing = append(h.standing, k)
	h.kept = false
	if h.parting != nil {
		h.parting.Stop()
	}
	return h.start(s), h.began
}

// dismiss takes a call out. The stream stays for a while: the next call comes
// soon, as a rule.
func (h *hub) dismiss(k *standing) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.standing = slices.DeleteFunc(h.standing, func(other *standing) bool { return other == k })
	if len(h.standing) > 0 || h.over {
		h.stopIdle()
		return
	}
	h.kept = true
	h.parting = time.AfterFunc(streamKept, h.part)
}

// part lets a stream go that was kept.
func (h *hub) part() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.standing) == 0 {
		h.kept = false
		h.stopIdle()
	}
}

// close ends what nobody waits for: the session is over.
func (h *hub) close() {
	h.mu.Lock()
	h.over = true
	if h.parting != nil {
		h.parting.Stop()
	}
	h.mu.Unlock()
	h.part()
}

// refused says that the server has no stream for this session.
func (h *hub) refused(o *opened) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.without == o
}

// says gives a message to the call that it may be meant for; false when there
// is none. What is told goes to the newest of several; a question only to the
// one that can be asked, since it doesn't say which it means, and a person would
// answer it for another call. Where many callers share the session, nobody may
// see what is another's.
func (h *hub) says(o *opened, got received) bool {
	if h.s.key == "" && h.s.running() != 1 {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var to []*standing
	for _, k := range h.standing {
		if k.c.wants(got) {
			to = append(to, k)
		}
	}
	if len(to) == 0 || len(to) > 1 && got.kind == isRequest {
		return false
	}
	select {
	case to[len(to)-1].said <- saying{got, o}:
		return true
	default:
		return false
	}
}

// wants says whether a message on the session's stream can be for this call.
func (c *legacyCall) wants(got received) bool {
	switch got.answer.Method {
	case "notifications/progress":
		return c.token != nil && bytes.Equal(c.token, member(member(got.body, "params"), "progressToken"))
	case "notifications/message":
		return c.logs
	}
	return got.kind == isRequest && c.may(got.answer.Method)
}

// running is how many requests of clients are under way.
func (t *talk) running() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.calls)
}

// endedEarly says that a stream ended before the response.
func endedEarly(err error) bool {
	e, ok := err.(*Error)
	return ok && e.cause == errEnded
}
