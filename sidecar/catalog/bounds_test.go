package catalog

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// own lists a tool of its own for every call.
func own(_ context.Context, call int, _ caller.Caller) (*upstream.Listing, error) {
	return &upstream.Listing{Tools: named(fmt.Sprintf("tool_%d", call))}, nil
}

func TestTheLeastRecentlyUsedCallerLeavesFirst(t *testing.T) {
	s := newStore(t, &lister{next: own}, func(o *Options) { o.MaxCallers = 2 })
	as := identities(t)
	mustGet(t, s, as("a"))
	mustGet(t, s, as("b"))
	mustGet(t, s, as("a"))
	mustGet(t, s, as("c"))
	for token, want := range map[string]bool{"a": true, "b": false, "c": true} {
		if _, got := s.Peek(as(token)); got != want {
			t.Errorf("caller %s is there: %v, want %v", token, got, want)
		}
	}
	if st := s.Stats(); st.Callers != 2 || st.Builds != 2 || st.Tools != 2 {
		t.Errorf("stats = %+v", st)
	}
}

func TestBytesAreBounded(t *testing.T) {
	big := func(_ context.Context, call int, _ caller.Caller) (*upstream.Listing, error) {
		text := strings.Repeat("x", 10_000)
		return &upstream.Listing{Tools: raw(fmt.Sprintf(`{"name":"tool_%d","description":%q,"inputSchema":{}}`, call, text))}, nil
	}
	s := newStore(t, &lister{next: big}, func(o *Options) { o.MaxBytes = 100_000 })
	as := identities(t)
	for i := range 20 {
		mustGet(t, s, as(fmt.Sprint(i)))
		if st := s.Stats(); st.Bytes > 100_000 {
			t.Fatalf("%d bytes held", st.Bytes)
		}
	}
	if st := s.Stats(); st.Callers != 3 {
		t.Errorf("%d callers are kept, want 3", st.Callers)
	}
	small := newStore(t, &lister{next: big}, func(o *Options) { o.MaxBytes = 10 })
	c := mustGet(t, small, as("a"))
	if again := mustGet(t, small, as("a")); again != c {
		t.Errorf("the newest catalog was not kept although it is the only one")
	}
}

func TestStrangersFailuresEvictNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: own}
		s := newStore(t, l, func(o *Options) { o.MaxCallers = 2 })
		as := identities(t)
		mustGet(t, s, as("a"))
		l.set(fails(&upstream.AuthError{Status: 401}))
		for i := range 50 {
			_, _ = s.Get(t.Context(), as(fmt.Sprint("stranger", i)))
		}
		if _, ok := s.Peek(as("a")); !ok {
			t.Errorf("a caller's catalog left because of strangers")
		}
		if n := s.failures.Len(); n > 2 {
			t.Errorf("%d failures remembered, want at most 2", n)
		}
	})
}

func TestEqualListingsShareOneBuild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, &lister{next: gives(named("a", "b"))}, nil)
		as := identities(t)
		x, y := mustGet(t, s, as("x")), mustGet(t, s, as("y"))
		if x.body != y.body || x.Fingerprint() != y.Fingerprint() {
			t.Errorf("two callers with equal tools have two indexes")
		}
		modern := as("x")
		modern.Era = wire.Modern
		mustGet(t, s, modern)
		st := s.Stats()
		if st.Callers != 3 || st.Builds != 1 || st.Tools != 6 || st.Bytes != x.Bytes()+3*entryBytes {
			t.Errorf("stats = %+v", st)
		}
		for _, r := range []Request{as("x"), as("y"), modern} {
			s.Forget(r)
		}
		if st := s.Stats(); st != (Stats{}) {
			t.Errorf("stats = %+v, want nothing", st)
		}
	})
}

func TestRelistingTheSameKeepsTheBuild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, &lister{next: gives(named("a"))}, nil)
		r := identities(t)("x")
		old := mustGet(t, s, r)
		time.Sleep(time.Minute)
		c, _, err := s.Relist(t.Context(), r)
		if err != nil || c == old || c.body != old.body || c.Age(time.Now()) != 0 {
			t.Errorf("Relist = %v, %v, want a newer catalog with the same build", c, err)
		}
		if st := s.Stats(); st.Builds != 1 || s.builds.live[c.Fingerprint()].refs != 1 {
			t.Errorf("stats = %+v", st)
		}
	})
}

func TestCatalogsNobodyCanBeServedAreSweptOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hears := &recorder{}
		s := newStore(t, &lister{next: own}, func(o *Options) { o.Observer = hears })
		as := identities(t)
		for i := range 5 {
			mustGet(t, s, as(fmt.Sprint(i)))
		}
		time.Sleep(31 * time.Minute)
		if st := s.Stats(); st.Oldest != 31*time.Minute {
			t.Errorf("oldest = %v", st.Oldest)
		}
		mustGet(t, s, as("new"))
		if st := s.Stats(); st.Callers != 1 || strings.Contains(hears.String(), "evicted") {
			t.Errorf("stats = %+v, heard %s", st, hears)
		}
	})
}
