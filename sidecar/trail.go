package sidecar

import (
	"hash/maphash"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/catalog"
)

const (
	// followedFor is how long after a search a call of one of its hits counts as coming from it.
	followedFor = 10 * time.Minute
	// trailSearches and trailHits bound what is remembered of one caller: the last searches, and the best hits of each.
	trailSearches, trailHits = 3, 16
)

// trails remember what callers were shown, for the two figures that need it: searches followed by a call, and definitions
// that weren't sent. It holds hashes of tools' names, forgets the callers that were away longest, and is never printed.
type trails struct {
	seed maphash.Seed
	half int // callers in young before it grows old; old ones are as many

	mu         sync.Mutex
	young, old map[caller.Key]*trail
}

// trail is one caller's: how often the five were listed since definitions were last counted, and the last searches.
type trail struct {
	lists    int
	searches []shownHits
}

// shownHits are the names that one search found, as hashes, best first.
type shownHits struct {
	at    time.Time
	names []uint64
}

func newTrails(callers int) *trails {
	return &trails{seed: maphash.MakeSeed(), half: max(1, callers/2), young: map[caller.Key]*trail{}}
}

// of is a caller's trail; mu is held.
func (ts *trails) of(key caller.Key) *trail {
	if t := ts.young[key]; t != nil {
		return t
	}
	t := ts.old[key]
	if t == nil {
		t = &trail{}
	}
	delete(ts.old, key)
	if len(ts.young) >= ts.half {
		ts.old, ts.young = ts.young, map[caller.Key]*trail{}
	}
	ts.young[key] = t
	return t
}

// listed notes that the five were sent in the place of the caller's catalog.
func (ts *trails) listed(key caller.Key) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.of(key).lists++
}

// takeLists is how often the five were listed since the last time.
func (ts *trails) takeLists(key caller.Key) int {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.of(key)
	n := t.lists
	t.lists = 0
	return n
}

// searched notes what a search found.
func (ts *trails) searched(key caller.Key, now time.Time, hits []catalog.SearchHit) {
	if len(hits) == 0 {
		return
	}
	s := shownHits{at: now}
	for _, h := range hits[:min(len(hits), trailHits)] {
		s.names = append(s.names, maphash.String(ts.seed, h.Tool.Name))
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.of(key)
	if len(t.searches) >= trailSearches {
		t.searches = append(t.searches[:0], t.searches[1:]...)
	}
	t.searches = append(t.searches, s)
}

// called finds the newest search that showed the tool, and its place among the hits, from 1. A search counts once.
func (ts *trails) called(key caller.Key, now time.Time, tool string) (position int, ok bool) {
	name := maphash.String(ts.seed, tool)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.of(key)
	for i := len(t.searches) - 1; i >= 0; i-- {
		s := t.searches[i]
		if now.Sub(s.at) > followedFor {
			break
		}
		for at, shown := range s.names {
			if shown == name {
				t.searches = append(t.searches[:i], t.searches[i+1:]...)
				return at + 1, true
			}
		}
	}
	return 0, false
}

// used counts a request's use of its caller's catalog: its age, and the definitions that were not sent since the last.
func (e *Engine) used(t *turn, cat *catalog.Catalog) {
	e.o.Observer.CatalogUsed(cat.Age(time.Now()))
	lists := e.trails.takeLists(t.who.Key())
	if lists == 0 {
		return
	}
	size := 0
	for _, tool := range cat.Tools() {
		size += len(tool.Definition)
	}
	e.o.Observer.Definitions(0, lists*size/bytesPerToken)
}

// follow counts a call that follows a search.
func (e *Engine) follow(t *turn, tool string) {
	if position, ok := e.trails.called(t.who.Key(), time.Now(), tool); ok {
		e.o.Observer.Followed(position)
	}
}

// showed counts what an answer told of tools.
func (e *Engine) showed(t *turn, d Decision) {
	if d.Kind != Answer || t.labels.Outcome != "ok" {
		return
	}
	switch {
	case t.labels.Method == "tools/list":
		e.trails.listed(t.who.Key())
	case t.labels.MetaTool != SearchTools && t.labels.MetaTool != DescribeTools:
		return
	}
	e.o.Observer.Definitions(len(d.Body)/bytesPerToken, 0)
}
