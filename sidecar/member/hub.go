package member

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// filter is what a subscriptions/listen asks for.
type filter struct {
	methods []string // list_changed notifications
	uris    []string // resources
}

// The list_changed notifications by their names in subscriptions/listen.
func listChanged() [][2]string {
	return [][2]string{{"toolsListChanged", "notifications/tools/list_changed"}, {"promptsListChanged", "notifications/prompts/list_changed"},
		{"resourcesListChanged", "notifications/resources/list_changed"}}
}

func filterOf(msg *wire.Message) filter {
	var f filter
	wanted := member(msg.Params.In(msg.Body), "notifications")
	for _, kind := range listChanged() {
		if string(member(wanted, kind[0])) == "true" {
			f.methods = append(f.methods, kind[1])
		}
	}
	_ = wire.EachElement(member(wanted, "resourceSubscriptions"), func(v []byte) bool {
		if uri, ok := wire.String(v); ok && !slices.Contains(f.uris, uri) {
			f.uris = append(f.uris, uri)
		}
		return true
	})
	return f
}

// everything asks for all lists.
func everything() filter {
	var f filter
	for _, kind := range listChanged() {
		f.methods = append(f.methods, kind[1])
	}
	return f
}

// wanted is the filter as subscriptions/listen has it.
func (f filter) wanted() []byte {
	var fields [][]byte
	for _, kind := range listChanged() {
		if slices.Contains(f.methods, kind[1]) {
			fields = append(fields, []byte(`"`+kind[0]+`":true`))
		}
	}
	if len(f.uris) > 0 {
		b := []byte(`"resourceSubscriptions":[`)
		for i, uri := range f.uris {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, wire.Quote(uri)...)
		}
		fields = append(fields, append(b, ']'))
	}
	return object(fields...)
}

func (f filter) matches(method string, message []byte) bool {
	if method == "notifications/resources/updated" {
		uri, _ := wire.String(member(member(message, "params"), "uri"))
		return slices.Contains(f.uris, uri)
	}
	return slices.Contains(f.methods, method)
}

// hub passes what a legacy server says on its one stream to the listening
// streams of modern clients that share the session.
type hub struct {
	s *sticky

	mu        sync.Mutex
	session   *Session // of the last who joined
	listeners map[*listener]struct{}
	cancel    context.CancelFunc // of the stream; nil when there is none
	tried     chan struct{}      // closed when the stream is open, or can't be
	began     time.Time          // when that was begun
	available bool
	without   *opened // the session for which the server has no stream

	standing []*standing // calls that hear the stream, the newest last
	kept     bool        // the stream stays for calls to come
	parting  *time.Timer // ends that
	over     bool        // the session was ended
}

// idle says that nobody hears the stream.
func (h *hub) idle() bool { return len(h.listeners) == 0 && len(h.standing) == 0 && !h.kept }

// stopIdle ends a stream that nobody hears.
func (h *hub) stopIdle() {
	if h.idle() && h.cancel != nil {
		h.cancel()
	}
}

// listener is one client's stream.
type listener struct {
	filter filter
	ch     chan []byte
}

// maxPending bounds what a slow client lets pile up; what comes later is lost.
const maxPending = 256

// listening gives the hub when somebody listens.
func (s *sticky) listening() *hub {
	s.talk.mu.Lock()
	defer s.talk.mu.Unlock()
	return s.hub
}

func (s *sticky) hubOf() *hub {
	s.talk.mu.Lock()
	defer s.talk.mu.Unlock()
	if s.hub == nil {
		s.hub = &hub{s: s, listeners: map[*listener]struct{}{}}
	}
	return s.hub
}

// join adds a listener and starts the stream; tried closes when it is there, or
// can't be had.
func (h *hub) join(s *Session, l *listener) (tried <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listeners[l] = struct{}{}
	return h.start(s)
}

// start starts the stream when there is none.
func (h *hub) start(s *Session) (tried <-chan struct{}) {
	h.session = s
	if h.cancel != nil {
		return h.tried
	}
	h.tried, h.began = make(chan struct{}), time.Now()
	first := sync.OnceFunc(func() { close(h.tried) })
	h.cancel = func() {} // whoever leaves before it runs is seen by it
	if !s.m.spawn(func(ctx context.Context) { h.serve(ctx, first) }) {
		h.cancel = nil
		first()
	}
	return h.tried
}

// serve runs the stream as long as there are listeners.
func (h *hub) serve(ctx context.Context, tried func()) {
	defer tried()
	for {
		within, cancel := context.WithCancel(ctx)
		h.mu.Lock()
		if h.idle() || ctx.Err() != nil {
			h.cancel = nil
			h.mu.Unlock()
			cancel()
			return
		}
		h.cancel = cancel
		h.mu.Unlock()
		h.run(within, tried)
		cancel()
		if !h.has() {
			h.mu.Lock()
			h.cancel = nil
			h.mu.Unlock()
			return
		}
	}
}

func (h *hub) leave(l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listeners, l)
	h.stopIdle()
}

func (h *hub) broadcast(method string, message []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.listeners {
		if l.filter.matches(method, message) {
			select {
			case l.ch <- message:
			default:
			}
		}
	}
}

// run keeps the stream open while somebody listens.
func (h *hub) run(ctx context.Context, tried func()) {
	var last string
	var before *opened
	pause := defaultRetry
	for ctx.Err() == nil {
		h.mu.Lock()
		s := h.session
		h.mu.Unlock()
		resp, o, err := s.openStream(ctx, last)
		if err == nil && (resp.StatusCode != http.StatusOK || mediaType(resp.Header) != "text/event-stream") {
			upstream.Drain(resp)
			h.set(false, o)
			return // it has no such stream, or not for this client
		}
		if err == nil {
			h.set(true, nil)
			tried()
			if before != nil && o != before {
				h.subscribeAgain(ctx, s, o)
			}
			before, pause = o, defaultRetry
			in := h.read(ctx, s, o, resp)
			last, pause = in.lastID, in.retry()
		} else {
			pause = min(2*pause, longestRetry)
		}
		tried()
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}

func (h *hub) set(available bool, without *opened) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.available, h.without = available, without
}

func (h *hub) has() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.available
}

// read passes on what comes until the stream ends.
func (h *hub) read(ctx context.Context, s *Session, o *opened, resp *http.Response) *incoming {
	ctx, patient := withPatience(ctx, 0)
	defer patient.end()
	in := &incoming{m: s.m, ctx: ctx, patient: patient, resp: resp}
	defer in.close()
	for {
		got, err := in.next()
		var failed *Error
		switch {
		case errors.As(err, &failed) && failed.Kind == upstream.Garbage:
			continue // one event of no use
		case err != nil:
			return in
		case got.answer != nil && h.says(o, got):
		case got.kind == isNotification:
			h.broadcast(got.answer.Method, got.body)
		case got.kind == isRequest:
			s.m.respond(ctx, s.who, o.hop(""), ownAnswer(got.answer))
		}
	}
}

// subscribeAgain tells a new session what was subscribed to in the lost one.
func (h *hub) subscribeAgain(ctx context.Context, s *Session, o *opened) {
	uris, _ := h.s.subscribed()
	for _, uri := range uris {
		s.subscription(ctx, o, "resources/subscribe", uri)
	}
}

// subscription subscribes at a legacy server, or ends that; true when it agreed.
func (s *Session) subscription(ctx context.Context, o *opened, method, uri string) bool {
	ctx, cancel := context.WithTimeout(ctx, s.m.o.Server.OpenTimeout)
	defer cancel()
	rep, err := s.m.ask(ctx, s.who, o.hop(method), object(append([]byte(`"uri":`), wire.Quote(uri)...)), nil)
	return err == nil && rep.Answer != nil && rep.Answer.Error.Absent()
}
