package bounds

import (
	"context"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// MemoryLimit is the memory in bytes that the program is to keep to: that of GOMEMLIMIT, else nine tenths of what own
// says (the control group's), which becomes the runtime's limit then. 0: there is none.
func MemoryLimit(own func() (uint64, error)) int64 {
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		return limit
	}
	bytes, err := own()
	if err != nil || bytes == 0 || bytes > math.MaxInt64/10 {
		return 0
	}
	limit := int64(bytes) / 10 * 9
	debug.SetMemoryLimit(limit)
	return limit
}

// ownPages are what the runtime doesn't count of what the program takes: above all its own pages, model included.
const ownPages = 40 << 20

// Spare keeps the program to a memory limit with all that it takes: the runtime collects as if what it does not count
// were taken off. Unless paced says that the operator has set the pace of collections, the heap is collected when it has
// grown by half, not to double. It is called once, after MemoryLimit.
func Spare(limit int64, paced bool) {
	debug.SetMemoryLimit(max(limit-ownPages, limit/2))
	if !paced {
		debug.SetGCPercent(50)
	}
}

// Share is a budget: a share of the memory limit, but at most most, which it is without a limit.
func Share(limit int64, share float64, most int64) int64 {
	if limit <= 0 {
		return most
	}
	return min(most, int64(float64(limit)*share))
}

// The marks of live memory, as shares of the limit: from the upper one on something is shed, until it is below the lower.
const (
	upperMark = .5
	lowerMark = .42
	// kept is the share of the catalogs that stays when memory is short.
	keptShare = .5
)

// Watch looks at live memory, that which the last collection found in use. It is safe for concurrent use.
type Watch struct {
	limit   int64
	pressed atomic.Bool
	reached func()
	shrink  func(share float64)
	read    func() (live int64, cycle uint64)
	seen    uint64 // the collection that was looked at last
}

// NewWatch returns a watch over so many bytes; 0: it never sheds. When live memory is over the mark, reached and shrink
// are called, once a collection: shrink keeps the share that it is given.
func NewWatch(limit int64, reached func(), shrink func(share float64)) *Watch {
	return &Watch{limit: limit, reached: reached, shrink: shrink, read: live}
}

// Pressed says that memory is short.
func (w *Watch) Pressed() bool { return w != nil && w.pressed.Load() }

// watchEvery is how often a number of the runtime's is read.
const watchEvery = 200 * time.Millisecond

// Run looks until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	if w.limit <= 0 {
		return
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.look()
		}
	}
}

// look sheds at most once for each collection: only the next one sees what that gave.
func (w *Watch) look() {
	bytes, cycle := w.read()
	if cycle == w.seen {
		return
	}
	w.seen = cycle
	mark := upperMark
	if w.pressed.Load() {
		mark = lowerMark
	}
	over := float64(bytes) > mark*float64(w.limit)
	w.pressed.Store(over)
	if over {
		w.reached()
		w.shrink(keptShare)
	}
}

// live reads the runtime: bytes in use after the last collection, stacks and other overhead beside them, and its number.
func live() (bytes int64, cycle uint64) {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64() + sample[1].Value.Uint64()), sample[2].Value.Uint64()
}
