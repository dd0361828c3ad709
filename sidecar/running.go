package sidecar

import (
	"context"
	"sync"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/wire"
)

// running are the batches under way, so that a notifications/cancelled of the legacy eras ends them (a modern client
// closes the stream, which ends the request's context). The key holds caller and session: one caller can't cancel
// another's. Without a session nothing is cancelled by a notification: two clients with one token, or with none, count
// their ids alike, and their requests can't be told apart. Such a client ends a batch by closing its stream too.
type running struct {
	mu      sync.Mutex
	cancels map[runningKey]context.CancelFunc
}

type runningKey struct {
	who         caller.Key
	session, id string
}

// keyOf reads the id: the same string may be spelled with other escapes, and 1 is another id than "1".
func keyOf(t *turn, id []byte) runningKey {
	name := string(id)
	if text, ok := wire.String(id); ok {
		name = "\"" + text
	}
	return runningKey{who: t.who.Key(), session: t.req.Header.Get("Mcp-Session-Id"), id: name}
}

// add makes the batch of t cancellable; end must be called when it is over.
func (r *running) add(ctx context.Context, t *turn) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancel(ctx)
	key := keyOf(t, t.msg.ID)
	if key.session == "" {
		return ctx, cancel
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.cancels[key]; taken { // an id used twice at once: only the first can be cancelled by it
		return ctx, cancel
	}
	if r.cancels == nil {
		r.cancels = map[runningKey]context.CancelFunc{}
	}
	r.cancels[key] = cancel
	return ctx, func() {
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.cancels, key)
	}
}

// cancel ends the batch that a cancelled notification names. It may run on another replica; then nothing happens here.
func (r *running) cancel(t *turn) {
	if t.req.Header.Get("Mcp-Session-Id") == "" {
		return
	}
	fields, err := wire.Fields(t.msg.Params.In(t.msg.Body))
	if err != nil {
		return
	}
	for _, f := range fields {
		if f.Key != "requestId" {
			continue
		}
		r.mu.Lock()
		cancel := r.cancels[keyOf(t, f.Value)]
		r.mu.Unlock()
		if cancel != nil {
			cancel()
		}
	}
}
