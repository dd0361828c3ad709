package member

import (
	"context"
	"errors"
	"net/http"
	"time"

	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// streamOfLegacy gives a modern client the stream of a legacy server, as a
// subscriptions/listen that it never sent would.
func (s *Session) streamOfLegacy(ctx context.Context) (*Answer, error) {
	return s.listenLegacy(ctx, s.m.newID(), everything())
}

// listenLegacy answers subscriptions/listen from a legacy server's stream.
func (s *Session) listenLegacy(ctx context.Context, id []byte, f filter) (*Answer, error) {
	out := newOutlet()
	leave := s.s.enter()
	ok := s.m.spawn(func(ctx context.Context) {
		defer leave()
		ctx, cancel := out.until(ctx)
		defer cancel()
		s.listen(ctx, out, append([]byte(nil), id...), f)
	})
	if !ok {
		leave()
		return nil, s.s.endedError()
	}
	return out.answer(ctx)
}

// firstTry is how long the acknowledgement waits for the server's stream: what
// changes after it must be told.
const firstTry = 5 * time.Second

func (s *Session) listen(ctx context.Context, out *outlet, id []byte, f filter) {
	o, err := s.s.ensure(ctx, s.c, s.who)
	if err != nil {
		out.fail(settled(err))
		return
	}
	h := s.s.hubOf()
	l := &listener{filter: f, ch: make(chan []byte, maxPending)}
	tried := h.join(s, l)
	defer h.leave(l)
	agreed := filter{methods: f.methods}
	for _, uri := range f.uris {
		first, ok := s.s.subscribe(uri)
		if !ok {
			continue // the acknowledgement says what is watched
		}
		if !first || s.subscription(ctx, o, "resources/subscribe", uri) {
			agreed.uris = append(agreed.uris, uri)
		}
		defer s.unsubscribe(ctx, uri)
	}
	timer := time.NewTimer(firstTry)
	defer timer.Stop()
	select {
	case <-tried:
		if !h.has() {
			agreed = filter{}
		}
	case <-timer.C:
	case <-ctx.Done():
		return
	}
	tag := object(append([]byte(`"`+metaSubscription+`":`), id...))
	params := object(append([]byte(`"_meta":`), tag...), append([]byte(`"notifications":`), agreed.wanted()...))
	if out.event(notification("notifications/subscriptions/acknowledged", params)) != nil {
		return
	}
	for {
		select {
		case message := <-l.ch:
			if out.event(tagged(message, id)) != nil {
				return
			}
		case <-ctx.Done():
			out.fail(ctx.Err())
			return
		}
	}
}

// unsubscribe ends a subscription when nobody else has it.
func (s *Session) unsubscribe(ctx context.Context, uri string) {
	if !s.s.unsubscribe(uri) {
		return
	}
	if o := s.s.current(); o != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), partingTimeout)
		defer cancel()
		s.subscription(ctx, o, "resources/unsubscribe", uri)
	}
}

// tagged says on which subscription a notification comes (spec 2026-07-28
// patterns/subscriptions).
func tagged(message, id []byte) []byte {
	params := orEmpty(member(message, "params"))
	meta, err := wire.SetField(orEmpty(member(params, "_meta")), metaSubscription, id)
	if err != nil {
		return message
	}
	if params, err = wire.SetField(params, "_meta", meta); err != nil {
		return message
	}
	whole, err := wire.SetField(message, "params", params)
	if err != nil {
		return message // not to be edited, but still worth telling
	}
	return whole
}

// streamOfModern gives the stream of a modern server: as it is to a modern
// client, and to a legacy one as the answer to its GET, for all lists and the
// resources that it subscribed to.
func (s *Session) streamOfModern(ctx context.Context) (*Answer, error) {
	if s.c.Era == wire.Modern {
		return s.listenModern(ctx, everything())
	}
	out := newOutlet()
	leave := s.s.enter()
	ok := s.m.spawn(func(ctx context.Context) {
		defer leave()
		ctx, cancel := out.until(ctx)
		defer cancel()
		(&following{s: s, out: out}).run(ctx)
	})
	if !ok {
		leave()
		return nil, s.s.endedError()
	}
	return out.answer(ctx)
}

// listenModern sends a subscriptions/listen.
func (s *Session) listenModern(ctx context.Context, f filter) (*Answer, error) {
	params := object(append([]byte(`"_meta":`), s.m.meta(s.c, "")...), append([]byte(`"notifications":`), f.wanted()...))
	reqCtx, patient := withPatience(ctx, 0)
	p := s.modernHop("subscriptions/listen")
	resp, err := s.m.do(reqCtx, http.MethodPost, s.m.headers(s.who, p), request(s.m.newID(), p.method, params))
	if err != nil {
		patient.end()
		return nil, err
	}
	return s.carry(reqCtx, resp, patient, func() {}, nil)
}

// following is the GET stream of a legacy client on a modern server: one
// subscriptions/listen after another, since a subscription's wishes can't be
// changed.
type following struct {
	s      *Session
	out    *outlet
	events chan []byte
}

func (f *following) run(ctx context.Context) {
	f.events = make(chan []byte)
	wish := everything()
	uris, changed := f.s.s.subscribed()
	wish.uris = uris
	cancel, ended, err := f.start(ctx, wish)
	if err != nil {
		f.refuse(err)
		return
	}
	defer func() { cancel() }()
	f.out.open()
	for {
		select {
		case message := <-f.events:
			if f.out.event(message) != nil {
				return
			}
			continue
		case <-ctx.Done():
			f.out.fail(ctx.Err())
			return
		case <-changed:
		case <-ended:
			if !sleep(ctx, defaultRetry) {
				return
			}
		}
		before := cancel
		wish.uris, changed = f.s.s.subscribed()
		if cancel, ended, err = f.start(ctx, wish); err != nil {
			f.out.fail(err)
			cancel = before
			return
		}
		before() // only now: nothing is missed in between
	}
}

// refuse answers a GET for which there is no stream.
func (f *following) refuse(err error) {
	var e *Error
	if errors.As(err, &e) && e.Status > 0 && e.Status < 500 {
		f.out.finish(http.StatusMethodNotAllowed, nil, wire.ErrorBody(nil, wire.CodeMethodNotFound, "the server has no stream of its own", nil))
		return
	}
	f.out.fail(err)
}

// start opens a subscription and returns when the server has acknowledged it.
func (f *following) start(ctx context.Context, wish filter) (cancel func(), ended <-chan struct{}, err error) {
	a, err := f.s.listenModern(ctx, wish)
	if err != nil {
		return nil, nil, err
	}
	if a.Status != http.StatusOK || mediaType(a.Header) != "text/event-stream" {
		a.Body.Close()
		return nil, nil, &Error{Server: f.s.m.Name(), Kind: upstream.Refused, Status: a.Status, Detail: "subscriptions/listen was refused"}
	}
	done, acknowledged := make(chan struct{}), make(chan struct{})
	ctx, stop := context.WithCancel(ctx)
	go func() {
		defer close(done)
		f.pass(ctx, a, acknowledged)
	}()
	f.settle(ctx, acknowledged, done)
	return func() {
		stop()
		a.Body.Close()
		<-done
	}, done, nil
}

// settle waits until a subscription is acknowledged or over, and passes on what
// comes meanwhile: some servers tell before they acknowledge.
func (f *following) settle(ctx context.Context, acknowledged, done <-chan struct{}) {
	for {
		select {
		case <-acknowledged:
			return
		case <-done:
			return
		case <-ctx.Done():
			return
		case message := <-f.events:
			if f.out.event(message) != nil {
				return
			}
		}
	}
}

// pass reads one subscription.
func (f *following) pass(ctx context.Context, a *Answer, acknowledged chan<- struct{}) {
	events := wire.NewEventReader(a.Body, maxMessage)
	for {
		ev, err := events.Next()
		if err != nil {
			return
		}
		m, err := wire.ScanAnswer(ev.Data)
		switch {
		case err != nil || m.Method == "" || m.ID != nil:
		case m.Method == "notifications/subscriptions/acknowledged":
			close(acknowledged)
			acknowledged = make(chan struct{}) // should it come twice
		default:
			select {
			case f.events <- ev.Data:
			case <-ctx.Done():
				return
			}
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
