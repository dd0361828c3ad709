package member

import (
	"context"
	"slices"
	"sync"
)

// talk is what is remembered of a client between its requests where the eras
// are translated. All of it is about requests under way in this process, or
// wishes that a client utters anew in a new session.
type talk struct {
	mu       sync.Mutex
	over     bool
	logLevel string                        // as the client set it, or as we set it at the server
	uris     map[string]int                // resources the client subscribed to
	changed  chan struct{}                 // closed and renewed when uris change
	calls    map[string]context.CancelFunc // by the raw id of the client's request
	waiting  map[string]chan []byte        // by the raw id of a request to the client
	hub      *hub
}

// end cancels the calls.
func (t *talk) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	for _, cancel := range t.calls {
		cancel()
	}
}

func (t *talk) level() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.logLevel
}

// setLevel says whether the level is another one than before.
func (t *talk) setLevel(level string) (changed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	changed = t.logLevel != level
	t.logLevel = level
	return changed
}

// start keeps how to cancel a request.
func (t *talk) start(id string, cancel context.CancelFunc) (done func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.calls == nil {
		t.calls = map[string]context.CancelFunc{}
	}
	t.calls[id] = cancel
	if t.over {
		cancel()
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.calls, id)
	}
}

// cancelCall cancels a request of the client's.
func (t *talk) cancelCall(id string) {
	t.mu.Lock()
	cancel := t.calls[id]
	t.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// await registers a request to the client.
func (t *talk) await(id string) (answer <-chan []byte, forget func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting == nil {
		t.waiting = map[string]chan []byte{}
	}
	ch := make(chan []byte, 1)
	t.waiting[id] = ch
	return ch, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.waiting, id)
	}
}

// deliver hands a response of the client's to whoever waits for it.
func (t *talk) deliver(id string, response []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if ch := t.waiting[id]; ch != nil {
		delete(t.waiting, id)
		ch <- slices.Clone(response)
	}
}

// maxSubscribed is how many resources a client may be subscribed to, and maxSubscribedURI how long their addresses
// may be, in bytes.
const (
	maxSubscribed    = 1000
	maxSubscribedURI = 8 << 10
)

// subscribe counts a subscription and says whether it is the first one; not ok: it is one too many, and wasn't counted.
func (t *talk) subscribe(uri string) (first, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.uris[uri] == 0 && len(t.uris) == maxSubscribed || len(uri) > maxSubscribedURI {
		return false, false
	}
	if t.uris == nil {
		t.uris = map[string]int{}
	}
	t.uris[uri]++
	t.signal()
	return t.uris[uri] == 1, true
}

// unsubscribe says whether it was the last one.
func (t *talk) unsubscribe(uri string) (last bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.uris[uri] == 0 {
		return false
	}
	t.uris[uri]--
	if t.uris[uri] == 0 {
		delete(t.uris, uri)
		t.signal()
		return true
	}
	return false
}

func (t *talk) signal() {
	if t.changed != nil {
		close(t.changed)
	}
	t.changed = make(chan struct{})
}

// subscribed are the resources, sorted, and a channel that closes when they change.
func (t *talk) subscribed() (uris []string, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	for uri := range t.uris {
		uris = append(uris, uri)
	}
	slices.Sort(uris)
	return uris, t.changed
}
