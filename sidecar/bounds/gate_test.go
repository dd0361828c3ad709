package bounds

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestAGateLetsInWhatFits(t *testing.T) {
	refused := 0
	g := NewGate(3, func() { refused++ })
	if !g.Take(2) || !g.Enter() || g.Enter() || g.Take(2) {
		t.Error("three fit, and no more")
	}
	g.Leave()
	if !g.Enter() || g.Inside() != 3 {
		t.Error("who leaves makes room")
	}
	g.Give(3)
	if !g.Take(5) || g.Enter() {
		t.Error("one that is larger than all enters alone")
	}
	g.Give(5)
	if refused != 3 || g.Inside() != 0 {
		t.Errorf("%d were counted as refused, %d are inside", refused, g.Inside())
	}
	var none *Gate
	if !none.Enter() || none.Inside() != 0 {
		t.Error("no gate bounds nothing")
	}
	none.Leave()
}

func TestAGateUnderManyHands(t *testing.T) {
	g := NewGate(4, nil)
	var now, most atomic.Int64
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 2000 {
				if !g.Enter() {
					continue
				}
				for n := now.Add(1); ; {
					if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
						break
					}
				}
				now.Add(-1)
				g.Leave()
			}
		})
	}
	all.Wait()
	if most.Load() > 4 || g.Inside() != 0 {
		t.Errorf("%d were inside at once, %d have stayed", most.Load(), g.Inside())
	}
}

func TestAQueueIsShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := 0
		q := NewQueue(1, 10, 2, time.Second, func() { refused++ })
		if !q.Ask() || !q.Begin(t.Context(), 4) || !q.Ask() || !q.Ask() || q.Ask() {
			t.Fatal("one works and two wait")
		}
		if refused != 1 {
			t.Fatalf("%d were counted as refused", refused)
		}
		began := time.Now()
		if q.Begin(t.Context(), 4) || time.Since(began) != time.Second || refused != 2 {
			t.Errorf("the first waited %v, %d were refused", time.Since(began), refused)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if q.Begin(gone, 4) || refused != 2 {
			t.Error("who has left is not refused, and doesn't begin")
		}
		q.Join()
		turn := make(chan bool)
		go func() { turn <- q.Begin(t.Context(), 4) }()
		synctest.Wait()
		q.Done(4)
		if !<-turn {
			t.Error("its turn came, and it did not begin")
		}
		q.Done(4)
		if q.all.Inside() != 0 {
			t.Errorf("%d places are lost", q.all.Inside())
		}
	})
}

func TestAQueueHasRoomForSoMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(3, 10, 3, time.Second, nil)
		if !q.Ask() || !q.Begin(t.Context(), 6) || !q.Ask() || q.Begin(t.Context(), 6) || q.all.Inside() != 1 {
			t.Fatal("twice 6 doesn't fit in 10")
		}
		if !q.Ask() || !q.Begin(t.Context(), 4) {
			t.Fatal("4 beside 6 fits")
		}
		turn := make(chan bool)
		q.Join()
		go func() { turn <- q.Begin(t.Context(), 1000) }()
		synctest.Wait()
		q.Done(6)
		synctest.Wait()
		q.Done(4)
		if !<-turn {
			t.Fatal("what is larger than all has its turn alone")
		}
		q.Done(1000)
		if q.all.Inside() != 0 || !q.room.TryAcquire(10) || !q.slots.TryAcquire(3) {
			t.Error("places or room are lost")
		}
	})
}
