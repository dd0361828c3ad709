package aggregate

import (
	"context"
	"time"

	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/wire"
)

// gather is how long changes that a server tells are gathered before it is
// listed again; who asks for its list before that gets a new one at once.
const gather = 2 * time.Second

// watch keeps the shared lists of operator mode new: servers that are down are
// tried again, and those that tell their changes are listened to.
func (a *Aggregate) watch(r *roster) {
	if !a.o.OperatorMode {
		return
	}
	for _, e := range r.entries {
		a.mu.Lock()
		_, watched := a.watches[e]
		a.mu.Unlock()
		if watched || !e.use() {
			continue
		}
		ctx, cancel := context.WithCancel(a.ctx)
		a.mu.Lock()
		a.watches[e] = cancel
		a.mu.Unlock()
		if !a.spawn(func(context.Context) {
			defer e.release()
			defer cancel()
			a.attend(ctx, e)
		}) {
			cancel()
			e.release()
		}
	}
}

// attend watches one server until ctx ends.
func (a *Aggregate) attend(ctx context.Context, e *entry) {
	streams := newMixer(ctx, 1, a.ownStream())
	defer streams.stop()
	s := a.shelf(a.visitor(nil), tools)
	landed := s.poke(e)
	tick := time.NewTimer(s.pause(e))
	defer tick.Stop()
	var gathered <-chan time.Time
	listening := false
	for {
		select {
		case got := <-streams.events:
			if a.noteChanges(e, got.event) && gathered == nil {
				gathered = time.After(gather)
			}
			continue
		case <-gathered:
			gathered = nil
			a.pokeAll(e)
			continue
		case <-streams.opened: // or it can't be: then the TTL must do
			continue
		case <-landed:
			landed = nil
		case <-tick.C:
			landed = s.poke(e)
		case <-ctx.Done():
			return
		}
		tick.Reset(s.pause(e))
		if !listening && s.knows(e) && a.tellsChanges(ctx, e) {
			listening = true
			streams.add(e, "")
		}
	}
}

// pokeAll lists what a server said has changed. What nobody has asked for yet
// is left alone.
func (a *Aggregate) pokeAll(e *entry) {
	for k := range kinds {
		if s := a.shelf(a.visitor(nil), k); k == tools || s.knows(e) {
			s.poke(e)
		}
	}
}

// ownStream opens the streams of the aggregate's own sessions. One that is
// opened again may have missed a change.
func (a *Aggregate) ownStream() func(context.Context, *entry, string) (*member.Answer, error) {
	again := false
	return func(ctx context.Context, e *entry, last string) (*member.Answer, error) {
		s, err := e.member.Session(ctx, a.visitor(nil).clientFor(e), "")
		if err != nil {
			return nil, err
		}
		answer, err := s.Stream(ctx, last)
		if err == nil && again {
			for k := range kinds {
				a.shelf(a.visitor(nil), k).note(e.server.Name)
			}
			a.pokeAll(e)
		}
		again = true
		return answer, err
	}
}

// tellsChanges says that a server announces that it tells changes of its lists.
func (a *Aggregate) tellsChanges(ctx context.Context, e *entry) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	d, err := e.member.Describe(ctx, a.visitor(nil).clientFor(e))
	if err != nil {
		return false
	}
	for k := range kinds {
		if isTrue(field(d.Capabilities, k.capability()), "listChanged") {
			return true
		}
	}
	return false
}

// noteChanges marks what a server says has changed.
func (a *Aggregate) noteChanges(e *entry, ev wire.Event) bool {
	answer, err := wire.ScanAnswer(ev.Data)
	if err != nil {
		return false
	}
	changed := changedKinds(answer.Method)
	for _, k := range changed {
		a.shelf(a.visitor(nil), k).note(e.server.Name)
	}
	return len(changed) > 0
}
