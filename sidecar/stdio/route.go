package stdio

import (
	"time"

	"mcp-toolsearch/sidecar/wire"
)

const subscriptionKey = "io.modelcontextprotocol/subscriptionId"

// line implements [listener].
func (t *talk) line(line []byte) {
	if !wire.IsArray(line) {
		t.message(line)
		return
	}
	// A server of 2025-03-26 may send several at once.
	if wire.EachElement(line, func(message []byte) bool {
		t.message(message)
		return true
	}) != nil {
		t.skipped()
	}
}

// tooLong implements [listener]: who waits for that line is told.
func (t *talk) tooLong(line wire.Line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lost++
	id, request := line.ID()
	if id == nil || request {
		return
	}
	if c := t.find(id); c != nil && t.forget(c) {
		c.box.finish((&wire.Fault{Code: wire.CodeInternal, Reason: "answer_too_large", ID: c.id,
			Message: "the answer of the MCP server " + t.name + " is larger than this program takes: it was run, and its answer dropped; ask for less"}).Body())
	}
}

func (t *talk) skipped() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.junk++
}

// message gives one message of the server's to whom it belongs.
func (t *talk) message(message []byte) {
	a, err := wire.ScanAnswer(message)
	hasID := err == nil && a.ID != nil && !wire.IsNull(a.ID)
	switch {
	case err == nil && a.Method != "" && hasID:
		t.request(a)
	case err == nil && a.Method != "":
		t.notification(a)
	case hasID && (!a.Result.Absent() || !a.Error.Absent()):
		t.answer(a)
	default:
		t.skipped()
	}
}

// answer ends a call.
func (t *talk) answer(a *wire.Answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.find(a.ID)
	if c == nil { // of a call that was dropped
		t.lost++
		return
	}
	t.forget(c)
	c.ok = a.Error.Absent()
	t.worked = t.worked || c.tool && c.ok
	c.box.finish(t.theirs(c, a.Body, []string{"id"}, []string{"result", "_meta", subscriptionKey}))
}

// theirs is a message with the client's own id in the places where ours stands.
func (t *talk) theirs(c *call, message []byte, places ...[]string) []byte {
	if !t.shared {
		return message
	}
	var edits []edit
	for _, place := range places {
		at := find(message, place...)
		if !at.Absent() && keyOf(at.In(message)) == keyOf(c.sentID) {
			with := c.id
			if place[len(place)-1] == "progressToken" {
				with = c.token
			}
			edits = append(edits, edit{at: at, with: with})
		}
	}
	return spliced(message, edits...)
}

// request is one of the server's to the client.
func (t *talk) request(a *wire.Answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.shared && t.deliver(a.Body) {
		return
	}
	t.lost++
	code, text := wire.CodeInternal, "no client takes requests now"
	if t.shared { // the modern era has none
		code, text = wire.CodeMethodNotFound, "clients of this protocol version take no requests: answer input_required"
	}
	t.trySend(wire.OneLine(wire.ErrorBody(a.ID, code, text, nil)))
}

// notification goes to the call that it is about, if it says one.
func (t *talk) notification(a *wire.Answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delivered := false
	switch c := t.about(a); {
	case c != nil && a.Method == "notifications/cancelled": // only for subscriptions (spec 2026-07-28 basic/patterns/cancellation)
		t.forget(c)
		c.box.end()
		delivered = true
	case c != nil:
		delivered = c.box.put(t.theirs(c, a.Body, []string{"params", "progressToken"}, []string{"params", "_meta", subscriptionKey}))
	case !t.shared:
		delivered = t.deliver(a.Body)
	}
	if !delivered {
		t.lost++
	}
}

// about is the call that a notification is about; nil when it says none.
func (t *talk) about(a *wire.Answer) *call {
	if a.Method == "notifications/progress" {
		return t.progressing(a)
	}
	if !t.shared {
		return nil
	}
	switch a.Method {
	case "notifications/cancelled":
		if c := t.find(find(a.Body, "params", "requestId").In(a.Body)); c != nil && c.listen {
			return c
		}
		return nil
	case "notifications/message":
		return t.logging()
	}
	if at := find(a.Body, "params", "_meta", subscriptionKey); !at.Absent() {
		return t.find(at.In(a.Body))
	}
	return nil
}

// progressing is the call whose progress a notification tells.
func (t *talk) progressing(a *wire.Answer) *call {
	token := find(a.Body, "params", "progressToken").In(a.Body)
	for _, c := range t.calls {
		mine := c.token
		if t.shared {
			mine = c.sentID
		}
		if c.token != nil && keyOf(token) == keyOf(mine) {
			return c
		}
	}
	return nil
}

// logging is the call that a log message of a shared process belongs to. The message doesn't say it, and nobody may read
// another's: only while a single call runs, and none that was dropped may still do, is it clear.
func (t *talk) logging() *call {
	for len(t.dropped) > 0 && time.Since(t.dropped[0]) > mayStillRun {
		t.dropped = t.dropped[1:]
	}
	var one *call
	for _, c := range t.calls {
		if c.listen {
			continue
		}
		if one != nil {
			return nil
		}
		one = c
	}
	if one == nil || !one.logs || len(t.dropped) > 0 {
		return nil
	}
	return one
}

// deliver gives a message of a session to its client: on the stream of the only call that runs, else on the client's own
// stream, else with the newest call. While there is none of them it waits.
func (t *talk) deliver(message []byte) bool {
	var newest *call
	count := 0
	for _, c := range t.calls {
		if !c.silent {
			newest = c
			count++
		}
	}
	switch {
	case count == 1:
		return newest.box.put(message)
	case t.stream != nil:
		return t.stream.put(message)
	case count > 1:
		return newest.box.put(message)
	case len(t.early) >= maxEarly || t.size+len(message) > maxEarlySize:
		return false
	}
	t.early = append(t.early, message)
	t.size += len(message)
	return true
}
