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
		q := NewQueue(1, 2, time.Second, func() { refused++ })
		if !q.Ask() || !q.Begin(t.Context()) || !q.Ask() || !q.Ask() || q.Ask() {
			t.Fatal("one works and two wait")
		}
		if refused != 1 {
			t.Fatalf("%d were counted as refused", refused)
		}
		began := time.Now()
		if q.Begin(t.Context()) || time.Since(began) != time.Second || refused != 2 {
			t.Errorf("the first waited %v, %d were refused", time.Since(began), refused)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if q.Begin(gone) || refused != 2 {
			t.Error("who has left is not refused, and doesn't begin")
		}
		q.Join()
		turn := make(chan bool)
		go func() { turn <- q.Begin(t.Context()) }()
		synctest.Wait()
		q.Done()
		if !<-turn {
			t.Error("its turn came, and it did not begin")
		}
		q.Done()
		if q.all.Inside() != 0 {
			t.Errorf("%d places are lost", q.all.Inside())
		}
	})
}
