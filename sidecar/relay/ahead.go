package relay

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// beatEvery is how often a stream that was opened for progress says that it is alive: proxies and clients give up on
// silent ones after half a minute or more.
const beatEvery = 15 * time.Second

// ahead sends messages before the engine's answer, which makes the answer to the request a stream: HTTP 200, the
// messages as events, the answer as the last one. Without a message nothing is written.
type ahead struct {
	w http.ResponseWriter

	mu   sync.Mutex
	beat *time.Timer // nil: not open
	over bool
}

// takesStreams says whether the client reads an answer that is a stream.
func takesStreams(r *http.Request) bool {
	for _, value := range r.Header.Values("Accept") {
		for kind := range strings.SplitSeq(value, ",") {
			kind, _, _ = strings.Cut(kind, ";")
			if strings.EqualFold(strings.TrimSpace(kind), "text/event-stream") {
				return true
			}
		}
	}
	return false
}

// notify sends one message.
func (a *ahead) notify(message []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return
	}
	a.open()
	a.write(eventOf(message))
}

// open must be called with the lock held.
func (a *ahead) open() {
	if a.beat != nil {
		a.beat.Reset(beatEvery)
		return
	}
	h := a.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // a proxy in front must not wait for the end
	a.w.WriteHeader(http.StatusOK)
	a.beat = time.AfterFunc(beatEvery, a.comment)
}

// comment says that the stream is alive.
func (a *ahead) comment() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return
	}
	a.write([]byte(": working\n\n"))
	a.beat.Reset(beatEvery)
}

// finish writes the answer as the last event. It returns false when no message went ahead of it: the answer is then
// written as usual.
func (a *ahead) finish(d *sidecar.Decision) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	if a.beat == nil {
		return false
	}
	a.write(eventOf(d.Body))
	return true
}

// stop ends the heartbeat, also where there is no answer.
func (a *ahead) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	if a.beat != nil {
		a.beat.Stop()
	}
}

// write must be called with the lock held. A client that went away ends the request's context, and with it the work.
func (a *ahead) write(raw []byte) {
	_, _ = a.w.Write(raw)
	_ = http.NewResponseController(a.w).Flush()
}

func eventOf(message []byte) []byte {
	return wire.Event{Raw: []byte("event: message\n\n")}.WithData(message)
}
