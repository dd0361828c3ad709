package aggregate

import (
	"errors"
	"time"

	"mcp-toolsearch/sidecar/member"
)

// The states of a server in a [SourceReport].
const (
	stateUp   = "up"   // its list is its own of now
	stateOld  = "old"  // it is down; its last list stands in
	stateDown = "down" // it is down, and was never listed
	stateWait = "waiting"
)

// view is a shelf's listing at one moment. It is immutable.
type view struct {
	*merged
	roster     *roster
	sources    []SourceReport
	challenges []*member.AuthError
	weight     int       // bytes of what was listed and of what it was merged to
	listed     time.Time // of the oldest list in it that isn't that of a server that is down
}

// view is the listing as it is now.
func (s *shelf) view() *view {
	v, made := s.look()
	if made {
		s.a.library.weigh(s, v.weight)
		s.a.merged(v)
	}
	return v
}

// look gives the last view, or makes one when something has changed since.
func (s *shelf) look() (v *view, made bool) {
	r := s.a.roster.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil && s.last.roster == r {
		return s.last, false
	}
	v = &view{roster: r}
	inputs := make([]input, 0, len(r.entries))
	for _, e := range r.entries {
		k := s.known[e.server.Name]
		if k == nil || k.entry != nil && k.entry.place() != e.place() { // a list of what had the name before
			k = &known{}
		}
		inputs = append(inputs, input{server: e.server, items: k.items, old: k.state() == stateOld, bare: r.single() != nil, silent: k.listed.IsZero()})
		v.add(e, k)
	}
	v.merged = merge(s.kind, inputs, s.a.claims.of(s.kind))
	s.a.claims.note(v.merged)
	v.weight += len(v.body)
	for i := range v.sources {
		v.sources[i].Tools = v.tools[v.sources[i].Name]
	}
	s.last = v
	return v, true
}

// add takes over what is known of one server beside its items.
func (v *view) add(e *entry, k *known) {
	state := k.state()
	v.sources = append(v.sources, SourceReport{Name: e.server.Name, State: state, Failure: k.failure})
	if state == stateUp && (v.listed.IsZero() || k.listed.Before(v.listed)) {
		v.listed = k.listed
	}
	var refused *member.AuthError
	if errors.As(k.err, &refused) {
		v.challenges = append(v.challenges, refused)
	}
	for _, raw := range k.items {
		v.weight += len(raw)
	}
}

func (k *known) state() string {
	switch {
	case k.failure == "" && k.listed.IsZero():
		return stateWait
	case k.failure == "":
		return stateUp
	case k.listed.IsZero():
		return stateDown
	}
	return stateOld
}

// lookUp is where a published name leads, and in which configuration.
func (v *view) lookUp(name string) (found, bool) {
	f, ok := v.find(name)
	f.entry = v.roster.byName[f.server]
	return f, ok
}

// complete says that every server's own list of now is in it.
func (v *view) complete() bool {
	for _, s := range v.sources {
		if s.State != stateUp {
			return false
		}
	}
	return true
}

// missing are the servers that are not up, in order.
func (v *view) missing() []string {
	return v.named(func(state string) bool { return state != stateUp })
}

// starting are those of the missing that have neither answered nor failed yet.
func (v *view) starting() []string {
	return v.named(func(state string) bool { return state == stateWait })
}

func (v *view) named(in func(state string) bool) []string {
	var names []string
	for _, s := range v.sources {
		if in(s.State) {
			names = append(names, s.Name)
		}
	}
	return names
}
