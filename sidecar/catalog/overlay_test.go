package catalog

import (
	"slices"
	"testing"
	"testing/synctest"

	"mcp-toolsearch/sidecar/overlay"
)

func overlaid(t *testing.T, text string) *overlay.Overlay {
	t.Helper()
	o, err := overlay.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func found(c *Catalog, query string) []string {
	var all []string
	for _, h := range c.Search(SearchQuery{Text: query, Limit: 10}).Hits {
		all = append(all, h.Tool.Name)
	}
	return all
}

func TestAHiddenToolIsNowhere(t *testing.T) {
	s := newStore(t, &lister{next: gives(named("mail_send", "mail_purge", "files_read"))}, func(o *Options) {
		o.Overlay = overlaid(t, "tools:\n  - match: '*_purge'\n    hide: true\n")
	})
	c := mustGet(t, s, identities(t)("a"))
	if names(c) != "mail_send files_read" || c.Lookup("mail_purge") != nil {
		t.Errorf("tools %q, want no mail_purge", names(c))
	}
	if got := found(c, "mail_purge"); slices.Contains(got, "mail_purge") || slices.Contains(c.Near("mail_purg"), "mail_purge") {
		t.Errorf("found %v, near %v", got, c.Near("mail_purg"))
	}
}

func TestAliasesSourceAndPinCountInSearch(t *testing.T) {
	s := newStore(t, &lister{next: gives(named("mail_send", "mail_list", "files_read"))}, func(o *Options) {
		o.Overlay = overlaid(t, "tools:\n  - match: mail_send\n    aliases: [dispatch a letter]\n    source: Post room\n  - match: mail_list\n    pin: true\n")
	})
	c := mustGet(t, s, identities(t)("a"))
	if got := found(c, "dispatch letter"); len(got) == 0 || got[0] != "mail_send" {
		t.Errorf("by its alias found %v, want mail_send first", got)
	}
	if c.Lookup("mail_send").Source != "Post room" || c.Lookup("mail_list").Source != "mail" {
		t.Errorf("sources %v", c.Sources())
	}
	if got := found(c, "mail"); len(got) < 2 || got[0] != "mail_list" {
		t.Errorf("mail found %v, want the pinned tool first", got)
	}
}

func TestAChangedOverlayReachesKeptCatalogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: gives(named("a", "b"))}
		s := newStore(t, l, nil)
		as := identities(t)
		before := mustGet(t, s, as("x"))
		mustGet(t, s, as("y"))
		s.SetOverlay(overlaid(t, "tools:\n  - match: b\n    hide: true\n"))
		for _, who := range []string{"x", "y"} {
			c := mustGet(t, s, as(who))
			if names(c) != "a" || c.Fingerprint() == before.Fingerprint() {
				t.Errorf("%s sees %q with fingerprint %s after %s", who, names(c), c.Fingerprint(), before.Fingerprint())
			}
		}
		if names(before) != "a b" {
			t.Error("a catalog that was given away changed")
		}
		synctest.Wait() // listings look at the overlay once more when they have answered
		if st := s.Stats(); l.count() != 2 || st.Builds != 1 || st.Callers != 2 {
			t.Errorf("%d listings, stats %+v; want two listings and one build for both", l.count(), st)
		}
		s.SetOverlay(nil)
		if c := mustGet(t, s, as("x")); names(c) != "a b" || c.Fingerprint() != before.Fingerprint() {
			t.Errorf("without an overlay x sees %q", names(c))
		}
		s.Forget(as("x"))
		s.Forget(as("y"))
		synctest.Wait()
		if st := s.Stats(); st != (Stats{}) {
			t.Errorf("stats %+v, want nothing held", st)
		}
	})
}

// TestAnOverlayThatChangesDuringAListingCounts: the listing began under the old
// one and ends under the new.
func TestAnOverlayThatChangesDuringAListingCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, &lister{next: slowly(10, named("a", "b"))}, nil)
		r := identities(t)("x")
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = s.Get(t.Context(), r)
		}()
		synctest.Wait()
		s.SetOverlay(overlaid(t, "tools:\n  - match: b\n    hide: true\n"))
		<-done
		if c := mustGet(t, s, r); names(c) != "a" {
			t.Errorf("sees %q, want a alone", names(c))
		}
	})
}
