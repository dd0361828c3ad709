package aggregate

import (
	"context"
	"slices"
	"time"
)

const (
	// firstPatience is how long a request waits while no server at all has a
	// list of tools yet: a local command may take long to start for the first time.
	firstPatience = time.Minute
	// firstLook is how often it looks meanwhile.
	firstLook = 20 * time.Millisecond
)

// awaitFirst waits until some server has a list, as long as there is hope of
// one: no tools at all would tell a client that there are none.
func (s *shelf) awaitFirst(ctx context.Context, flights []*flight) error {
	tick := time.NewTicker(firstLook)
	defer tick.Stop()
	for {
		flights = slices.DeleteFunc(flights, func(f *flight) bool { return f.over() || time.Since(f.began) > firstPatience })
		if len(flights) == 0 || s.knowsAny() {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// knowsAny says that there is a list of some server, if maybe an old one.
func (s *shelf) knowsAny() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.known {
		if !k.listed.IsZero() {
			return true
		}
	}
	return false
}

// over says that a listing has landed.
func (f *flight) over() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}
