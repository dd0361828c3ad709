package catalog

import (
	"sync"

	"mcp-toolsearch/search"
	"mcp-toolsearch/sidecar/overlay"
)

// builds shares indexed listings between callers: what is byte-identical is
// judged and indexed once, while at least one caller holds it.
type builds struct {
	search  search.Options
	schemas *schemas
	room    chan struct{} // for those at a time

	mu    sync.Mutex
	rules rules
	live  map[string]*shared
	bytes int64
	// latest is the newest body that is live: what a caller who is new is most
	// likely to have much of.
	latest *body
}

type shared struct {
	once    sync.Once
	body    *body
	refs    int
	counted bool // its bytes are in builds.bytes
}

// acquire gives the body of a listing; release it when no caller's entry
// holds it any more. before is the body that the caller had, or nil: what is in
// it is not read again.
func (b *builds) acquire(raw [][]byte, before *body) *body {
	b.mu.Lock()
	rules := b.rules
	if before == nil {
		before = b.latest
	}
	b.mu.Unlock()
	listing := compared(raw, before)
	key := listing.fingerprint(rules)
	b.mu.Lock()
	s := b.live[key]
	if s == nil {
		s = &shared{}
		b.live[key] = s
	}
	s.refs++
	b.mu.Unlock()

	s.once.Do(func() {
		b.room <- struct{}{} // a build uses all cores: more of them at a time only hold more memory
		defer func() { <-b.room }()
		s.body = build(listing, rules, b.search, b.schemas)
	})

	b.mu.Lock()
	defer b.mu.Unlock()
	if !s.counted {
		s.counted = true
		b.bytes += s.body.bytes
		b.latest = s.body
	}
	return s.body
}

func (b *builds) release(body *body) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.live[body.fingerprint]
	if s.refs--; s.refs == 0 {
		delete(b.live, body.fingerprint)
		b.bytes -= body.bytes
		if b.latest == body {
			b.latest = nil
		}
	}
}

// setOverlay makes what is built from now on follow o.
func (b *builds) setOverlay(o *overlay.Overlay) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rules.overlay = o
}

// outdated says that a body was built under another overlay.
func (b *builds) outdated(body *body) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return body.overlay.Digest() != b.rules.overlay.Digest()
}

func (b *builds) size() (count int, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.live), b.bytes
}
