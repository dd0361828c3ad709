package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

// Pauses between two tries to open the stream for what belongs to no request.
const (
	firstPause = time.Second
	longPause  = 30 * time.Second
)

// opened is a session of the legacy eras, as the client of the HTTP door has it.
type opened struct {
	id      string // "" for a server without sessions
	version string // that was agreed on
	leave   context.CancelFunc
}

func (o *opened) header() http.Header {
	h := http.Header{}
	if o == nil {
		return h
	}
	if o.id != "" {
		h.Set("Mcp-Session-Id", o.id)
	}
	if o.version != "" {
		h.Set("Mcp-Protocol-Version", o.version)
	}
	return h
}

// session is the legacy session of the one client: the one that is open, and how to open it again.
type session struct {
	renewing sync.Mutex

	mu      sync.Mutex
	current *opened
	first   *wire.Message // the client's initialize
	opening chan struct{} // closed when initialize was answered; nil before it was sent
}

// begin says that initialize was read: what comes after it waits for its answer.
func (s *session) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening = make(chan struct{})
}

// set notes how initialize ended.
func (s *session) set(o *opened, first *wire.Message) (old *opened) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old = s.current
	s.current = o
	if first != nil {
		s.first = first
	}
	return old
}

// settled lets those go on who wait.
func (s *session) settled(opening chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-opening:
	default:
		close(opening)
	}
}

func (s *session) underWay() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opening
}

// get returns the open session, once an initialize that was sent is answered; nil when there is none.
func (s *session) get(ctx context.Context) *opened { return s.after(ctx, s.underWay()) }

// after is get for what came behind the initialize that opening is closed for.
func (s *session) after(ctx context.Context, opening chan struct{}) *opened {
	if opening != nil {
		wait(ctx, opening)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// initialize opens the session.
func (s *stdio) initialize(ctx context.Context, e *errand) {
	defer s.session.settled(s.session.underWay())
	resp, err := s.ask(ctx, http.MethodPost, e.m.Body, nil)
	if err != nil {
		s.failed(ctx, e, "nobody answered initialize: try again")
		return
	}
	s.answer(ctx, e, resp, func(answer []byte) {
		if version, ok := agreed(answer); ok {
			old := s.adopt(&opened{id: resp.Header.Get("Mcp-Session-Id"), version: version}, e.m)
			s.streams.Go(func() { s.quit(old) })
		}
	})
}

// agreed is the protocol version in the answer to initialize; false when it is an error.
func agreed(answer []byte) (string, bool) {
	a, err := wire.ScanAnswer(answer)
	if err != nil || a.Result.Absent() {
		return "", false
	}
	result := a.Result.In(answer)
	version, _ := wire.String(wire.TopSpan(result, "protocolVersion").In(result))
	return version, true
}

// adopt makes a session the current one, opens its stream, and returns the one before.
func (s *stdio) adopt(o *opened, first *wire.Message) (old *opened) {
	ctx, leave := context.WithCancel(s.endless)
	o.leave = leave
	if old = s.session.set(o, first); old != nil {
		old.leave()
	}
	s.streams.Go(func() {
		defer leave()
		s.listen(ctx, o)
	})
	return old
}

// listen gives on what comes on the session's own stream, and opens it again when it ends.
func (s *stdio) listen(ctx context.Context, o *opened) {
	at := place{}
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		resp, err := s.ask(ctx, http.MethodGet, nil, at.header(o))
		if err == nil {
			mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
			streams := resp.StatusCode == http.StatusOK && mediaType == "text/event-stream"
			if streams {
				pause = firstPause
				_, _ = s.events(resp.Body, &at, nil, nil) // a message that is too large ends the stream
			}
			_ = resp.Body.Close()
			if !streams && resp.StatusCode < http.StatusInternalServerError { // it has none, or the session has ended
				return
			}
		}
		if !pauseFor(ctx, pause) {
			return
		}
	}
}

// inSession carries a request of the legacy eras. A session that has ended is opened again once.
func (s *stdio) inSession(ctx context.Context, e *errand) {
	current := s.session.get(ctx)
	resp, err := s.ask(ctx, http.MethodPost, e.m.Body, current.header())
	if err == nil && resp.StatusCode == http.StatusNotFound && current != nil && current.id != "" {
		_ = resp.Body.Close()
		if current, err = s.renew(ctx, current); err != nil {
			s.failed(ctx, e, "the session has ended, and another one could not be opened ("+err.Error()+"): nothing was run; try again, or restart this connection")
			return
		}
		resp, err = s.ask(ctx, http.MethodPost, e.m.Body, current.header())
	}
	if err != nil {
		s.failed(ctx, e, "nobody answered this request: what was asked may have been done; look before you try again")
		return
	}
	s.answer(ctx, e, resp, nil)
}

// ownID is the id of an initialize of the door's own: the only request in a session that is being opened.
const ownID = `"mcp-toolsearch-again"`

// renew opens a session again, as the client has opened it, in the place of one that has ended (spec 2025-11-25
// basic/transports, "Session Management"). The error holds nothing of what anybody sent.
func (s *stdio) renew(ctx context.Context, ended *opened) (*opened, error) {
	s.session.renewing.Lock()
	defer s.session.renewing.Unlock()
	now := s.session.get(ctx)
	if now != ended && now != nil {
		return now, nil
	}
	first := s.session.first
	at := wire.TopSpan(first.Body, "id")
	body := append(append(append([]byte(nil), first.Body[:at.Start]...), ownID...), first.Body[at.End:]...)
	resp, err := s.ask(ctx, http.MethodPost, body, nil)
	if err != nil {
		return nil, errors.New("no answer")
	}
	defer resp.Body.Close()
	version, ok := agreed(s.only(resp))
	if !ok {
		return nil, fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	fresh := &opened{id: resp.Header.Get("Mcp-Session-Id"), version: version}
	if told, err := s.ask(ctx, http.MethodPost, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), fresh.header()); err == nil {
		_ = told.Body.Close()
	}
	s.adopt(fresh, nil)
	return fresh, nil
}

// only is the answer to the door's own request.
func (s *stdio) only(resp *http.Response) []byte {
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if mediaType != "text/event-stream" {
		body, err := io.ReadAll(io.LimitReader(resp.Body, int64(s.o.AnswerBytes)))
		if err != nil {
			return nil
		}
		return body
	}
	for reader := wire.NewEventReader(resp.Body, s.o.AnswerBytes); ; {
		ev, err := reader.Next()
		if err != nil {
			return nil
		}
		if a, err := wire.ScanAnswer(ev.Data); err == nil && a.Method == "" && string(a.ID) == ownID {
			return ev.Data
		}
	}
}

// goodbye ends the session.
func (s *stdio) goodbye() { s.quit(s.session.set(nil, nil)) }

// quit tells the upstream that a session is over.
func (s *stdio) quit(current *opened) {
	if current == nil || current.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	if resp, err := s.ask(ctx, http.MethodDelete, nil, current.header()); err == nil {
		_ = resp.Body.Close()
	}
}
