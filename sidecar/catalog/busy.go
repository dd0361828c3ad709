package catalog

import (
	"errors"

	"mcp-toolsearch/sidecar/upstream"
)

// ErrBusy says that too many listings are under way, or that memory is short:
// this one was not begun. What is kept is served all the same.
var ErrBusy = errors.New("too many listings are under way just now; nothing is wrong with the upstream, try again in a moment")

// admit takes a place for one more listing, unless memory is short. One of our
// own gets it anyway.
func (s *Store) admit(own bool) error {
	if own {
		s.opt.Queue.Join()
		return nil
	}
	if s.opt.Pressed() || !s.opt.Queue.Ask() {
		return ErrBusy
	}
	return nil
}

// Shrink drops catalogs, the least recently used first, until a share of their
// bytes from 0 to 1 is left, what was read for those that went, and all compiled schemas. The newest
// stays. It gives how many left.
func (s *Store) Shrink(share float64) (evicted int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	most := int64(float64(s.bytes()) * share)
	for s.kept.Len() > 1 && s.bytes() > most {
		s.kept.RemoveOldest()
		evicted++
	}
	s.opt.Search.Cache.Clear()
	s.builds.schemas.clear()
	return evicted
}

// A listing takes so many times its bytes while it is read, cut into tools and judged; the least that any is reckoned with.
const (
	listingFactor = 4
	leastRoom     = 1 << 20
)

// room is the memory that the next listing is reckoned with, in bytes: that of the largest lately.
func (s *Store) room() int64 { return max(leastRoom, listingFactor*s.usual.Load()) }

// listed notes the size of a listing. One that is never as large again is forgotten bit by bit.
func (s *Store) listed(l *upstream.Listing) {
	bytes := int64(0)
	for _, tool := range l.Tools {
		bytes += int64(len(tool))
	}
	s.usual.Store(max(bytes, s.usual.Load()/8*7)) // of two at once one may get lost: the next one tells
}
