package member

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/upstream"
)

// Pauses between attempts at a server that is down: the first, and the longest
// that doubling leads to.
const (
	firstPause   = 500 * time.Millisecond
	longestPause = time.Minute
)

// health remembers whether the server can be reached, and keeps requests away
// from one that can't: while it is down, one request after each pause is let
// through, the others fail at once.
type health struct {
	server   string
	observer Observer
	probe    time.Duration // how long the one request may take

	mu       sync.Mutex
	known    bool
	down     bool
	since    time.Time
	kind     upstream.Kind
	failures int
	retryAt  time.Time
	trying   bool // the one request that was let through is under way
}

// admit says whether a request may be sent now.
func (h *health) admit() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.down {
		return nil
	}
	now := time.Now()
	if wait := h.retryAt.Sub(now); wait > 0 {
		return &Error{Server: h.server, Kind: h.kind, Waiting: true,
			Detail: fmt.Sprintf("it is down since %s and is tried again in %s",
				h.since.UTC().Format(time.RFC3339), max(wait, time.Second).Round(time.Second))}
	}
	h.retryAt, h.trying = now.Add(h.probe), true
	return nil
}

// up notes an answer of the server, whatever it says.
func (h *health) up() {
	h.mu.Lock()
	came := h.down || !h.known
	if came {
		h.since = time.Now()
	}
	h.known, h.down, h.failures, h.retryAt, h.trying = true, false, 0, time.Time{}, false
	h.mu.Unlock()
	if came && h.observer != nil {
		h.observer.Up(h.server)
	}
}

// failed notes that the server could not be reached. Requests that were under
// way when it went down all fail: they are one failure, and don't prolong the pause.
func (h *health) failed(kind upstream.Kind) {
	h.mu.Lock()
	went := !h.down
	if !went && !h.trying {
		h.mu.Unlock()
		return
	}
	h.trying = false
	now := time.Now()
	if went {
		h.since = now
	}
	h.known, h.down, h.kind = true, true, kind
	h.retryAt = now.Add(min(firstPause<<min(h.failures, 10), longestPause))
	h.failures++
	h.mu.Unlock()
	if went && h.observer != nil {
		h.observer.Down(h.server, kind)
	}
}

// abandoned notes that the request which was let through was given up by its
// client: the next one may try.
func (h *health) abandoned() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.down && h.trying {
		h.retryAt, h.trying = time.Now(), false
	}
}

func (h *health) state() State {
	h.mu.Lock()
	defer h.mu.Unlock()
	return State{Up: !h.down, Since: h.since, Kind: h.kind, RetryAt: h.retryAt, Failures: h.failures}
}

// gatewayFailed tells the statuses by which what stands before a server says that it
// isn't there.
func gatewayFailed(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
}
