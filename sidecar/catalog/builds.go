package catalog

import (
	"sync"

	"mcp-toolsearch/search"
	"mcp-toolsearch/sidecar/upstream"
)

// builds shares indexed listings between callers: what is byte-identical is
// judged and indexed once, while at least one caller holds it.
type builds struct {
	rules        rules
	search       search.Options
	uncompilable func()

	mu    sync.Mutex
	live  map[string]*shared
	bytes int64
}

type shared struct {
	once    sync.Once
	body    *body
	refs    int
	counted bool // its bytes are in builds.bytes
}

// acquire gives the body of a listing; release it when no caller's entry
// holds it any more.
func (b *builds) acquire(l *upstream.Listing) *body {
	key := fingerprintOf(l.Tools)
	b.mu.Lock()
	s := b.live[key]
	if s == nil {
		s = &shared{}
		b.live[key] = s
	}
	s.refs++
	b.mu.Unlock()

	s.once.Do(func() { s.body = build(l.Tools, b.rules, b.search, b.uncompilable) })

	b.mu.Lock()
	defer b.mu.Unlock()
	if !s.counted {
		s.counted = true
		b.bytes += s.body.bytes
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
	}
}

func (b *builds) size() (count int, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.live), b.bytes
}
