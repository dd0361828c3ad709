package sidecar

import (
	"net/http"

	"mcp-toolsearch/sidecar/wire"
)

// Request is one HTTP request on a search route, as a door received it.
type Request struct {
	Method    string      // HTTP method
	Path      string      // :path as received, with its query
	Authority string      // :authority or Host
	Scheme    string      // "http" or "https" as the client used it; empty means http
	Header    http.Header // canonical keys; no pseudo headers
	Body      []byte      // the whole body; nil when there is none

	// UpstreamHost is the host that requests of our own name, where the upstream is not behind the client's own
	// authority; empty means Authority.
	UpstreamHost string

	// Trace is the gateway's own span that the request belongs to, where the door knows it apart from the request's headers.
	Trace wire.Trace

	// Reroutes says that a gateway carries the request and picks its route by the decision's path.
	Reroutes bool

	// Notify sends one JSON-RPC message to the client ahead of the answer, which is then HTTP 200 whatever it says. It is
	// nil where the door or the client can't. It is called by one goroutine at a time, and not after the decision.
	Notify func(message []byte)
}

// Kind says what a door does with a request.
type Kind int

// The four decisions.
const (
	Pass    Kind = iota // carry it to the aggregate route as it is
	Answer              // answer here; nothing reaches an upstream
	Forward             // carry the rewritten call to the aggregate route
	Merge               // carry it to the aggregate route and edit the answer
)

// String returns the decision's label in logs and metrics.
func (k Kind) String() string {
	return [...]string{"pass", "answer", "forward", "merge"}[k]
}

// Labels describe a decision in logs and metrics. Every value comes from a closed set or from the caller's catalog,
// never from the request's free text.
type Labels struct {
	Method   string // JSON-RPC method when it is one of the protocol's, else "other"; HTTP method without a body
	MetaTool string // which of the five, or ""
	Tool     string // the inner tool's name when it is in the caller's catalog
	Outcome  string // "ok", "refused", "fault", "relayed"
	Reason   string // why, for refusals and faults
	Detail   string // of catalog_unavailable: how the listing failed, as in mcp_toolsearch_catalog_listings_total; for the log only
	Era      string // "legacy" or "modern"

	// RequestID joins the lines about a request: the gateway's x-request-id when it is a UUID, else one of ours. For the
	// log only.
	RequestID string
	// TraceID joins them with the request's trace: 32 hexadecimal digits, or "" when it isn't recorded. For the log and for
	// exemplars.
	TraceID string
}

// Decision is what a door has to do, as plain values.
type Decision struct {
	Kind Kind

	// Answer.
	Status int
	Header http.Header
	Body   []byte

	// Pass, Forward and Merge: where the request goes and how its headers change.
	Path         string
	SetHeader    http.Header
	RemoveHeader []string

	// Forward: the body that replaces the received one.
	NewBody []byte

	Labels   Labels
	handedOn bool // this engine decides it when it comes by another door, and is observed there
	edit     edit
}

// edit says what may be changed in an upstream's answer.
type edit struct {
	merge    bool   // initialize or server/discover: instructions
	discover bool   // server/discover: cacheScope too
	tool     string // forwarded call: its name and schema go into an invalid-params answer
	schema   []byte
	repaired int // places decoded from JSON text
	view     view
	carried  *carried // open spans, when the request is traced
}
