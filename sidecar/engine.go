package sidecar

import (
	"context"
	"net/http"
	"strings"
	"time"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// Route pairs a search route with the aggregate route that its calls are re-issued on. Both are paths without a query.
type Route struct{ Search, Aggregate string }

// Catalogs gives the tools of one caller. [catalog.Store] is the implementation.
type Catalogs interface {
	Get(ctx context.Context, r catalog.Request) (*catalog.Catalog, error)
	Relist(ctx context.Context, r catalog.Request) (c *catalog.Catalog, listed bool, err error)
	Forget(r catalog.Request)
}

// Upstreams makes the calls that the sidecar issues itself. [upstream.Client] is the implementation.
type Upstreams interface {
	Call(ctx context.Context, t upstream.Target, who caller.Caller, call upstream.Call) (*upstream.CallAnswer, error)
	Metadata(ctx context.Context, t upstream.Target, url string) ([]byte, error)
}

// Observer is told what was decided, for logs and metrics. Its values are safe to record: see [Labels].
type Observer interface {
	// Decided reports one decision and how long it took.
	Decided(kind Kind, l Labels, took time.Duration)
	// Repaired reports that arguments sent as JSON text were decoded in places places.
	Repaired(places int)
	// Searched reports one search: how many tools it looked through, how many it returned, and its trace's id when that is
	// recorded.
	Searched(tools, hits int, took time.Duration, traceID string)
	// BatchItem reports one item of call_read_tools: "ok", "error" or a refusal's reason.
	BatchItem(outcome string)
	// NotEdited reports an answer to initialize or server/discover that went on without our instructions: "too_large".
	NotEdited(reason string)
	// Followed reports a call of a tool that a search of the same caller found up to ten minutes before, at position among
	// its hits, from 1. A search is followed once at most.
	Followed(position int)
	// Definitions reports tokens (bytes/4) of what callers are told of tools: shown by us, and avoided, which a whole
	// catalog in the place of the five would have shown.
	Definitions(shown, avoided int)
	// CatalogUsed reports the age of the catalog that a request used.
	CatalogUsed(age time.Duration)
}

// Options configure an [Engine]. Zero values mean the defaults named beside each field.
type Options struct {
	Routes    []Route
	Upstream  string // scheme://host:port of the gateway that serves the aggregate routes
	Authority string // host the aggregate routes' virtual host needs; empty = the request's own
	PublicURL string // scheme://host clients use; empty = from the request
	KeepRoute bool   // the gateway can't re-route: leave the path alone

	BatchDoor       bool          // batches with a progress token go to [BatchSuffix] of the search path, where the gateway can
	Profile         Profile       // which list of the five
	RelayDirect     bool          // relay direct calls of catalog tools instead of refusing them
	SearchSchemas   int           // hits that come with their input schema
	SearchTokens    int           // bound of a search answer, bytes/4; 8,000
	MaxInstructions int           // characters of the upstream's own instructions
	ToolsTTL        time.Duration // ttlMs of tools/list; 1 h
	StaleAfter      time.Duration // age at which a search says that its list is old; 10 min
	DirectoryWait   time.Duration // how long initialize waits for the sources directory; 1 s
	Batch           int           // items of call_read_tools; 20
	Parallel        int           // of them at a time; 8
	ItemTimeout     time.Duration // how long one of them may take; 5 min
	ProgressAfter   time.Duration // when a batch of which nothing has ended first says that it runs; 5 s
	BatchBytes      int           // bound of a batch answer; 8 MiB
	EditBytes       int           // largest answer that is edited; 32,000 (stock Envoy Gateway fails above)
	Callers         int           // callers of whom is remembered what a search found; 10,000
	Limits          wire.Limits

	Identifier *caller.Identifier
	Catalogs   Catalogs
	Upstreams  Upstreams
	Observer   Observer
	Tracer     Tracer // nil: no traces
}

// Engine decides. It is safe for concurrent use; of requests it holds the running batches, and for a while what searches found.
type Engine struct {
	o       Options
	routes  map[string]Route
	running running
	trails  *trails
}

// New returns an engine. Identifier, Catalogs, Upstreams and Observer must be set.
func New(o Options) *Engine {
	o = o.withDefaults()
	e := &Engine{o: o, routes: make(map[string]Route, len(o.Routes)), trails: newTrails(o.Callers)}
	for _, r := range o.Routes {
		e.routes[r.Search] = r
	}
	return e
}

func (o Options) withDefaults() Options {
	o.SearchTokens = orDefault(o.SearchTokens, 8000)
	o.ToolsTTL = orDefault(o.ToolsTTL, time.Hour)
	o.StaleAfter = orDefault(o.StaleAfter, 10*time.Minute)
	o.DirectoryWait = orDefault(o.DirectoryWait, time.Second)
	o.Batch = orDefault(o.Batch, 20)
	o.Parallel = orDefault(o.Parallel, 8)
	o.ItemTimeout = orDefault(o.ItemTimeout, 5*time.Minute)
	o.ProgressAfter = orDefault(o.ProgressAfter, 5*time.Second)
	o.BatchBytes = orDefault(o.BatchBytes, 8<<20)
	o.EditBytes = orDefault(o.EditBytes, 32000)
	o.Callers = orDefault(o.Callers, 10000)
	if o.Limits == (wire.Limits{}) {
		o.Limits = wire.DefaultLimits()
	}
	return o
}

func orDefault[T int | time.Duration](v, def T) T {
	if v > 0 {
		return v
	}
	return def
}

// turn is one request being decided: what every step needs to know about it.
type turn struct {
	start   time.Time
	req     Request
	route   Route
	who     caller.Caller
	target  upstream.Target
	era     wire.Era
	version string
	msg     *wire.Message
	labels  Labels
	span    Span // the request's, or of the step that this turn is in; nil when nothing is traced
}

// view names one caller's catalog on one aggregate route.
type view struct {
	who    caller.Caller
	target upstream.Target
	era    wire.Era
	trace  wire.Trace // of a listing that is started for it
}

func (v view) request() catalog.Request {
	return catalog.Request{Who: v.who, Target: v.target, Era: v.era, Trace: v.trace}
}

func (t *turn) view() view { return view{who: t.who, target: t.target, era: t.era, trace: t.trace()} }

// DecideHeaders decides what needs no body: well-known paths and requests without one. It returns false when the body
// must be seen first, which is the case for every request that has one, whatever its headers claim.
func (e *Engine) DecideHeaders(ctx context.Context, req Request, hasBody bool) (Decision, bool) {
	t := e.begin(req)
	if d, ok := e.wellKnown(ctx, t); ok {
		return e.done(t, d), true
	}
	if hasBody {
		return Decision{}, false
	}
	return e.done(t, e.decideEmpty(t)), true
}

// Decide decides a request with its whole body.
func (e *Engine) Decide(ctx context.Context, req Request) Decision {
	t := e.begin(req)
	return e.done(t, e.decide(ctx, t))
}

func (e *Engine) done(t *turn, d Decision) Decision {
	d.Labels = t.labels
	e.traced(t, &d)
	e.showed(t, d)
	if !d.handedOn {
		e.o.Observer.Decided(d.Kind, d.Labels, time.Since(t.start))
	}
	return d
}

func (e *Engine) begin(req Request) *turn {
	if req.Header == nil {
		req.Header = http.Header{}
	}
	t := &turn{start: time.Now(), req: req, who: e.o.Identifier.Identify(req.Header)}
	t.labels = Labels{Method: "other", Outcome: "relayed", RequestID: requestID(req.Header)}
	path, _, _ := strings.Cut(req.Path, "?")
	t.route = e.routes[path]
	t.target = e.target(t.route, req)
	return t
}

func (e *Engine) target(r Route, req Request) upstream.Target {
	authority := req.Authority
	if req.UpstreamHost != "" {
		authority = req.UpstreamHost
	}
	if e.o.Authority != "" {
		authority = e.o.Authority
	}
	return upstream.Target{URL: strings.TrimSuffix(e.o.Upstream, "/") + r.Aggregate, Authority: authority}
}

// decideEmpty decides a request without a body.
func (e *Engine) decideEmpty(t *turn) Decision {
	if t.route == (Route{}) {
		return e.noRoute(t)
	}
	var fault *wire.Fault
	t.era, t.version, fault = wire.EraOf(t.req.Header)
	if fault != nil {
		return e.fault(t, fault)
	}
	t.labels.Era = t.era.String()
	switch t.req.Method {
	case http.MethodGet, http.MethodDelete, http.MethodOptions, http.MethodHead:
		t.labels.Method = t.req.Method
		return e.pass(t)
	}
	return e.fault(t, &wire.Fault{Code: wire.CodeParse, Status: http.StatusBadRequest, Reason: "empty_body",
		Message: "the request has no body: send one JSON-RPC message"})
}

func (e *Engine) decide(ctx context.Context, t *turn) Decision {
	if len(t.req.Body) == 0 {
		return e.decideEmpty(t)
	}
	if t.route == (Route{}) {
		return e.noRoute(t)
	}
	if t.req.Method != http.MethodPost {
		d := e.fault(t, &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusMethodNotAllowed, Reason: "body_without_post",
			Message: "the request has a body but is not a POST: send JSON-RPC messages by POST"})
		d.Header.Set("Allow", "POST")
		return d
	}
	var fault *wire.Fault
	if t.era, t.version, fault = wire.EraOf(t.req.Header); fault != nil {
		return e.fault(t, fault)
	}
	t.labels.Era = t.era.String()
	if fault = wire.CheckEncoding(t.req.Header); fault != nil {
		return e.fault(t, fault)
	}
	if t.msg, fault = wire.Scan(t.req.Body, e.o.Limits); fault != nil {
		return e.fault(t, fault)
	}
	e.span(t)
	return e.decideMessage(ctx, t)
}

func (e *Engine) decideMessage(ctx context.Context, t *turn) Decision {
	if known(t.version) { // an unknown one is refused for what it is, where it matters
		if fault := wire.CheckEra(t.era, t.msg); fault != nil {
			return e.fault(t, fault)
		}
	}
	switch t.msg.Kind {
	case wire.Batch:
		return e.batchArray(t)
	case wire.Response:
		t.labels.Method = "response"
		return e.pass(t)
	}
	t.labels.Method = knownMethod(t.msg.Method)
	if t.msg.Kind == wire.Notification {
		if t.msg.Method == "notifications/cancelled" {
			e.running.cancel(t)
		}
		return e.pass(t)
	}
	switch t.msg.Method {
	case "tools/list":
		return e.toolsList(t)
	case "tools/call":
		return e.toolsCall(ctx, t)
	case "initialize", "server/discover":
		return e.merge(t)
	}
	return e.pass(t)
}

// batchArray relays a JSON-RPC batch where the protocol still has them (2025-03-26) and none of its elements is ours
// to decide; anything else is refused, since one answer can't be both ours and the upstream's.
func (e *Engine) batchArray(t *turn) Decision {
	t.labels.Method = "batch"
	if t.era == wire.Modern {
		return e.fault(t, wire.CheckHeaders(t.req.Header, t.msg))
	}
	allowed := t.version == "" || t.version == "2025-03-26"
	for _, m := range t.msg.Elements {
		switch m.Method {
		case "initialize", "tools/list", "tools/call", "server/discover":
			allowed = false
		}
	}
	if !allowed {
		return e.fault(t, &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusBadRequest, Reason: "batch_array",
			Message: "batches are not taken here: send each message as a request of its own (several reads at once: call_read_tools)"})
	}
	return e.pass(t)
}

// knownMethod keeps free text out of labels.
func knownMethod(method string) string {
	switch method {
	case "initialize", "server/discover", "ping", "tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list",
		"resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe", "completion/complete",
		"logging/setLevel", "subscriptions/listen", "tasks/get", "tasks/update", "tasks/cancel", "tasks/list", "tasks/result",
		"notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed":
		return method
	}
	return "other"
}
