package upstream

import (
	"sync"

	"mcp-toolsearch/sidecar/wire"
)

// maxTargets bounds the memory of eras: routes are configured, but an
// authority may come from the caller.
const maxTargets = 1024

// eraMemory remembers which era worked for a target, so that a listing doesn't
// begin with a refusal every time.
type eraMemory struct {
	mu   sync.Mutex
	max  int
	eras map[Target]wire.Era
}

func newEraMemory(limit int) *eraMemory {
	return &eraMemory{max: limit, eras: map[Target]wire.Era{}}
}

// get gives the era that worked; an unknown target is Modern: modern first.
func (m *eraMemory) get(t Target) wire.Era {
	m.mu.Lock()
	defer m.mu.Unlock()
	if era, ok := m.eras[t]; ok {
		return era
	}
	return wire.Modern
}

func (m *eraMemory) set(t Target, era wire.Era) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.eras[t]; !known && len(m.eras) >= m.max {
		for old := range m.eras { // any one: forgetting costs one probe
			delete(m.eras, old)
			break
		}
	}
	m.eras[t] = era
}

func (m *eraMemory) forget(t Target) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.eras, t)
}
