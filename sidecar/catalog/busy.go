package catalog

import "errors"

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
// bytes from 0 to 1 is left, and what was read for those that went. The newest
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
	return evicted
}
