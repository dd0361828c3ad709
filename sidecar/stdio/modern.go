package stdio

import (
	"context"
	"errors"
	"net/http"

	"mcp-toolsearch/sidecar/wire"
)

// era is what is known of the versions that a server speaks.
type era int

const (
	unknown   era = iota
	modernToo     // it answered server/discover with a version of the modern era
	legacyOnly
	legacyGuessed // it ended on server/discover, as some of the legacy era do, or as it always does
)

// opening is a shared process being started, for all that wait for it.
type opening struct {
	done   chan struct{}
	talk   *talk
	legacy bool // the server speaks no modern version
	denied *denial
	err    error
}

// modern carries a message of the modern era: it goes to the one process that all clients share.
func (t *Transport) modern(r *http.Request, m *wire.Message, version string) (*http.Response, error) {
	if m.Kind != wire.Request { // a cancellation is the end of its request here; an id alone is nobody's
		return empty(r, http.StatusAccepted), nil
	}
	for {
		o, err := t.share(r.Context())
		switch {
		case err != nil:
			return nil, err
		case o.err != nil:
			return nil, o.err
		case o.denied != nil:
			return unavailable(r, m.ID, o.denied), nil
		case o.legacy:
			return document(r, http.StatusBadRequest, tooNew(m.ID, version)), nil
		}
		c, fault, err := t.send(r.Context(), o.talk, m, wire.Modern)
		if fault != nil { // it ended a moment ago
			t.remove(o.talk)
			continue
		}
		if err != nil {
			return nil, err
		}
		return c.reply(r, wire.Modern, func() { o.talk.drop(c) })
	}
}

// tooNew is what a server of the legacy era answers (spec 2026-07-28 basic/versioning): clients then send initialize.
func tooNew(id []byte, version string) []byte {
	data := append([]byte(`{"supported":["2025-11-25","2025-06-18","2025-03-26"],"requested":`), wire.Quote(version)...)
	return wire.ErrorBody(id, wire.CodeUnsupportedVersion, "this server does not speak this protocol version: send initialize", append(data, '}'))
}

// share returns the shared process, and starts it when there is none. The error is ctx's, or ErrClosed.
func (t *Transport) share(ctx context.Context) (*opening, error) {
	t.mu.Lock()
	o := t.opening
	switch {
	case t.closed:
		t.mu.Unlock()
		return nil, ErrClosed
	case t.shared != nil:
		o = &opening{talk: t.shared, done: closed()}
	case t.era == legacyOnly || t.era == legacyGuessed:
		o = &opening{legacy: true, done: closed()}
	case o == nil:
		o = &opening{done: make(chan struct{})}
		t.opening = o
		t.busy.Go(func() { t.open(o) }) // not in the client's time: what starts slowly would start again with each
	}
	t.mu.Unlock()
	select {
	case <-o.done:
		return o, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// open starts the shared process, and finds out once whether the server speaks the modern era.
func (t *Transport) open(o *opening) {
	defer close(o.done)
	t.mu.Lock()
	known := t.era == modernToo
	t.mu.Unlock()
	o.talk, o.denied, o.err = t.start(t.ctx, func(k *talk) {
		k.settle(true, !known)
		if known {
			t.shared = k
		} else {
			t.probed = k
		}
	}, false)
	found := modernToo
	if !known && o.talk != nil {
		found = t.probe(o.talk)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.opening = nil
	if o.talk == nil || known {
		return
	}
	t.settle(o, found)
}

// settle gives a probed process its place; t.mu is held.
func (t *Transport) settle(o *opening, found era) {
	t.era = found
	o.legacy = found != modernToo
	t.drop(o.talk)
	o.talk.settle(!o.legacy, false)
	select {
	case <-o.talk.stop:
	case <-o.talk.exited:
	default:
		if o.legacy {
			t.spare = o.talk
		} else {
			t.shared = o.talk
		}
	}
}

// probe asks a process once for the versions it speaks.
func (t *Transport) probe(k *talk) era {
	ctx, cancel := context.WithTimeout(t.ctx, t.o.ProbeTimeout)
	defer cancel()
	m, fault := wire.Scan([]byte(discover), wire.Limits{})
	if fault != nil {
		return unknown
	}
	c, fault, err := t.send(ctx, k, m, wire.Modern)
	if err != nil || fault != nil {
		return legacyGuessed
	}
	answer, _, err := c.box.take(ctx)
	switch {
	case t.ctx.Err() != nil:
		return unknown
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		k.quit() // what it makes of initialize now is anybody's guess
		return legacyOnly
	case err != nil || c.died:
		return legacyGuessed
	case speaksModern(answer):
		return modernToo
	}
	return legacyOnly
}

const discover = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + wire.ModernVersion +
	`","io.modelcontextprotocol/clientInfo":{"name":"mcp-toolsearch","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

// speaksModern reads the answer to server/discover.
func speaksModern(answer []byte) bool {
	modern := false
	// What is no array has no versions.
	_ = wire.EachElement(find(answer, "result", "supportedVersions").In(answer), func(element []byte) bool {
		version, ok := wire.String(element)
		modern = modern || ok && version >= wire.ModernVersion
		return true
	})
	return modern
}

// guessedRight and guessedWrong judge a guess by how a session opened.
func (t *Transport) guessedRight() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.era == legacyGuessed {
		t.era = legacyOnly
	}
}

func (t *Transport) guessedWrong() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.era == legacyGuessed {
		t.era = unknown
	}
}
