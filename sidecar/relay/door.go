package relay

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/bounds"
	"mcp-toolsearch/sidecar/crash"
	"mcp-toolsearch/sidecar/wire"
)

// Engine decides. [sidecar.Engine] is the implementation.
type Engine interface {
	sidecar.Editor
	DecideHeaders(ctx context.Context, req sidecar.Request, hasBody bool) (sidecar.Decision, bool)
	Decide(ctx context.Context, req sidecar.Request) sidecar.Decision
	AnswerHeader(d *sidecar.Decision, req sidecar.Request, status int, h http.Header) http.Header
	EditsBody(d *sidecar.Decision, status int, h http.Header) bool
}

// Observer is told what the door itself decides, for metrics. Reasons come from a closed set.
type Observer interface {
	// Decided reports a request that the door refused before the engine saw it.
	Decided(kind sidecar.Kind, l sidecar.Labels, took time.Duration)
	// RelayFailed reports a request whose upstream gave no usable answer.
	RelayFailed(reason string)
}

// Options configure a [Door]. Zero values mean the defaults named beside each field.
type Options struct {
	Engine   Engine
	Observer Observer
	Logger   *slog.Logger

	Routes    []sidecar.Route // the engine's; their aggregate paths are relayed too, where they are no search paths
	Upstream  string          // scheme://host:port
	Authority string          // Host to send; the upstream's own
	Transport http.RoundTripper
	Version   string // of the program, for User-Agent

	CallerHeaders  []string      // that say who asks, and go upstream
	Unfiltered     bool          // the upstream is this program's own aggregate, which picks the headers that go on
	Shared         bool          // all clients use the operator's credentials: whoever connects has them
	Bearer         func() string // the token that clients must send; nil asks for none
	TLS            *tls.Config   // with a certificate; nil is plain HTTP
	AllowedOrigins []string      // exact: scheme://host[:port]
	AllowedHosts   []string      // host, or host:port; none means any, but for a door on loopback
	Loopback       bool          // the door is bound to loopback; Listen finds out

	BodyBytes   int           // largest request body; 4 MiB
	EditBytes   int           // largest answer held for an edit; 32,000
	Bounds      bounds.Door   // of requests, streams, connections and bodies
	BodyTimeout time.Duration // time for a request's body to arrive; 60 s
	KeepAlive   time.Duration // how long a stream may be silent before a comment is sent; 15 s
}

// Door serves the search routes and the aggregate routes. It is an http.Handler, safe for concurrent use.
type Door struct {
	o          Options
	upstream   *url.URL
	search     map[string]sidecar.Route
	aggregates map[string]bool
	forwarded  map[string]bool // canonical names of request headers that go upstream
	origins    map[string]bool
	hosts      map[string]bool
	places     string // what is served where, for those who ask for another path
	hop        string // this door's name in Via
	leaving    context.Context
	leave      context.CancelFunc
}

// New returns a door. Engine, Observer, Logger, Transport and Upstream must be set; the error names an origin or a
// host that can't be meant.
func New(o Options) (*Door, error) {
	o = o.withDefaults()
	u, err := url.Parse(o.Upstream)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the upstream %q is no scheme://host:port", o.Upstream)
	}
	if o.Authority == "" {
		o.Authority = u.Host
	}
	d := &Door{o: o, upstream: u, search: map[string]sidecar.Route{}, aggregates: map[string]bool{}, forwarded: forwardedNames(o.CallerHeaders)}
	for _, r := range o.Routes {
		d.search[r.Search] = r
		d.aggregates[r.Aggregate] = true
	}
	d.places = placesOf(o.Routes)
	if d.origins, err = originSet(o.AllowedOrigins); err != nil {
		return nil, err
	}
	if d.hosts, err = hostSet(o.AllowedHosts); err != nil {
		return nil, err
	}
	var seed [8]byte
	_, _ = rand.Read(seed[:]) // it never fails (crypto/rand)
	d.hop = hopPrefix + hex.EncodeToString(seed[:])
	d.leaving, d.leave = context.WithCancel(context.Background())
	return d, nil
}

// mostPlaces is how many paths of a kind a client is told.
const mostPlaces = 5

// placesOf says where the five tools and all tools are. The paths of gateways' batches are for gateways.
func placesOf(routes []sidecar.Route) string {
	var five, all []string
	for _, r := range routes {
		if !strings.HasSuffix(r.Search, sidecar.BatchSuffix) {
			five = append(five, r.Search)
		}
	}
	for _, r := range routes {
		if !slices.Contains(five, r.Aggregate) && !slices.Contains(all, r.Aggregate) {
			all = append(all, r.Aggregate)
		}
	}
	text := "nothing is served at this path: the five tools are at " + listed(five)
	if len(all) > 0 {
		text += ", all tools at " + listed(all)
	}
	return text
}

func listed(paths []string) string {
	if len(paths) > mostPlaces {
		paths = append(slices.Clone(paths[:mostPlaces]), "...")
	}
	return strings.Join(paths, ", ")
}

func (o Options) withDefaults() Options {
	if o.BodyBytes <= 0 {
		o.BodyBytes = 4 << 20
	}
	if o.EditBytes <= 0 {
		o.EditBytes = 32000
	}
	if o.BodyTimeout <= 0 {
		o.BodyTimeout = 60 * time.Second
	}
	if o.KeepAlive <= 0 {
		o.KeepAlive = keepAliveEvery
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	return o
}

// ServeHTTP implements [http.Handler].
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer crash.Cut(d.told)
	x := &exchange{door: d, w: w, r: r, start: time.Now()}
	if fault := d.admit(r); fault != nil {
		x.refuse(fault)
		return
	}
	if d.looped(r.Header) {
		x.refuseLoop()
		return
	}
	d.allowOrigin(w.Header(), r)
	if fault := d.authorise(w.Header(), r); fault != nil {
		x.refuse(fault)
		return
	}
	path := r.URL.EscapedPath()
	_, search := d.search[path]
	served := search || d.aggregates[path]
	if preflight(r) && served {
		allowRequest(w.Header(), r)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if served && !methodServed(r.Method) {
		w.Header().Set("Allow", "GET, POST, DELETE, OPTIONS, HEAD")
		x.refuse(&wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusMethodNotAllowed, Reason: "method_refused",
			Message: "this method is no part of MCP: send JSON-RPC messages by POST"})
		return
	}
	gate := d.gateOf(r)
	if !gate.Enter() {
		x.tooMuch()
		return
	}
	defer gate.Leave()
	defer x.forget()
	switch {
	case search, strings.HasPrefix(path, "/.well-known/"):
		x.decide()
	case served:
		x.relay()
	default:
		x.refuse(&wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusNotFound, Reason: "path_not_served", Message: d.places})
	}
}

// methodServed tells the methods of streamable HTTP, and those that ask about a path.
func methodServed(method string) bool {
	switch method {
	case http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodOptions, http.MethodHead:
		return true
	}
	return false
}

// scheme is what the client used; a TLS terminator in front says it in X-Forwarded-Proto.
func scheme(r *http.Request) string {
	switch proto := strings.ToLower(r.Header.Get("X-Forwarded-Proto")); {
	case proto == "https" || proto == "http":
		return proto
	case r.TLS != nil:
		return "https"
	}
	return "http"
}
