package member

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// Session is one client's view of a server. It is cheap: make one for each
// request. It is safe for concurrent use.
type Session struct {
	m   *Member
	s   *sticky
	c   Client
	who identity
	era wire.Era // the server's
}

// Session gives the server as c sees it. With id "" it uses the sticky session
// of c.Key and opens one when there is none; a non-empty id, of a sealed
// session, is resumed without asking the server, unless c.Key's own session
// has taken its place since. Errors are *Error, *AuthError or the context's.
func (m *Member) Session(ctx context.Context, c Client, id string) (*Session, error) {
	key := c.Key
	if key == "" && id != "" {
		key = "\x00" + id
	}
	s := &Session{m: m, c: c, who: m.identityOf(c.Header), era: wire.Legacy}
	s.s = m.table.get(key, func() *sticky { return &sticky{m: m, key: key} })
	s.s.by(s.who, c.Shared)
	if id != "" {
		s.s.seed(id, c.legacyVersion())
		return s, nil
	}
	era, err := m.settle(ctx, c, s.who, s.s)
	if err != nil {
		return nil, err
	}
	s.era = era
	return s, nil
}

// legacyVersion is the version to name in a session that somebody else opened:
// servers take any of theirs there.
func (c Client) legacyVersion() string {
	if c.Era == wire.Legacy && c.Version != "" {
		return c.Version
	}
	return legacyVersion
}

// ID is the server's session id: "" when the server has no sessions or is
// modern. It changes when the session is lost.
func (s *Session) ID() string {
	if o := s.s.current(); o != nil && s.era == wire.Legacy {
		return o.id
	}
	return ""
}

// Era is the era in which the server is spoken to.
func (s *Session) Era() wire.Era { return s.era }

// Post sends one JSON-RPC message of the client's, in the client's era, and
// gives the answer in that era. h are the headers of the client's request;
// Mcp-Param-* is taken from it in the modern era, everything else is made anew. The
// server's 4xx is an answer (also 401 and 403). A lost session is opened anew
// once and the message sent again. Errors are *Error, *AuthError (of opening
// a session) or the context's.
func (s *Session) Post(ctx context.Context, body []byte, h http.Header) (*Answer, error) {
	msg, fault := wire.Scan(body, wire.Limits{Bytes: max(len(body), 1)})
	if fault != nil {
		return faultAnswer(fault, s.c.Era), nil
	}
	switch {
	case s.c.Era == s.era && s.era == wire.Modern:
		return s.postModern(ctx, msg, h)
	case s.c.Era == s.era:
		return s.postLegacy(ctx, msg)
	case s.era == wire.Modern:
		return s.postToModern(ctx, msg)
	}
	return s.postToLegacy(ctx, msg)
}

// postModern passes a message of a modern client to a modern server.
func (s *Session) postModern(ctx context.Context, msg *wire.Message, h http.Header) (*Answer, error) {
	p := s.modernHop(msg.Method)
	if msg.Meta.ProtocolVersion != "" {
		p.version = msg.Meta.ProtocolVersion
	}
	p.name, _ = wire.Mirrored(msg)
	p.params = h
	leave := s.s.enter()
	reqCtx, patient := withPatience(ctx, s.limit(msg.Method))
	resp, err := s.m.do(reqCtx, http.MethodPost, s.m.headers(s.who, p), msg.Body)
	if err != nil {
		patient.end()
		leave()
		return nil, err
	}
	if taken(msg, resp) {
		leaveAlone(resp, patient)
		leave()
		return accepted(), nil
	}
	if s.saysLegacy(resp, msg) {
		s.m.eras.forget()
		if now, err := s.m.Session(ctx, s.c, ""); err == nil && now.era != s.era {
			upstream.Drain(resp)
			patient.end()
			leave()
			return now.Post(ctx, msg.Body, h)
		}
	}
	return s.carryAnswer(reqCtx, msg, resp, patient, leave, nil)
}

// saysLegacy reads a refusal as one of the era: the server was exchanged for one
// that doesn't speak it. What it refused for that can't have run.
func (s *Session) saysLegacy(resp *http.Response, msg *wire.Message) bool {
	switch resp.StatusCode {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
	default:
		return false
	}
	held, ok := hold(resp)
	if !ok || msg.Kind != wire.Request {
		return false
	}
	rep := &upstream.Reply{Status: resp.StatusCode}
	if a, err := wire.ScanAnswer(held); err == nil && !a.Error.Absent() {
		rep.Answer = a
	}
	return rep.SaysLegacy() && (rep.Answer == nil || rep.Answer.ErrorCode != wire.CodeMethodNotFound)
}

// hold reads an answer of an error, and leaves it there to be read again.
func hold(resp *http.Response) (held []byte, ok bool) {
	held, err := io.ReadAll(io.LimitReader(resp.Body, maxHeld))
	if err != nil {
		return nil, false
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(held), resp.Body), resp.Body}
	return held, true
}

func (s *Session) modernHop(method string) hop {
	p := hop{era: wire.Modern, version: wire.ModernVersion, method: method}
	if s.c.Era == wire.Modern && s.c.Version != "" {
		p.version = s.c.Version
	}
	return p
}

// postLegacy passes a message of a legacy client to a legacy server.
func (s *Session) postLegacy(ctx context.Context, msg *wire.Message) (*Answer, error) {
	if msg.Kind == wire.Notification && msg.Method == "notifications/initialized" {
		return accepted(), nil // sent when the session was opened
	}
	leave := s.s.enter()
	reqCtx, patient := withPatience(ctx, s.limit(msg.Method))
	resp, o, err := s.exchange(reqCtx, msg.Method, msg.Body, msg.Kind == wire.Request || msg.Kind == wire.Batch)
	if err != nil {
		if o != nil && msg.Kind == wire.Request && errors.Is(context.Cause(reqCtx), errSilent) {
			s.m.cancelCall(ctx, s.who, o.hop(""), msg.ID)
		}
		patient.end()
		leave()
		return nil, err
	}
	if resp == nil || taken(msg, resp) {
		leaveAlone(resp, patient)
		leave()
		return accepted(), nil
	}
	var silent func()
	if msg.Kind == wire.Request {
		silent = func() { s.m.cancelCall(ctx, s.who, o.hop(""), msg.ID) }
	}
	return s.carryAnswer(reqCtx, msg, resp, patient, leave, silent)
}

// limit is how long the server may be silent. A stream that lasts until
// somebody ends it may be so for ever.
func (s *Session) limit(method string) time.Duration {
	switch method {
	case "subscriptions/listen":
		return 0
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list":
		return s.m.o.Server.ListTimeout
	}
	return s.m.o.Server.Timeout
}

// exchange posts a message in the session. When the session turns out to be
// lost, a request is sent once more in a new one; other messages belonged to
// the old one and are done (no response, no error).
func (s *Session) exchange(ctx context.Context, method string, body []byte, again bool) (*http.Response, *opened, error) {
	o, err := s.s.ensure(ctx, s.c, s.who)
	if err != nil {
		return nil, nil, settled(err)
	}
	resp, err := s.m.do(ctx, http.MethodPost, s.m.headers(s.who, o.hop(method)), body)
	if err != nil {
		return nil, o, err
	}
	if !s.lost(ctx, resp, o) {
		return resp, o, nil
	}
	upstream.Drain(resp)
	if !again {
		return nil, o, nil
	}
	if o, err = s.s.reset(ctx, s.c, s.who, o); err != nil {
		return nil, o, settled(err)
	}
	resp, err = s.m.do(ctx, http.MethodPost, s.m.headers(s.who, o.hop(method)), body)
	return resp, o, err
}

// maxHeld bounds what is read of a 400 to look whether the session is lost.
const maxHeld = 64 << 10

// maxNotice is the longest answer with status 200 that is looked at for the
// news that the session is lost.
const maxNotice = 4 << 10

// lost says that an answer is about the session, so that what was asked can't
// have run: 404 or 410 (spec 2025-11-25 basic/transports "Session
// Management"), or an error in a session that doesn't answer a ping either. Many
// servers say 400 of a forgotten session, some say it in a JSON-RPC error, but it
// may as well be the message that is wrong, and a session holds what nobody
// wants to lose.
func (s *Session) lost(ctx context.Context, resp *http.Response, o *opened) bool {
	if o.id == "" {
		if resp.StatusCode == http.StatusBadRequest || resp.StatusCode == http.StatusNotFound {
			s.m.eras.forget() // an ordinary error; but should the server have sessions by now, the next request gets one
			s.s.forget(o)
		}
		return false
	}
	switch resp.StatusCode {
	case http.StatusGone:
		return true
	case http.StatusNotFound, http.StatusBadRequest:
	case http.StatusOK:
		if resp.ContentLength <= 0 || resp.ContentLength > maxNotice || mediaType(resp.Header) != "application/json" {
			return false
		}
	default:
		return false
	}
	held, ok := hold(resp)
	if !ok {
		return false
	}
	a, err := wire.ScanAnswer(held)
	switch {
	case resp.StatusCode == http.StatusNotFound && (err != nil || a.ErrorCode != wire.CodeMethodNotFound):
		return true
	case resp.StatusCode == http.StatusOK && (err != nil || a.ErrorCode != -32000 && a.ErrorCode != -32001):
		return false
	}
	return !s.alive(ctx, o)
}

// alive pings a session.
func (s *Session) alive(ctx context.Context, o *opened) bool {
	ctx, cancel := context.WithTimeout(ctx, partingTimeout)
	defer cancel()
	rep, err := s.m.ask(ctx, s.who, o.hop("ping"), []byte("{}"), nil)
	if err != nil {
		return true // not known: better an error than a session lost
	}
	return rep.Answer != nil && (rep.Answer.Error.Absent() || rep.Answer.ErrorCode == wire.CodeMethodNotFound)
}

// Stream opens the stream of what the server says unasked: GET, or
// subscriptions/listen on a modern server. lastEventID may be "".
func (s *Session) Stream(ctx context.Context, lastEventID string) (*Answer, error) {
	switch {
	case s.c.Era == s.era && s.era == wire.Legacy:
		return s.get(ctx, lastEventID)
	case s.era == wire.Modern:
		return s.streamOfModern(ctx)
	}
	return s.streamOfLegacy(ctx)
}

// get opens the stream of a legacy session.
func (s *Session) get(ctx context.Context, lastEventID string) (*Answer, error) {
	leave := s.s.enter()
	reqCtx, patient := withPatience(ctx, 0)
	resp, _, err := s.openStream(reqCtx, lastEventID)
	if err != nil {
		patient.end()
		leave()
		return nil, err
	}
	return s.carry(reqCtx, resp, patient, leave, nil)
}

// openStream opens it in the session of now, or in a new one when that is lost.
func (s *Session) openStream(ctx context.Context, lastEventID string) (*http.Response, *opened, error) {
	o, err := s.s.ensure(ctx, s.c, s.who)
	if err != nil {
		return nil, nil, settled(err)
	}
	resp, err := s.getStream(ctx, o, lastEventID)
	if err != nil || o.id == "" || resp.StatusCode != http.StatusNotFound {
		return resp, o, err
	}
	upstream.Drain(resp)
	if o, err = s.s.reset(ctx, s.c, s.who, o); err != nil {
		return nil, nil, settled(err)
	}
	resp, err = s.getStream(ctx, o, "") // the event was one of the lost session
	return resp, o, err
}

func (s *Session) getStream(ctx context.Context, o *opened, lastEventID string) (*http.Response, error) {
	h := s.m.headers(s.who, o.hop("GET"))
	h.Del("Content-Type")
	h.Set("Accept", "text/event-stream")
	if lastEventID != "" {
		h.Set("Last-Event-Id", lastEventID)
	}
	return s.m.do(ctx, http.MethodGet, h, nil)
}

// End ends the session at the server (DELETE) and forgets it.
func (s *Session) End(ctx context.Context) {
	if !s.m.table.take(s.s) {
		return
	}
	o, _, _ := s.s.end()
	s.m.endSession(ctx, s.who, o)
}

// String names the session's server.
func (s *Session) String() string { return "session of server " + s.m.Name() }

// Format is String under every verb.
func (s *Session) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// String shows nothing of the client.
func (c Client) String() string { return "client" }

// Format is String under every verb.
func (c Client) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// LogValue is String (log/slog).
func (c Client) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalJSON is String as JSON.
func (c Client) MarshalJSON() ([]byte, error) { return wire.Quote(c.String()), nil }
