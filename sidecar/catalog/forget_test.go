package catalog

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestWhoAsksAfterForgetGetsALaterListing: one that was begun before the refusal may still list what was taken away.
func TestWhoAsksAfterForgetGetsALaterListing(t *testing.T) {
	for name, drop := range map[string]func(s *Store, r Request){
		"forget":           func(s *Store, r Request) { s.Forget(r) },
		"in the other era": func(s *Store, r Request) { r.Era = 1 - r.Era; s.Forget(r) },
		"clear":            func(s *Store, _ Request) { s.Clear() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &lister{next: slowly(3*time.Second, named("before"))}
				s := newStore(t, l, nil)
				r := identities(t)("x")
				got := make(chan string)
				go func() { c, _ := s.Get(t.Context(), r); got <- names(c) }()
				synctest.Wait()
				drop(s, r)
				l.set(gives(named("after")))
				if c := mustGet(t, s, r); names(c) != "after" {
					t.Errorf("who asks afterwards got %s", names(c))
				}
				if before := <-got; before != "before" {
					t.Errorf("who waited got %s", before)
				}
				if c, _ := s.Peek(r); names(c) != "after" {
					t.Errorf("kept is %s", names(c))
				}
			})
		})
	}
}

// TestAForgottenListingNobodyWaitsForIsCancelled holds for one in the background too.
func TestAForgottenListingNobodyWaitsForIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: gives(named("old"))}
		s := newStore(t, l, nil)
		r := identities(t)("x")
		mustGet(t, s, r)
		time.Sleep(10 * time.Minute)
		l.set(slowly(5*time.Second, named("new")))
		mustGet(t, s, r) // starts one in the background
		synctest.Wait()
		s.Forget(r)
		synctest.Wait()
		if l.ended != 1 {
			t.Errorf("%d listings were cancelled, want 1", l.ended)
		}
	})
}
