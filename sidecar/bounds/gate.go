package bounds

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// Limit names a bound in metrics.
type Limit string

// The bounds that are met by refusing work, each counted when it is reached.
const (
	Requests    Limit = "requests"    // requests in work
	Streams     Limit = "streams"     // event streams that last until somebody ends them
	Connections Limit = "connections" // connections of clients to the HTTP door
	Bodies      Limit = "bodies"      // bytes of request bodies held
	Listings    Limit = "listings"    // listings under way or waiting
	Memory      Limit = "memory"      // live memory over its mark
)

// All are the limits, for metrics that start at 0.
func All() []Limit {
	return []Limit{Requests, Streams, Connections, Bodies, Listings, Memory}
}

// RetryAfter is what who was refused is told, in seconds, for the header of that name.
const RetryAfter = "1"

// Gate bounds what is inside at once. A nil Gate bounds nothing. It is safe for concurrent use.
type Gate struct {
	most    int64
	inside  atomic.Int64
	reached func()
}

// NewGate returns a gate for so many, or so many bytes. reached is called for each that is refused; it may be nil.
func NewGate(most int64, reached func()) *Gate {
	if reached == nil {
		reached = func() {}
	}
	return &Gate{most: most, reached: reached}
}

// Enter lets one in, or says no. Who was let in leaves by Leave.
func (g *Gate) Enter() bool { return g.Take(1) }

// Leave makes room for another.
func (g *Gate) Leave() { g.Give(1) }

// Take lets n in together, or none of them. n that can never fit enters when nobody else is inside: the bound on one is
// another's business.
func (g *Gate) Take(n int64) bool {
	if g == nil || n == 0 {
		return true
	}
	if now := g.inside.Add(n); now > g.most && now > n {
		g.inside.Add(-n)
		g.reached()
		return false
	}
	return true
}

// Give is the way out for n.
func (g *Gate) Give(n int64) {
	if g != nil {
		g.inside.Add(-n)
	}
}

// Most is how much may be inside; 0 for a gate that bounds nothing.
func (g *Gate) Most() int64 {
	if g == nil {
		return 0
	}
	return g.most
}

// Inside is how much is inside now.
func (g *Gate) Inside() int64 {
	if g == nil {
		return 0
	}
	return g.inside.Load()
}

// Door are the gates that all doors of a program share; nil ones bound nothing.
type Door struct {
	Requests    *Gate // requests in work
	Streams     *Gate // event streams that last until somebody ends them
	Connections *Gate // connections to the HTTP door
	Bodies      *Gate // bytes of request bodies held
}

// Queue bounds how many work at once and the memory they work in, and how many wait for that and for how long.
type Queue struct {
	slots   *semaphore.Weighted
	room    *semaphore.Weighted // bytes
	bytes   int64
	all     *Gate // those who work and those who wait
	wait    time.Duration
	reached func()
}

// NewQueue returns a queue in which so many work in so many bytes, so many more wait, each at most so long. reached is
// called for each that is refused; it may be nil.
func NewQueue(work int, bytes int64, waiting int, wait time.Duration, reached func()) *Queue {
	all := NewGate(int64(work+waiting), reached)
	return &Queue{slots: semaphore.NewWeighted(int64(work)), room: semaphore.NewWeighted(bytes), bytes: bytes, all: all, wait: wait, reached: all.reached}
}

// Ask takes a place in the queue, or says no at once. Who got one calls Begin, and Done at the end.
func (q *Queue) Ask() bool { return q.all.Enter() }

// Join takes a place even where there is none left.
func (q *Queue) Join() { q.all.inside.Add(1) }

// Begin waits for the turn of work that needs so many bytes; work that needs more than there are has them all. False: it
// took too long, or ctx ended; there is nothing to be Done then but Ask's place, which is given back.
func (q *Queue) Begin(ctx context.Context, bytes int64) bool {
	short, cancel := context.WithTimeout(ctx, q.wait)
	defer cancel()
	if q.slots.Acquire(short, 1) == nil {
		if q.room.Acquire(short, min(bytes, q.bytes)) == nil {
			return true
		}
		q.slots.Release(1)
	}
	if ctx.Err() == nil {
		q.reached()
	}
	q.all.Leave()
	return false
}

// Done ends the work that began with so many bytes.
func (q *Queue) Done(bytes int64) {
	q.room.Release(min(bytes, q.bytes))
	q.slots.Release(1)
	q.all.Leave()
}
