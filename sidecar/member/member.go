package member

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

const (
	defaultMaxSessions = 10_000
	defaultIdleTimeout = 30 * time.Minute
	defaultMaxBytes    = 64 << 20
)

// Member is one MCP server. It is safe for concurrent use.
type Member struct {
	o       Options
	url     string
	http    *http.Client
	own     bool // the transport is ours
	health  *health
	eras    eras
	table   *table
	ids     string // random prefix: ids of ours can't collide with a client's in its session
	count   atomic.Uint64
	parking parking

	ctx     context.Context // of everything that outlives a request
	cancel  context.CancelFunc
	mu      sync.Mutex // guards closing and the start of work
	closing bool
	work    sync.WaitGroup
}

// New makes a member; nothing is sent before the first request. It must be closed.
func New(o Options) *Member {
	o = o.withDefaults()
	m := &Member{o: o, url: o.Server.URL, ids: "ts-" + randomText(6) + "-"}
	if m.url == "" {
		m.url = "http://" + o.Server.Name + ".invalid/mcp" // the transport of a command asks nobody where it is
	}
	given, _ := o.Transport.(*http.Transport)
	m.own = o.Transport == nil || given != nil && !given.DisableCompression // else it is not a copy
	m.http = &http.Client{
		Transport: upstream.Transport(o.Transport),
		// A redirect would carry credentials to a place nobody configured.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	m.health = &health{server: o.Server.Name, observer: o.Observer, probe: o.Server.OpenTimeout}
	m.table = newTable(o.MaxSessions, o.IdleTimeout, m.drop)
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.spawn(m.sweep)
	return m
}

func (o Options) withDefaults() Options {
	o.Server.Timeout = orDefault(o.Server.Timeout, servers.DefaultTimeout)
	o.Server.ListTimeout = orDefault(o.Server.ListTimeout, servers.DefaultListTimeout)
	o.Server.OpenTimeout = orDefault(o.Server.OpenTimeout, servers.DefaultOpenTimeout)
	o.MaxSessions = orDefault(o.MaxSessions, defaultMaxSessions)
	o.IdleTimeout = orDefault(o.IdleTimeout, defaultIdleTimeout)
	o.MaxBytes = orDefault(o.MaxBytes, defaultMaxBytes)
	if o.Version == "" {
		o.Version = "dev"
	}
	return o
}

func orDefault[T int | int64 | time.Duration](v, standard T) T {
	if v <= 0 {
		return standard
	}
	return v
}

func randomText(n int) string {
	seed := make([]byte, n)
	_, _ = rand.Read(seed) // it never fails (crypto/rand)
	return hex.EncodeToString(seed)
}

// newID is a JSON string token that no other request carries.
func (m *Member) newID() []byte {
	return []byte(`"` + m.ids + strconv.FormatUint(m.count.Add(1), 10) + `"`)
}

// spawn runs f until it returns; its context ends when the member closes. It
// says false when the member is closing.
func (m *Member) spawn(f func(ctx context.Context)) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closing {
		return false
	}
	m.work.Go(func() { f(m.ctx) })
	return true
}

// sweep drops idle sessions.
func (m *Member) sweep(ctx context.Context) {
	tick := time.NewTicker(max(m.o.IdleTimeout/4, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			m.table.sweep()
		case <-ctx.Done():
			return
		}
	}
}

// drop ends a session that fell out of the table.
func (m *Member) drop(s *sticky) {
	o, who, shared := s.end()
	if shared || o == nil || o.id == "" {
		return
	}
	m.spawn(func(ctx context.Context) { m.endSession(ctx, who, o) })
}

// Close ends the sessions (but for shared ones) and waits, some seconds at
// most, for everything the member runs. Answers that are still open break.
func (m *Member) Close() {
	m.mu.Lock()
	closing := m.closing
	m.closing = true
	m.mu.Unlock()
	if closing {
		m.work.Wait()
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), partingTimeout)
	defer cancel()
	var goodbyes sync.WaitGroup
	slots := make(chan struct{}, 16)
	for _, s := range m.table.all() {
		o, who, shared := s.end()
		if shared || o == nil || o.id == "" {
			continue
		}
		slots <- struct{}{}
		goodbyes.Go(func() {
			defer func() { <-slots }()
			if ctx.Err() == nil {
				m.endSession(ctx, who, o)
			}
		})
	}
	goodbyes.Wait()
	m.cancel()
	m.work.Wait()
	if m.own {
		m.http.CloseIdleConnections()
	}
}

// Name is the server's name.
func (m *Member) Name() string { return m.o.Server.Name }

// State is how the server is doing.
func (m *Member) State() State { return m.health.state() }

// Describe gives what the server says of itself to c: from memory, else by
// server/discover or initialize. Errors are *Error, *AuthError or the context's.
func (m *Member) Describe(ctx context.Context, c Client) (*Description, error) {
	s, err := m.Session(ctx, c, "")
	if err != nil {
		return nil, err
	}
	return s.describe(ctx)
}

// describe is what the server says of itself in the session's era.
func (s *Session) describe(ctx context.Context) (*Description, error) {
	if s.era == wire.Legacy {
		return s.describeLegacy(ctx)
	}
	if s.m.o.Server.Auth != servers.Caller {
		if d := s.m.eras.description(wire.Modern); d != nil {
			return d, nil
		}
	} else if d := s.s.description(); d != nil {
		return d, nil
	}
	d, err := s.m.discover(ctx, s.c, s.who)
	if err != nil {
		return nil, settled(err)
	}
	s.s.describe(d)
	return d, nil
}

func (s *Session) describeLegacy(ctx context.Context) (*Description, error) {
	o, err := s.s.ensure(ctx, s.c, s.who)
	if err != nil {
		return nil, settled(err)
	}
	if d := s.s.told(o); d != nil {
		return d, nil
	}
	if d := s.m.eras.description(wire.Legacy); d != nil && s.m.o.Server.Auth != servers.Caller {
		return d, nil
	}
	// The session was opened elsewhere, and what the server said is not known here.
	own, err := s.m.initialize(ctx, s.c, s.who)
	if err != nil {
		return nil, settled(err)
	}
	s.m.endSession(ctx, s.who, own)
	s.s.learn(o, own.desc)
	return own.desc, nil
}

// settled is an error for a client, for whom the era is decided.
func settled(err error) error {
	if other, ok := err.(*otherEraError); ok {
		return other.cause
	}
	return err
}

// String names the member.
func (m *Member) String() string { return "member " + m.o.Server.Name }

// Format is String under every verb.
func (m *Member) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, m.String()) }
