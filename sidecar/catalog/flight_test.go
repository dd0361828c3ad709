package catalog

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/upstream"
)

func TestManyWaitForOneListing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: slowly(3*time.Second, named("a"))}
		s := newStore(t, l, nil)
		r := identities(t)("x")
		got := make(chan *Catalog)
		for range 100 {
			go func() {
				c, _ := s.Get(t.Context(), r)
				got <- c
			}()
		}
		first := <-got
		for range 99 {
			if c := <-got; c != first || c == nil {
				t.Fatalf("two callers got different catalogs, or none")
			}
		}
		if l.count() != 1 {
			t.Errorf("%d listings, want 1", l.count())
		}
	})
}

func TestOneWhoLeavesDoesNotDisturbTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: slowly(3*time.Second, named("a"))}
		s := newStore(t, l, nil)
		r := identities(t)("x")
		impatient, leave := context.WithCancel(t.Context())
		left, stayed := make(chan error), make(chan error)
		go func() { _, err := s.Get(impatient, r); left <- err }()
		synctest.Wait()
		go func() { _, err := s.Get(t.Context(), r); stayed <- err }()
		synctest.Wait()
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("who left got %v", err)
		}
		if err := <-stayed; err != nil || l.count() != 1 {
			t.Errorf("who stayed got %v after %d listings", err, l.count())
		}
	})
}

func TestWhenAllLeaveTheListingIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: slowly(20*time.Second, named("a"))}
		s := newStore(t, l, nil)
		r := identities(t)("x")
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		errs := make(chan error)
		for range 3 {
			go func() { _, err := s.Get(ctx, r); errs <- err }()
		}
		for range 3 {
			if err := <-errs; !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error = %v", err)
			}
		}
		synctest.Wait()
		if l.ended != 1 {
			t.Errorf("%d listings were cancelled, want 1", l.ended)
		}
		// Who comes now doesn't get the cancellation of those who left.
		l.set(gives(named("b")))
		if got := names(mustGet(t, s, r)); got != "b" {
			t.Errorf("tools = %s", got)
		}
	})
}

func TestABackgroundListingOutlivesWhoeverJoinedIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: gives(named("old"))}
		s := newStore(t, l, nil)
		r := identities(t)("x")
		mustGet(t, s, r)
		time.Sleep(10 * time.Minute)
		l.set(slowly(5*time.Second, named("new")))
		mustGet(t, s, r)
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		if c, listed, err := s.Relist(ctx, r); names(c) != "old" || listed || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Relist = %v, %v, %v", c, listed, err)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if c, _ := s.Peek(r); names(c) != "new" || l.count() != 2 {
			t.Errorf("tools = %s after %d listings", names(c), l.count())
		}
	})
}

func TestAListingWithoutEndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, &lister{next: slowly(time.Hour, nil)}, nil)
		began := time.Now()
		_, err := s.Get(t.Context(), identities(t)("x"))
		var failed *upstream.Error
		if !errors.As(err, &failed) || failed.Kind != upstream.TimedOut || time.Since(began) != 30*time.Second {
			t.Errorf("error = %v after %v", err, time.Since(began))
		}
	})
}

func TestCloseEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: slowly(20*time.Second, named("a"))}
		s := NewStore(Options{Lister: l})
		as := identities(t)
		errs := make(chan error)
		for i := range 5 {
			go func() { _, err := s.Get(t.Context(), as(fmt.Sprint(i))); errs <- err }()
		}
		synctest.Wait()
		s.Close()
		if l.ended != 5 {
			t.Errorf("Close returned with %d of 5 listings ended", l.ended)
		}
		for range 5 {
			if err := <-errs; !errors.Is(err, ErrClosed) {
				t.Errorf("error = %v, want ErrClosed", err)
			}
		}
		if _, err := s.Get(t.Context(), as("x")); !errors.Is(err, ErrClosed) {
			t.Errorf("Get after Close: %v", err)
		}
		if _, _, err := s.Relist(t.Context(), as("x")); !errors.Is(err, ErrClosed) {
			t.Errorf("Relist after Close: %v", err)
		}
		s.Close() // twice is fine
	})
}

// TestCallersNeverSeeEachOther races 200 requests of two callers and an era.
func TestCallersNeverSeeEachOther(t *testing.T) {
	as := identities(t)
	alice, bob := as("Bearer alice"), as("Bearer bob")
	l := &lister{next: func(_ context.Context, _ int, who caller.Caller) (*upstream.Listing, error) {
		if who.Key() == alice.Who.Key() {
			return &upstream.Listing{Tools: named("alice_only", "both")}, nil
		}
		return &upstream.Listing{Tools: named("bob_only", "both")}, nil
	}}
	s := newStore(t, l, func(o *Options) { o.MaxCallers = 3 })
	errs := make(chan error)
	for i := range 200 {
		r, own, other := alice, "alice_only", "bob_only"
		if i%2 == 1 {
			r, own, other = bob, "bob_only", "alice_only"
		}
		go func() {
			errs <- func() error {
				c, err := s.Get(t.Context(), r)
				if i%10 == 0 {
					c, _, err = s.Relist(t.Context(), r)
				}
				if i%30 == 0 {
					s.Forget(r)
				}
				if err != nil {
					return err
				}
				found := c.Search(SearchQuery{Text: other, Limit: 50})
				for _, h := range found.Hits {
					if h.Tool.Name == other {
						return fmt.Errorf("%s was found", other)
					}
				}
				if c.Lookup(other) != nil || c.Lookup(own) == nil {
					return fmt.Errorf("tools = %s", names(c))
				}
				return nil
			}()
		}()
	}
	for range 200 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
