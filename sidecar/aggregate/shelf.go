package aggregate

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/member"
)

// Times of listings.
const (
	// patience is how long a request waits for servers that have never answered.
	patience = time.Second
	// longPatience is how long it waits for one that has, but has no list yet.
	longPatience = 3 * time.Second
	// calm is the least time between two listings of one server for requests
	// that want a new one, and for changes.
	calm = 250 * time.Millisecond
	// retryFirst and retryMost are the pauses before a server that failed is
	// listed again.
	retryFirst = time.Second
	retryMost  = time.Minute
)

// freshness says how new a listing must be.
type freshness int

const (
	// recent: from memory; what is too old is renewed in the background.
	recent freshness = iota
	// renewed: every server is listed anew, but for those that don't answer soon.
	renewed
	// full: every server is listed anew, and waited for.
	full
)

// shelf holds one visitor's listings of one kind.
type shelf struct {
	a    *Aggregate
	who  *visitor
	kind kind

	mu    sync.Mutex
	known map[string]*known
	last  *view // nil: to be made anew

	relisted time.Time // for an unknown name
}

// known is one server's listing.
type known struct {
	items    [][]byte
	listed   time.Time // of items; zero: never
	tried    time.Time // the end of the last attempt
	failure  string    // of the last attempt; "" went well
	err      error
	failures int
	retryAt  time.Time
	changed  bool    // the server said so, or its configuration did
	entry    *entry  // that was asked last
	flight   *flight // nil: none
}

// flight is a listing under way.
type flight struct {
	entry   *entry
	began   time.Time
	changed bool // the last list is known to be wrong
	done    chan struct{}
}

// get gives the merged listing as new as asked for. It waits only where there
// is something to wait for; the error is ctx's.
func (s *shelf) get(ctx context.Context, want freshness) (*view, error) {
	r := s.a.roster.Load()
	s.mu.Lock()
	var wait []*flight
	for _, e := range r.entries {
		if f := s.consider(e, want); f != nil {
			wait = append(wait, f)
		}
	}
	s.mu.Unlock()
	if err := s.await(ctx, wait, want); err != nil {
		return nil, err
	}
	return s.view(), nil
}

// consider starts what must be listed of one server, and gives the listing
// that the request waits for; nil is none. The shelf is locked.
func (s *shelf) consider(e *entry, want freshness) *flight {
	k := s.known[e.server.Name]
	if k == nil {
		k = &known{}
		s.known[e.server.Name] = k
	}
	now := time.Now()
	if k.flight == nil {
		if !s.due(k, want, now) {
			return nil
		}
		s.start(e, k, calm-now.Sub(k.tried))
	}
	if k.flight != nil && (k.flight.changed || want != recent || s.tooOld(k, now)) {
		return k.flight
	}
	return nil
}

// maxStale is how long beyond its time a list may stand in while a new one is
// under way. That of a server that can't be listed may longer.
const maxStale = 30 * time.Minute

func (s *shelf) tooOld(k *known, now time.Time) bool {
	return k.listed.IsZero() || s.a.o.TTL > 0 && now.Sub(k.listed) > s.a.o.TTL+maxStale
}

func (s *shelf) due(k *known, want freshness, now time.Time) bool {
	switch {
	case want == full:
		return true
	case k.failure != "":
		return !now.Before(k.retryAt)
	case k.listed.IsZero():
		return true
	case k.changed:
		return true
	case want == renewed:
		return now.Sub(k.tried) >= calm
	}
	return s.a.o.TTL > 0 && now.Sub(k.listed) >= s.a.o.TTL
}

// start lists a server, after a pause, in a goroutine of the aggregate's.
func (s *shelf) start(e *entry, k *known, pause time.Duration) {
	if !e.use() {
		return
	}
	f := &flight{entry: e, began: time.Now(), changed: k.changed, done: make(chan struct{})}
	if !s.a.spawn(func(ctx context.Context) {
		defer e.release()
		sleep(ctx, pause)
		s.list(ctx, e, f)
	}) {
		e.release()
		return
	}
	k.flight, k.entry, k.changed = f, e, false
}

func (s *shelf) list(ctx context.Context, e *entry, f *flight) {
	ctx, cancel := context.WithTimeout(ctx, e.listTimeout())
	defer cancel()
	select {
	case e.slots <- struct{}{}:
		defer func() { <-e.slots }()
	case <-ctx.Done():
	}
	start := time.Now()
	items, err := e.member.List(ctx, s.who.clientFor(e), s.kind.method())
	if err == nil && s.kind == tools && onlyMetaTools(items) {
		err = errLoop
	}
	s.finish(e, f, items, err)
	if s.kind == tools {
		s.a.tell(e, len(items), err, s.knows(e), time.Since(start))
	}
	s.a.landed(s)
}

// finish notes how a listing went. A failure keeps the last one that went well.
func (s *shelf) finish(e *entry, f *flight, items [][]byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer close(f.done)
	k := s.known[e.server.Name]
	if k == nil || k.flight != f { // its server left or was replaced meanwhile
		return
	}
	k.flight = nil
	k.tried = time.Now()
	was := k.failure
	k.err = err
	k.failure = outcome(err)
	if err != nil {
		k.failures++
		k.retryAt = k.tried.Add(min(retryFirst<<min(k.failures-1, 10), retryMost))
	} else {
		k.failures = 0
		k.listed = k.tried
	}
	if err == nil && !slices.EqualFunc(k.items, items, bytes.Equal) {
		k.items = items
		s.last = nil
	}
	if was != k.failure {
		s.last = nil
	}
}

// await waits for listings as long as want says. Patience begins with the
// listing: later requests don't wait for what the first gave up.
func (s *shelf) await(ctx context.Context, flights []*flight, want freshness) error {
	if want == full {
		return landAll(ctx, flights, never)
	}
	if err := landAll(ctx, flights, patience); err != nil {
		return err
	}
	all := slices.Clone(flights)
	flights = slices.DeleteFunc(flights, func(f *flight) bool { return !f.worthWaiting() || s.knows(f.entry) })
	if err := landAll(ctx, flights, longPatience); err != nil || s.kind != tools {
		return err
	}
	return s.awaitFirst(ctx, all)
}

// knows says that there is a list of the server, if maybe an old one.
func (s *shelf) knows(e *entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.known[e.server.Name]
	return k != nil && !k.listed.IsZero()
}

// worthWaiting tells a server that has answered before from one that may
// not be there at all.
func (f *flight) worthWaiting() bool {
	select {
	case <-f.done:
		return false
	default:
	}
	state := f.entry.member.State()
	return state.Up && !state.Since.IsZero()
}

// never is the patience of those who wait to the end.
const never = time.Duration(-1)

// landAll waits until all flights have landed, each at most until it has been
// under way for the time given.
func landAll(ctx context.Context, flights []*flight, most time.Duration) error {
	for _, f := range flights {
		if err := f.land(ctx, most); err != nil {
			return err
		}
	}
	return nil
}

func (f *flight) land(ctx context.Context, most time.Duration) error {
	var over <-chan time.Time
	if most != never {
		timer := time.NewTimer(max(0, time.Until(f.began.Add(most))))
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-f.done:
	case <-over:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// hopeless says that a server wasn't listed lately and that waiting for it
// longer than others did is of no use.
func (s *shelf) hopeless(e *entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.known[e.server.Name]
	if k == nil || k.failure == authFailed { // which is an answer, and the client's to hear
		return false
	}
	return k.failures > 0 || k.flight != nil && time.Since(k.flight.began) > patience
}

// poke lists a server if it is due, without waiting; the channel is closed
// when that is done, and nil when nothing is under way.
func (s *shelf) poke(e *entry) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.consider(e, recent)
	if f := s.known[e.server.Name].flight; f != nil {
		return f.done
	}
	return nil
}

// pause is how long from now a server need not be listed.
func (s *shelf) pause(e *entry) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.known[e.server.Name]
	switch {
	case k == nil || k.flight != nil:
		return retryFirst
	case k.failure != "":
		return max(time.Until(k.retryAt), calm)
	case s.a.o.TTL > 0:
		return max(s.a.o.TTL-time.Since(k.listed), calm)
	}
	return time.Hour
}

// idle says that nothing is being listed.
func (s *shelf) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.known {
		if k.flight != nil {
			return false
		}
	}
	return true
}

// note marks a server's listing as changed; the next who wants it waits for a
// new one.
func (s *shelf) note(server string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.known[server]; k != nil {
		k.changed = true
	}
}

// replace forgets listings on their way from servers that left or changed; what
// a server that only changed listed last stands in until it is listed anew, but
// never for another address.
func (s *shelf) replace(now *roster) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, k := range s.known {
		e := now.byName[name]
		switch {
		case e == nil, k.entry != nil && k.entry.place() != e.place():
			delete(s.known, name)
		case k.flight != nil && k.flight.entry != e, k.entry != nil && k.entry != e:
			k.flight, k.changed, k.failures, k.retryAt = nil, true, 0, time.Time{}
		}
	}
}

// clientFor is in whose name a server is listed: in a session of its own,
// because a legacy server believes for a whole session what its first client
// can do, and listing needs nothing. Of a local command one process must do.
func (v *visitor) clientFor(e *entry) member.Client {
	c := v.client
	if e.local() {
		c.Key = ""
		return c
	}
	c.Key = "list\x00" + c.Key
	return c
}
