package catalog

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcp-toolsearch/search"
	"mcp-toolsearch/sidecar/bounds"
	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/upstream"
)

func TestListingsBeyondTheQueueAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var refused atomic.Int64
		l := &lister{next: slowly(time.Second, named("a"))}
		s := newStore(t, l, func(o *Options) {
			o.Queue = bounds.NewQueue(1, 1<<20, 1, 500*time.Millisecond, func() { refused.Add(1) })
		})
		as := identities(t)
		got := make(chan error, 2)
		go func() { _, err := s.Get(t.Context(), as("first")); got <- err }()
		synctest.Wait()
		go func() { _, err := s.Get(t.Context(), as("waits")); got <- err }()
		synctest.Wait()
		if _, err := s.Get(t.Context(), as("third")); !errors.Is(err, ErrBusy) || refused.Load() != 1 {
			t.Errorf("error = %v, %d were counted", err, refused.Load())
		}
		if err := <-got; !errors.Is(err, ErrBusy) || refused.Load() != 2 {
			t.Errorf("who waited longer than that got %v, %d were counted", err, refused.Load())
		}
		if err := <-got; err != nil || l.count() != 1 {
			t.Errorf("the first got %v, %d were listed", err, l.count())
		}
		if _, err := s.Get(t.Context(), as("third")); err != nil {
			t.Errorf("the refusal is remembered: %v", err)
		}
	})
}

func TestWhatIsKeptIsServedWhileListingsAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pressed := false
		l := &lister{next: own}
		s := newStore(t, l, func(o *Options) { o.Pressed = func() bool { return pressed } })
		as := identities(t)
		mustGet(t, s, as("x"))
		pressed = true
		time.Sleep(15 * time.Minute)
		if got := names(mustGet(t, s, as("x"))); got != "tool_1" {
			t.Errorf("tools = %s", got)
		}
		c, listed, err := s.Relist(t.Context(), as("x"))
		if c == nil || listed || !errors.Is(err, ErrBusy) || Outcome(err) != "busy" {
			t.Errorf("Relist = %v, %t, %v", c, listed, err)
		}
		if _, err := s.Get(t.Context(), as("y")); !errors.Is(err, ErrBusy) {
			t.Errorf("error = %v", err)
		}
		if err := s.Renew(t.Context(), as("x")); err != nil {
			t.Errorf("a listing of our own was refused: %v", err)
		}
		pressed = false
		if _, listed, err := s.Relist(t.Context(), as("x")); !listed || err != nil {
			t.Errorf("the refused one counts as one in half a minute: %t, %v", listed, err)
		}
	})
}

func TestAListingThatWaitsForItsTurnHasItsWholeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, &lister{next: slowly(4*time.Second, named("a"))}, func(o *Options) {
			o.ListTimeout, o.Queue = 5*time.Second, bounds.NewQueue(1, 1<<20, 1, 10*time.Second, nil)
		})
		as := identities(t)
		got := make(chan error, 2)
		for i := range 2 {
			go func() { _, err := s.Get(t.Context(), as(fmt.Sprint(i))); got <- err }()
		}
		for range 2 {
			if err := <-got; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestWhoLeavesTheQueueMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lister{next: slowly(3*time.Second, named("a"))}
		s := newStore(t, l, func(o *Options) { o.Queue = bounds.NewQueue(1, 1<<20, 1, 10*time.Second, nil) })
		as := identities(t)
		go func() { _, _ = s.Get(t.Context(), as("first")) }()
		synctest.Wait()
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		if _, err := s.Get(ctx, as("leaves")); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("error = %v", err)
		}
		synctest.Wait()
		if _, err := s.Get(t.Context(), as("comes")); err != nil || l.count() != 2 {
			t.Errorf("error = %v after %d listings", err, l.count())
		}
	})
}

func TestShrinkDropsTheLeastUsedFirst(t *testing.T) {
	cache := search.NewCache(0)
	s := newStore(t, &lister{next: func(_ context.Context, call int, _ caller.Caller) (*upstream.Listing, error) {
		return &upstream.Listing{Tools: named(fmt.Sprintf("tool_%02d", call))}, nil
	}}, func(o *Options) { o.Search.Cache = cache })
	as := identities(t)
	for i := range 10 {
		mustGet(t, s, as(fmt.Sprint(i)))
	}
	if gone := s.Shrink(.5); gone != 5 || cache.Len() != 0 {
		t.Errorf("%d left, and %d readings stayed", gone, cache.Len())
	}
	for i := range 10 {
		if _, ok := s.Peek(as(fmt.Sprint(i))); ok != (i >= 5) {
			t.Errorf("caller %d is there: %t", i, ok)
		}
	}
	if gone := s.Shrink(0); gone != 4 || s.Stats().Callers != 1 {
		t.Errorf("%d left, %d stayed", gone, s.Stats().Callers)
	}
}
