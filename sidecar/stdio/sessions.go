package stdio

import (
	"crypto/rand"
	"net/http"

	"mcp-toolsearch/sidecar/wire"
)

const sessionHeader = "Mcp-Session-Id"

// legacy carries a message of the initialize-based versions.
func (t *Transport) legacy(r *http.Request, m *wire.Message) (*http.Response, error) {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		if m.Kind == wire.Request && m.Method == "initialize" {
			return t.initialize(r, m)
		}
		return refused(r, &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusBadRequest, Reason: "no_session", ID: m.ID,
			Message: "there is no session: send initialize first, and its Mcp-Session-Id with everything after"}), nil
	}
	k := t.session(id)
	if k == nil {
		return refused(r, noSession(m.ID)), nil
	}
	if m.Kind == wire.Request {
		return t.ask(r, k, m, wire.Legacy)
	}
	return t.tell(r, k, m)
}

func (t *Transport) session(id string) *talk {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sessions[id]
}

// initialize opens a session: a process of its own.
func (t *Transport) initialize(r *http.Request, m *wire.Message) (*http.Response, error) {
	for {
		resp, again, err := t.tryInitialize(r, m)
		if !again {
			return resp, err
		}
	}
}

// tryInitialize is initialize, with one process; again says that it was taken away before it was asked.
func (t *Transport) tryInitialize(r *http.Request, m *wire.Message) (resp *http.Response, again bool, err error) {
	id := rand.Text()
	k, denied, err := t.start(r.Context(), func(k *talk) { t.sessions[id] = k }, true)
	switch {
	case err != nil:
		return nil, false, err
	case denied != nil:
		t.guessedWrong()
		return unavailable(r, m.ID, denied), false, nil
	}
	c, fault, err := t.send(r.Context(), k, m, wire.Legacy)
	switch {
	case err != nil:
		return nil, false, err
	case fault != nil && !k.unwanted():
		return nil, true, nil
	case fault != nil:
		return unavailable(r, m.ID, t.endedAtOnce(k)), false, nil
	}
	resp, err = c.reply(r, wire.Legacy, func() { k.drop(c) })
	switch {
	case err != nil:
		return nil, false, err
	case c.died && k.unwanted():
		t.guessedWrong()
		return unavailable(r, m.ID, t.endedAtOnce(k)), false, nil
	case !c.ok:
		t.remove(k)
		k.quit()
		return resp, false, nil
	}
	t.guessedRight()
	resp.Header.Set(sessionHeader, id)
	return resp, false, nil
}

// listen opens the stream for what belongs to no request.
func (t *Transport) listen(r *http.Request) *http.Response {
	k := t.session(r.Header.Get(sessionHeader))
	box := newMailbox()
	if k == nil || k.open(box) != nil {
		return refused(r, noSession(nil))
	}
	return stream(r, &events{ctx: r.Context(), box: box, drop: func() { k.leave(box) }})
}

// delete ends a session.
func (t *Transport) delete(r *http.Request) *http.Response {
	k := t.session(r.Header.Get(sessionHeader))
	if k == nil {
		return refused(r, noSession(nil))
	}
	t.remove(k)
	k.quit()
	return empty(r, http.StatusNoContent)
}
