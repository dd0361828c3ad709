package relay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

// Resuming a stream that ended before its answer (spec 2025-11-25 basic/transports, "Resumability and Redelivery").
const (
	resumes     = 8                // times without any event
	resumePause = time.Second      // where the server says none
	resumeLimit = 30 * time.Second // of what the server says
)

// carry has a request answered.
func (s *stdio) carry(ctx context.Context, e *errand) {
	switch {
	case e.modern:
		s.exchange(ctx, e, e.m.Body, modernHeader(e.m))
	case e.m.Kind == wire.Request && e.m.Method == "initialize":
		s.initialize(ctx, e)
	default:
		s.inSession(ctx, e)
	}
}

// modernHeader are the headers that repeat what a modern message says (spec 2026-07-28 streamable-http).
func modernHeader(m *wire.Message) http.Header {
	h := http.Header{"Mcp-Protocol-Version": {m.Meta.ProtocolVersion}, "Mcp-Method": {m.Method}}
	if name, member := wire.Mirrored(m); member != "" {
		h.Set("Mcp-Name", wire.EncodeValue(name))
	}
	return h
}

// exchange posts a request and gives on what comes back.
func (s *stdio) exchange(ctx context.Context, e *errand, body []byte, h http.Header) {
	resp, err := s.ask(ctx, http.MethodPost, body, h)
	if err != nil {
		s.failed(ctx, e, "nobody answered this request: what was asked may have been done; look before you try again")
		return
	}
	s.answer(ctx, e, resp, nil)
}

// ask sends one request to the HTTP door.
func (s *stdio) ask(ctx context.Context, method string, body []byte, h http.Header) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://localhost"+s.o.Path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range h {
		r.Header[name] = values
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if len(body) == 0 {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	return s.way.RoundTrip(r)
}

// telling is how what has no answer is posted. It belongs to the session that is open, or being opened, when it is read: an
// initialize behind it waits for it.
func (s *stdio) telling(m *wire.Message) func() {
	opening := s.session.underWay()
	return func() { s.tell(m, opening) }
}

func (s *stdio) tell(m *wire.Message, opening chan struct{}) {
	h := modernHeader(m)
	if !m.Meta.Modern() {
		h = s.session.after(s.ctx, opening).header()
	}
	resp, err := s.ask(s.ctx, http.MethodPost, m.Body, h)
	if err == nil {
		_ = resp.Body.Close() // nobody to tell what it says
	}
}

// answer gives the messages of an answer to the client. before is called with the one that ends the request, before the
// client gets it.
func (s *stdio) answer(ctx context.Context, e *errand, resp *http.Response, before func([]byte)) {
	defer resp.Body.Close()
	switch mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); {
	case mediaType == "text/event-stream":
		s.stream(ctx, e, resp, before)
	case mediaType == "application/json":
		s.document(ctx, e, resp, before)
	case e.m.Kind == wire.Batch && resp.StatusCode == http.StatusAccepted: // of notifications alone
	default:
		s.failed(ctx, e, fmt.Sprintf("the upstream answered HTTP %d without a message: look at the server or gateway behind this program", resp.StatusCode))
	}
}

// document gives on an answer that is one message.
func (s *stdio) document(ctx context.Context, e *errand, resp *http.Response, before func([]byte)) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(s.o.AnswerBytes)+1))
	switch {
	case err != nil:
		s.failed(ctx, e, "the answer broke off: what was asked may have been done; look before you try again")
		return
	case len(body) > s.o.AnswerBytes:
		s.failed(ctx, e, s.tooLarge())
		return
	case e.m.Kind == wire.Batch && wire.IsArray(body):
		s.write(body)
		return
	}
	a, err := wire.ScanAnswer(body)
	switch {
	case err != nil:
		s.failed(ctx, e, fmt.Sprintf("the upstream answered HTTP %d with what is no message: look at the server or gateway behind this program", resp.StatusCode))
		return
	case e.m.Kind == wire.Batch || e.answeredBy(a):
	case !a.Error.Absent(): // without the id, since whoever refused didn't read the message
		data := wire.TopSpan(a.Error.In(body), "data").In(a.Error.In(body))
		body = wire.ErrorBody(e.m.ID, a.ErrorCode, a.ErrorMessage, data)
	default:
		s.failed(ctx, e, "the upstream answered another request than this one: look at the server or gateway behind this program")
		return
	}
	if before != nil {
		before(body)
	}
	s.forget(e)
	s.write(body)
}

func (s *stdio) tooLarge() string {
	return fmt.Sprintf("the answer is larger than %d bytes: it was run, and its answer dropped; ask for less", s.o.AnswerBytes)
}

// answeredBy says that a message ends the request.
func (e *errand) answeredBy(a *wire.Answer) bool {
	return a.Method == "" && a.ID != nil && e.m.ID != nil && keyOf(a.ID) == keyOf(e.m.ID)
}

// stream gives on the messages of a stream, and resumes it when it can and must.
func (s *stdio) stream(ctx context.Context, e *errand, resp *http.Response, before func([]byte)) {
	at := place{pause: resumePause}
	answered, err := s.events(resp.Body, &at, e, before)
	for tries := 0; !answered && err == nil && !e.modern && at.id != "" && tries < resumes && pauseFor(ctx, at.pause); tries++ {
		again, failed := s.ask(ctx, http.MethodGet, nil, at.header(s.session.get(ctx)))
		if failed != nil {
			continue
		}
		if again.StatusCode != http.StatusOK {
			_ = again.Body.Close()
			break
		}
		before := at.id
		answered, err = s.events(again.Body, &at, e, nil)
		_ = again.Body.Close()
		if at.id != before {
			tries = 0
		}
	}
	switch {
	case answered:
	case err != nil:
		s.failed(ctx, e, s.tooLarge())
	case e.m.Kind == wire.Batch: // who knows how many answers it has
	case e.listens():
		s.tornDown(ctx, e)
	default:
		s.failed(ctx, e, "the answer broke off: what was asked may have been done; look before you try again")
	}
}

// tornDown tells the client that its subscription has ended (spec 2026-07-28 basic/patterns/cancellation).
func (s *stdio) tornDown(ctx context.Context, e *errand) {
	if ctx.Err() != nil {
		return
	}
	s.write(append(append([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`), e.m.ID...), "}}"...))
}

// place is how far a stream was read.
type place struct {
	id    string
	pause time.Duration
}

func (p *place) header(current *opened) http.Header {
	h := current.header()
	if p.id != "" {
		h.Set("Last-Event-ID", p.id)
	}
	return h
}

// note keeps what an event says about resuming.
func (p *place) note(ev wire.Event) {
	if ev.HasID {
		p.id = ev.ID
	}
	for line := range bytes.Lines(ev.Raw) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "retry:"); ok {
			if ms, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && ms >= 0 {
				p.pause = min(time.Duration(ms)*time.Millisecond, resumeLimit)
			}
		}
	}
}

// events gives the messages of a stream to the client, up to the one that answers e; with e nil, to its end. The error is
// that of a message that is too large.
func (s *stdio) events(body io.Reader, at *place, e *errand, before func([]byte)) (answered bool, err error) {
	reader := wire.NewEventReader(body, s.o.AnswerBytes)
	for {
		ev, err := reader.Next()
		switch {
		case errors.Is(err, wire.ErrEventTooLarge):
			return false, err
		case err != nil:
			return false, nil // whoever reads on finds out why
		}
		at.note(ev)
		if len(ev.Data) == 0 || ev.Type != "" && ev.Type != "message" {
			continue
		}
		a, err := wire.ScanAnswer(ev.Data)
		if err != nil {
			if e != nil && e.m.Kind == wire.Batch && wire.IsArray(ev.Data) {
				s.write(ev.Data)
			}
			continue // nothing but messages goes to stdout
		}
		last := e != nil && e.answeredBy(a)
		if last && before != nil {
			before(ev.Data)
		}
		if last {
			s.forget(e)
		}
		s.write(ev.Data)
		if last {
			return true, nil
		}
	}
}

// failed answers a request that got no answer, unless nobody waits for one.
func (s *stdio) failed(ctx context.Context, e *errand, text string) {
	if e.m.Kind == wire.Batch || s.wasCancelled(e) {
		return
	}
	if ctx.Err() != nil {
		text = "this program is stopping: what was asked may have been done"
	}
	s.forget(e)
	s.write(wire.ErrorBody(e.m.ID, wire.CodeInternal, text, nil))
}

func pauseFor(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
