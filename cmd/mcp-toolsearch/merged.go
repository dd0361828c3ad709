package main

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"

	"mcp-toolsearch/sidecar/aggregate"
	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/relay"
	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/tlsfiles"
	"mcp-toolsearch/sidecar/upstream"
)

// merged are the servers that are merged in this process, and the ways to them. It is what the engine asks.
type merged struct {
	*upstream.Client // lists what is known, and calls

	aggregate   *aggregate.Aggregate
	door, own   *relay.InProcess
	anew        *upstream.Client // lists all servers again
	web         *tlsfiles.Transport
	carryTo     func(servers.Server) (_ http.RoundTripper, end func()) // with a server's own certificates
	log         *slog.Logger
	source      *sources
	identifier  *caller.Identifier
	target      upstream.Target
	shared      bool // operator mode: all callers see the same tools
	listTimeout time.Duration

	mu      sync.Mutex
	list    []servers.Server  // as they are now
	changed func()            // after the shared tools changed; set when there is who wants to know
	moved   func(http.Header) // a caller's tool is another one by now; set like it
}

// merge makes the aggregate of the sources. It connects to nothing.
func (c *core) merge(src *sources, identifier *caller.Identifier) (*merged, error) {
	m := &merged{log: c.log, source: src, list: src.list, identifier: identifier, shared: operator(src.list), listTimeout: c.ListTimeout, carryTo: c.carryTo,
		target: upstream.Target{URL: c.origin() + c.Routes[0].Aggregate, Authority: c.authority()}}
	for _, sv := range src.list {
		if !c.set["LIST_TIMEOUT"] {
			m.listTimeout = max(m.listTimeout, sv.ListTimeout+sv.OpenTimeout)
		}
	}
	src.tell(c.log)
	key, err := c.sessionKey()
	if err != nil {
		return nil, usageError{err}
	}
	if m.web, err = c.carry(c.webTransport(), ""); err != nil { // no name: that is of one gateway
		return nil, usageError{err}
	}
	o := aggregate.Options{Servers: src.list, Open: c.opener(m.web), Logger: c.log, Observer: serverMetrics{c.metrics}, Identifier: identifier, OperatorMode: m.shared,
		SessionKey: key, TTL: c.aggregateTTL(m.shared), Version: version, BodyBytes: int(c.MaxBody), VisitorBytes: c.limits.visitors(), Changed: m.toolsChanged, Moved: m.toolMoved}
	if m.shared {
		o.ManifestPath = c.ManifestPath
	} else if c.ManifestPath != "" {
		c.log.Warn("--manifest-path is not used: with auth: caller the tools depend on who asks, and are kept in memory alone")
	}
	if m.aggregate, err = aggregate.New(o); err != nil {
		return nil, err
	}
	m.door, m.own = relay.NewInProcess(m.aggregate), relay.NewInProcess(m.aggregate.Own())
	m.Client, m.anew = c.clientWithin(m.door, m.listTimeout), c.clientWithin(m.own, m.listTimeout)
	return m, nil
}

// opener makes servers ready to be spoken to.
func (c *core) opener(web http.RoundTripper) func(servers.Server) aggregate.Opened {
	identity := slices.DeleteFunc(slices.Clone(c.CallerHeaders), func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), "Authorization") })
	return func(sv servers.Server) aggregate.Opened {
		if sv.Command != "" {
			transport, end := c.command(sv)
			return aggregate.Opened{Member: c.member(sv, transport), Close: end}
		}
		if sv.Auth == servers.Caller {
			sv.ForwardHeaders = append(slices.Clone(sv.ForwardHeaders), identity...)
		}
		if sv.TLS != (servers.TLS{}) {
			transport, end := c.carryTo(sv)
			return aggregate.Opened{Member: c.member(sv, transport), Close: end}
		}
		return aggregate.Opened{Member: c.member(sv, web)}
	}
}

func (c *core) member(sv servers.Server, transport http.RoundTripper) *member.Member {
	return member.New(member.Options{Server: sv, Transport: transport, Version: version, Observer: serverMetrics{c.metrics},
		MaxPages: c.MaxPages, MaxItems: c.MaxTools, MaxBytes: int64(c.MaxListing)})
}

// webTransport carries requests to servers by HTTP. It uses no proxy unless --upstream-proxy says so.
func (s *Settings) webTransport() *http.Transport {
	t := s.transport()
	t.MaxIdleConns = 0
	switch s.UpstreamProxy {
	case "":
	case "env":
		of := func(name string) string {
			if value := s.environ[name]; value != "" {
				return value
			}
			return s.environ[strings.ToLower(name)]
		}
		pick := (&httpproxy.Config{HTTPProxy: of("HTTP_PROXY"), HTTPSProxy: of("HTTPS_PROXY"), NoProxy: of("NO_PROXY")}).ProxyFunc()
		t.Proxy = func(r *http.Request) (*url.URL, error) { return pick(r.URL) }
	default:
		proxy, err := url.Parse(s.UpstreamProxy)
		t.Proxy = func(*http.Request) (*url.URL, error) { return proxy, err } // checked apart
	}
	return t
}

// List implements [catalog.Lister]. What all callers share is known already, unless somebody asked for a new listing.
func (m *merged) List(ctx context.Context, t upstream.Target, who caller.Caller, opt upstream.ListOptions) (*upstream.Listing, error) {
	if m.shared && !opt.Anew {
		return m.Client.List(ctx, t, who, opt)
	}
	return m.anew.List(ctx, t, who, opt)
}

// Metadata implements [sidecar.Upstreams]: the protected-resource document of the server that gets callers' tokens. With
// several of them the first one's counts: they share their callers' tokens.
func (m *merged) Metadata(ctx context.Context, _ upstream.Target, address string) ([]byte, error) {
	m.mu.Lock()
	list := m.list
	m.mu.Unlock()
	i := slices.IndexFunc(list, func(sv servers.Server) bool { return sv.Auth == servers.Caller })
	if i < 0 {
		return nil, &upstream.Error{Kind: upstream.BadStatus, Status: http.StatusNotFound, Detail: "no server gets the caller's token"}
	}
	at, err := url.Parse(list[i].URL)
	if err != nil {
		return nil, err
	}
	const wellKnown = "/.well-known/oauth-protected-resource"
	path := wellKnown
	if u, err := url.Parse(address); err == nil && u.Path != wellKnown {
		path += at.Path
	}
	o := upstream.Options{Transport: m.web, Version: version}
	if list[i].TLS != (servers.TLS{}) {
		transport, end := m.carryTo(list[i])
		defer end()
		o.Transport = transport
	}
	web := upstream.New(o)
	return web.Metadata(ctx, upstream.Target{URL: at.String()}, (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: path}).String())
}

// replace changes the servers.
func (m *merged) replace(ctx context.Context, list []servers.Server) {
	m.mu.Lock()
	m.list = list
	m.mu.Unlock()
	m.aggregate.Replace(ctx, list)
}

// toolsChanged is called by the aggregate.
func (m *merged) toolsChanged() {
	m.mu.Lock()
	changed := m.changed
	m.mu.Unlock()
	if changed != nil {
		changed()
	}
}

// toolMoved is called by the aggregate.
func (m *merged) toolMoved(h http.Header) {
	m.mu.Lock()
	moved := m.moved
	m.mu.Unlock()
	if moved != nil {
		moved(h)
	}
}

// refresh lists all servers, renews what is searched, and says what there is.
func (m *merged) refresh(ctx context.Context, store *catalog.Store) (aggregate.Report, error) {
	report, err := m.aggregate.Refresh(ctx)
	if err != nil {
		return report, err
	}
	m.log.Info("refreshed", "fp", report.Fingerprint)
	m.renew(ctx, store)
	return report, nil
}

// onMove sets who hears that a caller's tool is another one by now.
func (m *merged) onMove(moved func(http.Header)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.moved = moved
}

// onChange sets who hears that the shared tools have changed.
func (m *merged) onChange(changed func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed = changed
}

func (m *merged) close() {
	m.door.Close()
	m.own.Close()
	m.aggregate.Close()
	m.web.CloseIdleConnections()
}
