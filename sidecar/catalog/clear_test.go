package catalog

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/upstream"
)

func TestAListWithoutSomeSourceIsListedAgainSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: func(_ context.Context, call int, _ caller.Caller) (*upstream.Listing, error) {
			if call == 1 {
				return &upstream.Listing{Tools: named("first"), TTL: time.Hour, Missing: []string{"late"}}, nil
			}
			return &upstream.Listing{Tools: named("first", "second")}, nil
		}}
		s := newStore(t, l, nil)
		r := identities(t)("x")
		if c, err := s.Get(t.Context(), r); err != nil || !slices.Equal(c.Missing(), []string{"late"}) {
			t.Fatalf("the first list: %v, %v", c, err)
		}
		time.Sleep(incompleteTTL)
		if _, err := s.Get(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		c, err := s.Get(t.Context(), r)
		if err != nil || len(c.Tools()) != 2 || len(c.Missing()) != 0 {
			t.Errorf("after %v: %v, %v", incompleteTTL, c, err)
		}
	})
}

func TestClearForgetsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: slowly(time.Second, named("before"))}
		s := newStore(t, l, nil)
		first, second := identities(t)("x"), identities(t)("y")
		if _, err := s.Get(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		wait.Go(func() {
			if c, err := s.Get(t.Context(), second); err != nil || c.Lookup("before") == nil {
				t.Errorf("who waited got %v, %v", c, err)
			}
		})
		synctest.Wait()
		s.Clear()
		wait.Wait()
		l.set(gives(named("after")))
		for _, r := range []Request{first, second} {
			if c, err := s.Get(t.Context(), r); err != nil || c.Lookup("after") == nil {
				t.Errorf("after clearing: %v, %v", c, err)
			}
		}
		if st := s.Stats(); st.Builds != 1 || st.Callers != 2 {
			t.Errorf("%+v is kept", st)
		}
	})
}
