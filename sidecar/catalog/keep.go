package catalog

import "time"

// entryBytes estimates what an entry costs beside the shared body.
const entryBytes = 512

// keep stores an entry and makes room; s.mu is held. It gives the number of
// catalogs that left although they could still have been served.
func (s *Store) keep(k key, e *entry) (evicted int) {
	if old, ok := s.kept.Peek(k); ok {
		e.relisted = old.relisted
		s.kept.Remove(k) // releases the old body; Add would not
	}
	s.failures.Remove(k)
	if s.kept.Add(k, e) {
		evicted++
	}
	now := time.Now()
	for s.kept.Len() > 1 {
		_, oldest, _ := s.kept.GetOldest()
		useless := oldest.catalog.Age(now) > s.opt.MaxStale
		if !useless && s.bytes() <= s.opt.MaxBytes {
			break
		}
		s.kept.RemoveOldest()
		if !useless {
			evicted++
		}
	}
	return evicted
}

// bytes estimates what is held; s.mu is held.
func (s *Store) bytes() int64 {
	_, shared := s.builds.size()
	return shared + int64(s.kept.Len())*entryBytes
}

// Stats are the store's sizes at one moment.
type Stats struct {
	Callers int           // catalogs kept
	Tools   int           // tools in them, counted per catalog
	Bytes   int64         // estimated bytes held; shared content counts once
	Builds  int           // distinct contents
	Oldest  time.Duration // age of the oldest catalog
}

// Stats are for metrics; they walk all entries.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	st := Stats{Callers: s.kept.Len(), Bytes: s.bytes()}
	st.Builds, _ = s.builds.size()
	for _, e := range s.kept.Values() {
		st.Tools += len(e.catalog.body.tools)
		st.Oldest = max(st.Oldest, e.catalog.Age(now))
	}
	return st
}
