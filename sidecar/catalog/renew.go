package catalog

import (
	"context"
	"errors"

	"mcp-toolsearch/sidecar/overlay"
)

// SetOverlay makes o the operator's rules, for listings to come and for the
// catalogs that are kept: when it returns, none of these is older. It lists
// nothing. nil takes all rules away.
func (s *Store) SetOverlay(o *overlay.Overlay) {
	s.builds.setOverlay(o)
	s.mu.Lock()
	keys := s.kept.Keys() // the longest unused first, so that renewing keeps their order
	s.mu.Unlock()
	for _, k := range keys {
		s.renew(k)
	}
}

// renew builds a kept catalog anew when the overlay has changed since.
func (s *Store) renew(k key) {
	for {
		s.mu.Lock()
		old, ok := s.kept.Peek(k)
		s.mu.Unlock()
		if !ok || !s.builds.outdated(old.catalog.body) {
			return
		}
		b := s.builds.acquire(old.catalog.body.raw, old.catalog.body)
		s.replace(k, old, &Catalog{body: b, listed: old.catalog.listed, era: old.catalog.era, absent: old.catalog.absent})
	}
}

// replace puts a catalog in the place of an entry's, if that is still there.
func (s *Store) replace(k key, old *entry, c *Catalog) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now, ok := s.kept.Peek(k); !ok || now != old {
		s.builds.release(c.body)
		return
	}
	s.kept.Add(k, &entry{catalog: c, fresh: old.fresh, relisted: old.relisted})
	s.builds.release(old.catalog.body)
}

// Renew lists again for a key, without asking for a new listing: who stands
// between us and the servers has heard that something changed. The catalog
// from before is served until the new one is there. The error is that of the
// listing, or ctx's.
func (s *Store) Renew(ctx context.Context, r Request) error {
	k := r.key()
	r.own = true
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return ErrClosed
		}
		s.failures.Remove(k)
		underway := s.flights[k] != nil // it may have begun before the change
		f, err := s.join(k, r)
		s.mu.Unlock()
		if err != nil {
			return err
		}
		_, err = s.wait(ctx, k, f)
		if errors.Is(err, ErrBusy) {
			continue
		}
		if err != nil && (!underway || ctx.Err() != nil) {
			return err
		}
		if !underway {
			return nil
		}
	}
}
