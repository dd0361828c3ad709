package catalog

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// ErrClosed says that the store was closed.
var ErrClosed = errors.New("the catalog store is closed; the program is shutting down")

// Request asks the store for a caller's catalog.
type Request struct {
	Who    caller.Caller
	Target upstream.Target
	Era    wire.Era   // the era the caller speaks; part of the key
	Trace  wire.Trace // what a listing this request starts is part of

	anew bool // a new listing was asked for
	own  bool // it is our own to list: it waits, however many there are
}

// key is what a catalog belongs to. Different identity headers never share one.
type key struct {
	who    caller.Key
	target upstream.Target
	era    wire.Era
}

func (r Request) key() key { return key{who: r.Who.Key(), target: r.Target, era: r.Era} }

// entry is a kept catalog.
type entry struct {
	catalog  *Catalog
	fresh    time.Duration
	relisted time.Time // the last Relist that listed
}

// failure is a remembered error.
type failure struct {
	err   error
	until time.Time
}

// Store keeps the callers' catalogs, bounded by number and bytes, the least
// recently used leaving first. It is safe for concurrent use.
type Store struct {
	opt    Options
	builds *builds
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup // listings
	usual  atomic.Int64   // bytes of a large listing of late

	mu       sync.Mutex
	closed   bool
	kept     *simplelru.LRU[key, *entry]
	failures *simplelru.LRU[key, failure] // apart, so that strangers' failures evict no catalog
	flights  map[key]*flight
}

// NewStore makes a store; Close it.
func NewStore(o Options) *Store {
	o = o.withDefaults()
	ctx, cancel := context.WithCancel(context.Background())
	s := &Store{
		opt: o, ctx: ctx, cancel: cancel, flights: map[key]*flight{},
		builds: &builds{
			rules:  rules{read: newGlobs(o.ReadTools), write: newGlobs(o.WriteTools), separator: o.SourceSeparator, overlay: o.Overlay},
			search: o.Search, schemas: newSchemas(o.SchemaBytes, o.Observer.SchemaUncompilable), live: map[string]*shared{},
			room: make(chan struct{}, runtime.GOMAXPROCS(0)),
		},
	}
	// The sizes are positive, which is all these errors are about.
	s.kept, _ = simplelru.NewLRU(o.MaxCallers, func(_ key, e *entry) { s.builds.release(e.catalog.body) })
	s.failures, _ = simplelru.NewLRU[key, failure](o.MaxCallers, nil)
	return s
}

// Close ends all listings and waits for them. Afterwards the store answers
// with ErrClosed.
func (s *Store) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.wg.Wait()
}

// Get is the caller's catalog: the cached one when fresh; a stale one while it
// is listed again in the background; else a listing, for which all callers of
// the same key wait together. Errors are *upstream.Error, *upstream.AuthError,
// ErrLoop, ErrBusy, ErrClosed or ctx's.
func (s *Store) Get(ctx context.Context, r Request) (*Catalog, error) {
	k := r.key()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, ErrClosed
	}
	if e, stale := s.cached(k); e != nil {
		if stale && s.failed(k) == nil && s.flights[k] == nil {
			if f, err := s.start(k, r); err == nil { // else the next one tries
				f.pinned = true
			}
		}
		s.mu.Unlock()
		return e.catalog, nil
	}
	if err := s.failed(k); err != nil {
		s.mu.Unlock()
		return nil, err
	}
	f, err := s.join(k, r)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return s.wait(ctx, k, f)
}

// Relist lists again, at most once in RelistEvery per key, and gives the new
// catalog with listed true. Otherwise it gives what is cached, with listed
// false. When the listing fails but a catalog not older than MaxStale is
// there, it gives that one and the error.
func (s *Store) Relist(ctx context.Context, r Request) (c *Catalog, listed bool, err error) {
	k := r.key()
	r.anew = true
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, false, ErrClosed
	}
	now := time.Now()
	e, _ := s.cached(k)
	if e != nil {
		c = e.catalog
		if !e.relisted.IsZero() && now.Sub(e.relisted) < s.opt.RelistEvery {
			s.mu.Unlock()
			return c, false, nil
		}
	}
	if err := s.failed(k); err != nil {
		s.mu.Unlock()
		return c, false, err
	}
	f, err := s.join(k, r)
	if err == nil && e != nil {
		e.relisted = now
	}
	s.mu.Unlock()
	if err != nil {
		return c, false, err
	}
	fresh, err := s.wait(ctx, k, f)
	if err == nil {
		return fresh, true, nil
	}
	var auth *upstream.AuthError
	if errors.As(err, &auth) {
		c = nil
	}
	return c, false, err
}

// Peek is the cached catalog when it is not older than MaxStale; it never lists.
func (s *Store) Peek(r Request) (*Catalog, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, _ := s.cached(r.key())
	if e == nil {
		return nil, false
	}
	return e.catalog, true
}

// Forget drops what is known of a caller at a target, in both eras: a relayed
// 401 or 403 says that the caller may not see it any more. A listing on its way
// still answers those who wait for it, but is not kept, and who asks from now on
// waits for a later one.
func (s *Store) Forget(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		r.Era = era
		s.kept.Remove(r.key())
		s.abandon(r.key())
	}
}

// Clear drops all that is known: other servers are behind the targets now.
// Listings on their way still answer those who wait for them, but aren't kept,
// and nobody joins them any more.
func (s *Store) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.kept.Keys() {
		s.kept.Remove(k) // one by one: each lets go of its build
	}
	s.failures.Purge()
	for k := range s.flights {
		s.abandon(k)
	}
}

// cached gives a key's entry unless it is older than MaxStale; s.mu is held.
func (s *Store) cached(k key) (e *entry, stale bool) {
	e, ok := s.kept.Get(k)
	if !ok {
		return nil, false
	}
	age := e.catalog.Age(time.Now())
	if age > s.opt.MaxStale {
		s.kept.Remove(k)
		return nil, false
	}
	return e, age >= e.fresh
}

// failed is the error remembered for a key, or nil; s.mu is held.
func (s *Store) failed(k key) error {
	f, ok := s.failures.Get(k)
	if !ok {
		return nil
	}
	if !time.Now().Before(f.until) {
		s.failures.Remove(k)
		return nil
	}
	return f.err
}
