package catalog

import (
	"context"
	"errors"
	"time"

	"mcp-toolsearch/sidecar/upstream"
)

// flight is one listing on its way and those who wait for it. Its fields but
// the results are guarded by the store's mutex; the results are set before
// done is closed.
type flight struct {
	cancel    context.CancelFunc
	waiters   int
	pinned    bool // goes on when nobody waits: a background listing
	abandoned bool // its catalog must not be kept, and nobody joins it any more

	done    chan struct{}
	catalog *Catalog
	err     error
}

// join finds or starts a key's flight and boards it, unless there are too many;
// s.mu is held.
func (s *Store) join(k key, r Request) (*flight, error) {
	f := s.flights[k]
	if f == nil {
		var err error
		if f, err = s.start(k, r); err != nil {
			return nil, err
		}
	}
	f.waiters++
	return f, nil
}

// start begins a listing in a goroutine that Close waits for; s.mu is held and
// the store is open.
func (s *Store) start(k key, r Request) (*flight, error) {
	if err := s.admit(r.own); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(s.ctx)
	f := &flight{cancel: cancel, done: make(chan struct{})}
	s.flights[k] = f
	s.wg.Go(func() {
		defer cancel()
		room := s.room()
		if !s.opt.Queue.Begin(ctx, room) {
			s.land(k, f, nil, s.notBegun(ctx), nil)
			return
		}
		defer s.opt.Queue.Done(room)
		ctx, cancel := context.WithTimeout(ctx, s.opt.ListTimeout)
		defer cancel()
		s.fly(ctx, k, f, r)
	})
	return f, nil
}

// notBegun is why a flight's turn never came.
func (s *Store) notBegun(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return s.listError(ctx, err)
	}
	return ErrBusy
}

// wait waits for a flight. One who leaves doesn't disturb the others; when all
// have left, the listing is cancelled.
func (s *Store) wait(ctx context.Context, k key, f *flight) (*Catalog, error) {
	select {
	case <-f.done:
		return f.catalog, f.err
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f.waiters--
	switch {
	case f.waiters > 0 || f.pinned:
	case f.abandoned:
		f.cancel()
	case s.flights[k] == f:
		delete(s.flights, k) // who comes now must not board a cancelled one
		f.cancel()
	}
	return nil, ctx.Err()
}

// abandon leaves a key's flight, if any, to those who wait for it: what it lists
// was begun before something that changes what may be listed. s.mu is held.
func (s *Store) abandon(k key) {
	f := s.flights[k]
	if f == nil {
		return
	}
	delete(s.flights, k)
	f.abandoned, f.pinned = true, false
	if f.waiters == 0 {
		f.cancel()
	}
}

// fly lists, builds and lands.
func (s *Store) fly(ctx context.Context, k key, f *flight, r Request) {
	began := time.Now()
	trace, ended := r.Trace, func(string, int) string { return "" }
	if s.opt.Trace != nil {
		trace, ended = s.opt.Trace(r.Trace)
	}
	listing, err := s.opt.Lister.List(ctx, r.Target, r.Who, upstream.ListOptions{Trace: trace, Anew: r.anew})
	var c *Catalog
	if err == nil {
		s.listed(listing)
		c, err = s.catalogOf(k, listing)
	}
	err = s.listError(ctx, err)
	tools, bytes := 0, int64(0)
	if c != nil {
		tools, bytes = len(c.body.tools), c.body.bytes
	}
	outcome := Outcome(err)
	s.opt.Observer.Listed(outcome, tools, bytes, time.Since(began), ended(outcome, tools))
	if c != nil && c.body.dropped != (Dropped{}) {
		s.opt.Observer.Dropped(c.body.dropped)
	}
	evicted := s.land(k, f, c, err, listing)
	s.renew(k) // the overlay may have changed meanwhile
	for range evicted {
		s.opt.Observer.Evicted()
	}
}

// catalogOf builds or shares the body of a key's listing, and holds it.
func (s *Store) catalogOf(k key, l *upstream.Listing) (*Catalog, error) {
	var before *body
	s.mu.Lock()
	if old, ok := s.kept.Peek(k); ok {
		before = old.catalog.body
	}
	s.mu.Unlock()
	b := s.builds.acquire(l.Tools, before)
	if b.isLoop(s.opt.MetaTools) {
		s.builds.release(b)
		return nil, ErrLoop
	}
	return &Catalog{body: b, listed: time.Now(), era: l.Era, absent: absent{l.Missing, l.Starting}}, nil
}

// listError makes the flight's own end the error its waiters should see.
func (s *Store) listError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case s.ctx.Err() != nil:
		return ErrClosed
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && errors.Is(err, context.DeadlineExceeded):
		return &upstream.Error{Kind: upstream.TimedOut, Detail: "no complete answer in time"}
	}
	return err
}

// land publishes a flight's result and keeps it when it may be kept. A failure
// keeps the stale catalog, but 401 and 403 drop it.
func (s *Store) land(k key, f *flight, c *Catalog, err error, l *upstream.Listing) (evicted int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	current := s.flights[k] == f
	if current {
		delete(s.flights, k)
	}
	f.catalog, f.err = c, err
	defer close(f.done)
	var auth *upstream.AuthError
	switch {
	case err == nil && current:
		return s.keep(k, &entry{catalog: c, fresh: s.opt.fresh(l)})
	case err == nil:
		s.builds.release(c.body)
		return 0
	case !current || errors.Is(err, context.Canceled) || errors.Is(err, ErrClosed) || errors.Is(err, ErrBusy):
		return 0
	case errors.As(err, &auth):
		s.kept.Remove(k)
	}
	s.failures.Add(k, failure{err: err, until: time.Now().Add(s.opt.NegativeTTL)})
	return 0
}

// Outcome labels how a listing ended, in metrics and logs: "ok", "auth", "loop", "busy", "cancelled", "failed", or the kind of an
// [upstream.Error].
func Outcome(err error) string {
	var auth *upstream.AuthError
	var failed *upstream.Error
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &auth):
		return "auth"
	case errors.As(err, &failed):
		return failed.Kind.String()
	case errors.Is(err, ErrLoop):
		return "loop"
	case errors.Is(err, ErrBusy):
		return "busy"
	case errors.Is(err, context.DeadlineExceeded):
		return upstream.TimedOut.String()
	case errors.Is(err, context.Canceled), errors.Is(err, ErrClosed):
		return "cancelled"
	}
	return "failed"
}
