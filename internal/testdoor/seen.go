package testdoor

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/catalog"
)

// Seen records what the engine and the store tell their observers. It is safe for concurrent use.
type Seen struct {
	mu           sync.Mutex
	decided      []sidecar.Labels
	repaired     int
	items        []string
	searches     int
	listed       []string
	uncompilable int
	notEdited    []string
	followed     []int
	shown        int
	avoided      int
	dropped      catalog.Dropped
}

var (
	_ sidecar.Observer = (*Seen)(nil)
	_ catalog.Observer = (*Seen)(nil)
)

func (s *Seen) note(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// Decided implements [sidecar.Observer].
func (s *Seen) Decided(_ sidecar.Kind, l sidecar.Labels, _ time.Duration) {
	s.note(func() { s.decided = append(s.decided, l) })
}

// Repaired implements [sidecar.Observer].
func (s *Seen) Repaired(places int) { s.note(func() { s.repaired += places }) }

// BatchItem implements [sidecar.Observer].
func (s *Seen) BatchItem(outcome string) { s.note(func() { s.items = append(s.items, outcome) }) }

// Searched implements [sidecar.Observer].
func (s *Seen) Searched(_, _ int, _ time.Duration, _ string) { s.note(func() { s.searches++ }) }

// NotEdited implements [sidecar.Observer].
func (s *Seen) NotEdited(reason string) { s.note(func() { s.notEdited = append(s.notEdited, reason) }) }

// Followed implements [sidecar.Observer].
func (s *Seen) Followed(position int) { s.note(func() { s.followed = append(s.followed, position) }) }

// Definitions implements [sidecar.Observer].
func (s *Seen) Definitions(shown, avoided int) {
	s.note(func() { s.shown += shown; s.avoided += avoided })
}

// CatalogUsed implements [sidecar.Observer].
func (s *Seen) CatalogUsed(time.Duration) {}

// Listed implements [catalog.Observer].
func (s *Seen) Listed(outcome string, _ int, _ int64, _ time.Duration, _ string) {
	s.note(func() { s.listed = append(s.listed, outcome) })
}

// Evicted implements [catalog.Observer].
func (s *Seen) Evicted() {}

// SchemaUncompilable implements [catalog.Observer].
func (s *Seen) SchemaUncompilable() { s.note(func() { s.uncompilable++ }) }

// Dropped implements [catalog.Observer].
func (s *Seen) Dropped(d catalog.Dropped) { s.note(func() { s.dropped = d }) }

// Last is the labels of the last decision.
func (s *Seen) Last() sidecar.Labels {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.decided) == 0 {
		return sidecar.Labels{}
	}
	return s.decided[len(s.decided)-1]
}

// Repairs is the number of places decoded from JSON text.
func (s *Seen) Repairs() (n int) { s.note(func() { n = s.repaired }); return n }

// Items are the outcomes of batch items, sorted.
func (s *Seen) Items() (all []string) {
	s.note(func() { all = slices.Sorted(slices.Values(s.items)) })
	return all
}

// Listings are the outcomes of listings, in order.
func (s *Seen) Listings() (all []string) { s.note(func() { all = slices.Clone(s.listed) }); return all }

// Unedited are the reasons for which answers went on without our instructions.
func (s *Seen) Unedited() (all []string) {
	s.note(func() { all = slices.Clone(s.notEdited) })
	return all
}

// Follows are the positions of the hits that were called after a search, in order.
func (s *Seen) Follows() (all []int) { s.note(func() { all = slices.Clone(s.followed) }); return all }

// Tokens are the definitions shown and avoided, in tokens.
func (s *Seen) Tokens() (shown, avoided int) {
	s.note(func() { shown, avoided = s.shown, s.avoided })
	return shown, avoided
}

// Uncompilable is the number of schemas that didn't compile.
func (s *Seen) Uncompilable() (n int) { s.note(func() { n = s.uncompilable }); return n }

// Everything is all that was observed, as text: nothing of a request's free text may be in it.
func (s *Seen) Everything() (text string) {
	s.note(func() {
		text = fmt.Sprintf("%+v %v %v %+v", s.decided, s.items, s.listed, s.dropped)
	})
	return strings.TrimSpace(text)
}
