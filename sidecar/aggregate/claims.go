package aggregate

import (
	"maps"
	"sync"
)

// maxClaims bounds the names that are remembered; beyond it nothing is added.
const maxClaims = 10_000

// claims remembers which names several servers had, and whose they were. A
// visitor for whom the first of these can't be listed, because it is down since
// the visitor came, would else find the name at another server. What it tells
// one visitor of another's listing is no more than that: the first server has
// something of this name.
type claims struct {
	mu    sync.Mutex
	first [kinds]map[string]string // server by name; each is replaced, not changed
}

// of are the claims on names of a kind. They are not to be changed.
func (c *claims) of(k kind) map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first[k]
}

// note takes over the names that collided in a listing.
func (c *claims) note(m *merged) {
	if !m.kind.named() || len(m.collisions) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var now map[string]string
	for _, is := range m.collisions {
		if c.first[m.kind][is.name] == is.first {
			continue
		}
		if now == nil {
			now = maps.Clone(c.first[m.kind])
			if now == nil {
				now = map[string]string{}
			}
		}
		if len(now) < maxClaims {
			now[is.name] = is.first
		}
	}
	if now != nil {
		c.first[m.kind] = now
	}
}
