package member

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// sticky is the session of one key: what the server gave for it in a legacy
// era, and what must be remembered where the eras are translated.
type sticky struct {
	m   *Member
	key string
	talk

	mu     sync.Mutex
	now    *opened // nil: not opened, or lost
	flight *flight
	who    identity // of the last request, for the goodbye
	shared bool
	ended  bool
	last   time.Time
	users  int

	described   *Description // modern, with Auth Caller: nobody else's
	describedAt time.Time
}

// opened is one legacy session of a server's.
type opened struct {
	id      string // "" where the server has none
	version string // as negotiated
	desc    *Description
}

// hop makes the requests of a session.
func (o *opened) hop(method string) hop {
	p := hop{era: wire.Legacy, session: o.id, version: o.version, method: method}
	if p.version < "2025-06-18" {
		p.version = "" // the header came with 2025-06-18
	}
	return p
}

// flight is an initialize under way that all who need it wait for.
type flight struct {
	done chan struct{}
	o    *opened
	err  error
}

func (s *sticky) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Now()
}

func (s *sticky) idleFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.last)
}

func (s *sticky) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.users > 0
}

// enter keeps the session from being dropped until the returned func is called.
func (s *sticky) enter() (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
	var once sync.Once
	return func() {
		once.Do(func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.users--
			s.last = time.Now()
		})
	}
}

// seed takes over a session that another process opened.
func (s *sticky) seed(id, version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil && s.flight == nil {
		s.now = &opened{id: id, version: version}
	}
}

// by remembers who uses the session.
func (s *sticky) by(who identity, shared bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.who, s.shared = who, s.shared || shared
}

func (s *sticky) current() *opened {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// ensure gives the open session, and opens it when there is none.
func (s *sticky) ensure(ctx context.Context, c Client, who identity) (*opened, error) {
	return s.after(ctx, c, who, nil)
}

// reset gives a session in place of one that was lost: opened by us, or by
// whoever noticed before.
func (s *sticky) reset(ctx context.Context, c Client, who identity, lost *opened) (*opened, error) {
	return s.after(ctx, c, who, lost)
}

func (s *sticky) after(ctx context.Context, c Client, who identity, lost *opened) (*opened, error) {
	s.mu.Lock()
	switch {
	case s.ended:
		s.mu.Unlock()
		return nil, s.endedError()
	case s.now != nil && s.now != lost:
		defer s.mu.Unlock()
		return s.now, nil
	}
	if version, ok := s.m.eras.isStateless(); ok && lost == nil {
		s.now = &opened{version: version}
		defer s.mu.Unlock()
		return s.now, nil
	}
	s.now = nil
	f := s.flight
	if f == nil {
		if lost != nil {
			s.m.eras.forget() // the server was started anew, maybe as another one
		}
		f = &flight{done: make(chan struct{})}
		s.flight = f
		if !s.m.spawn(func(ctx context.Context) { s.open(ctx, f, c, who, lost != nil) }) {
			s.flight = nil
			s.mu.Unlock()
			return nil, s.endedError()
		}
	}
	s.mu.Unlock()
	select {
	case <-f.done:
		return f.o, f.err
	case <-ctx.Done():
		return nil, s.m.failure(upstream.TransportFailure(ctx, ctx.Err()))
	}
}

func (s *sticky) endedError() error {
	return &Error{Server: s.m.Name(), Kind: upstream.Refused, Detail: "the session was ended"}
}

// open runs a flight. It is no client's alone, so that one who leaves doesn't
// end it for the others.
func (s *sticky) open(ctx context.Context, f *flight, c Client, who identity, again bool) {
	f.o, f.err = s.m.initialize(ctx, c, who)
	f.err = s.m.notice(ctx, f.err)
	s.mu.Lock()
	s.flight = nil
	late := s.ended && f.err == nil
	if f.err == nil && !s.ended {
		s.now = f.o
	}
	s.mu.Unlock()
	if again && f.err == nil && s.m.o.Observer != nil {
		s.m.o.Observer.SessionReset(s.m.Name())
	}
	close(f.done)
	if late {
		s.m.endSession(ctx, who, f.o)
	}
}

// end closes the session for good and gives what must be ended at the server.
func (s *sticky) end() (o *opened, who identity, shared bool) {
	s.talk.end()
	if h := s.listening(); h != nil {
		h.close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o, s.now, s.ended = s.now, nil, true
	return o, s.who, s.shared
}

// told is what the server said when the session was opened, nil when somebody
// else opened it.
func (s *sticky) told(o *opened) *Description {
	s.mu.Lock()
	defer s.mu.Unlock()
	return o.desc
}

// learn fills that in.
func (s *sticky) learn(o *opened, d *Description) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.desc = d
}

// forget opens a session anew with the next request.
func (s *sticky) forget(o *opened) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == o {
		s.now = nil
	}
}

// description is what the modern server said to this caller.
func (s *sticky) description() *Description {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.describedAt) > describedFor {
		return nil
	}
	return s.described
}

func (s *sticky) describe(d *Description) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.described, s.describedAt = d, time.Now()
}

// initialize opens a session in the name of c.
func (m *Member) initialize(ctx context.Context, c Client, who identity) (*opened, error) {
	ctx, cancel := context.WithTimeout(ctx, m.o.Server.OpenTimeout)
	defer cancel()
	p := hop{era: wire.Legacy, method: "initialize"}
	rep, err := m.ask(ctx, who, p, m.initializeParams(c), nil)
	if err != nil {
		return nil, err
	}
	if rep.Status >= 400 || !rep.Answer.Error.Absent() {
		err := m.failure(rep.Refusal(p.method))
		if rep.SaysModern() {
			return nil, &otherEraError{cause: err}
		}
		return nil, err
	}
	o := &opened{id: rep.Header.Get("Mcp-Session-Id")}
	o.desc = readInitialize(rep.Answer.Result.In(rep.Answer.Body))
	if o.desc == nil || !strings.HasPrefix(o.desc.Version, "202") || o.desc.Version >= wire.ModernVersion {
		m.endSession(ctx, who, o)
		return nil, &Error{Server: m.Name(), Kind: upstream.Garbage, Detail: "initialize: the server chose a protocol version that was not offered"}
	}
	o.version = o.desc.Version
	p = o.hop("notifications/initialized")
	if status, err := m.notify(ctx, who, p, nil); err != nil || status == http.StatusNotFound && o.id != "" {
		m.endSession(ctx, who, o)
		if err == nil {
			err = &Error{Server: m.Name(), Kind: upstream.BadStatus, Status: status, Detail: "the server forgot its session at once"}
		}
		return nil, err
	}
	if o.id == "" {
		m.eras.withoutSessions(o.version)
	}
	m.eras.describe(o.desc)
	return o, nil
}

func (m *Member) initializeParams(c Client) []byte {
	version := legacyVersion
	if c.Era == wire.Legacy && c.Version != "" && c.Version < wire.ModernVersion {
		version = c.Version
	}
	b := append([]byte(`{"protocolVersion":`), wire.Quote(version)...)
	b = append(append(b, `,"capabilities":`...), sessionCapabilities(c)...)
	return append(append(append(b, `,"clientInfo":`...), m.info(c)...), '}')
}

// sessionCapabilities are what a session says its client can. A modern client
// says so with each request, and the session is for all of them: what can be
// asked is decided at each call.
func sessionCapabilities(c Client) []byte {
	capabilities := orEmpty(c.Capabilities)
	if c.Era == wire.Legacy {
		return capabilities
	}
	for _, name := range []string{"elicitation", "sampling"} {
		if member(capabilities, name) == nil {
			if more, err := wire.SetField(capabilities, name, []byte("{}")); err == nil {
				capabilities = more
			}
		}
	}
	return capabilities
}

// readInitialize reads a result of initialize; nil when it is no object.
func readInitialize(result []byte) *Description {
	fields, err := wire.TopFields(result)
	if err != nil {
		return nil
	}
	d := &Description{Era: wire.Legacy}
	for _, f := range fields {
		if f.Key == "protocolVersion" {
			d.Version, _ = wire.String(f.Value)
		}
		d.read(f)
	}
	return d
}

// endSession tells the server, so that sessions don't pile up there. Its
// failure doesn't matter.
func (m *Member) endSession(ctx context.Context, who identity, o *opened) {
	if o == nil || o.id == "" || who == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), partingTimeout)
	defer cancel()
	h := m.headers(who, o.hop(""))
	h.Del("Content-Type")
	if resp, err := m.send(ctx, http.MethodDelete, h, nil); err == nil {
		upstream.Drain(resp)
	}
}
