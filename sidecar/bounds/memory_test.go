package bounds

import (
	"context"
	"errors"
	"math"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheBudgetIsAShareOfTheLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	debug.SetMemoryLimit(math.MaxInt64)
	group := func() (uint64, error) { return 100 << 20, nil }
	none := func() (uint64, error) { return 0, errors.New("none") }
	if got := MemoryLimit(none); got != 0 {
		t.Errorf("without any the limit is %d", got)
	}
	if got := MemoryLimit(group); got != 94371840 || debug.SetMemoryLimit(-1) != got {
		t.Errorf("the limit is %d, the runtime's %d, want nine tenths of the group's", got, debug.SetMemoryLimit(-1))
	}
	debug.SetMemoryLimit(1 << 30)
	if got := MemoryLimit(group); got != 1<<30 {
		t.Errorf("the limit is %d, want the one that was set", got)
	}
	for limit, want := range map[int64]int64{0: 512, 1000: 300, 4000: 512} {
		if got := Share(limit, .3, 512); got != want {
			t.Errorf("the share of %d is %d, want %d", limit, got, want)
		}
	}
}

func TestAWatchSheds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reached, shrunk atomic.Int64
		var bytes atomic.Int64
		var cycle atomic.Uint64
		bytes.Store(49)
		cycle.Store(1)
		w := NewWatch(100, func() { reached.Add(1) }, func(share float64) {
			if share != keptShare {
				t.Errorf("%v was to stay", share)
			}
			shrunk.Add(1)
		})
		w.read = func() (int64, uint64) { return bytes.Load(), cycle.Load() }
		step := func(now int64, collected bool, want int64, pressed bool) {
			t.Helper()
			bytes.Store(now)
			if collected {
				cycle.Add(1)
			}
			time.Sleep(2 * watchEvery)
			synctest.Wait()
			if shrunk.Load() != want || reached.Load() != want || w.Pressed() != pressed {
				t.Fatalf("%d bytes live: shrunk %d times, want %d, pressed %t", now, shrunk.Load(), want, w.Pressed())
			}
		}
		done := make(chan struct{})
		ctx, stop := context.WithCancel(t.Context())
		go func() { defer close(done); w.Run(ctx) }()
		step(49, true, 0, false)
		step(51, true, 1, true)
		step(90, false, 1, true) // no collection since: what left can't be seen yet
		step(45, true, 2, true)
		step(41, true, 2, false)
		step(45, true, 2, false)
		stop()
		<-done
		NewWatch(0, nil, nil).Run(t.Context())
		var none *Watch
		if none.Pressed() {
			t.Error("without a watch nothing is short")
		}
	})
}

func TestTheRuntimeSaysWhatIsLive(t *testing.T) {
	if bytes, _ := live(); bytes <= 0 {
		t.Errorf("%d bytes are live", bytes)
	}
}

func TestWhatTheRuntimeDoesNotCountIsTakenOff(t *testing.T) {
	limit, pace := debug.SetMemoryLimit(-1), debug.SetGCPercent(100)
	defer func() { debug.SetMemoryLimit(limit); debug.SetGCPercent(pace) }()
	Spare(512<<20, true)
	if got := debug.SetMemoryLimit(-1); got != 472<<20 {
		t.Errorf("of 512 MiB the runtime may take %d", got)
	}
	Spare(60<<20, false)
	if got := debug.SetMemoryLimit(-1); got != 30<<20 {
		t.Errorf("of 60 MiB the runtime may take %d", got)
	}
	if got := debug.SetGCPercent(50); got != 50 {
		t.Errorf("the heap may grow by %d %%", got)
	}
}
