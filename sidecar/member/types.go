package member

import (
	"io"
	"net/http"
	"time"

	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// Options make a Member. Only Server.URL (or a Transport that needs none) must
// be set.
type Options struct {
	// Server is the configured server. Timeouts of zero are 180 s for a call, 120 s for
	// a listing, 20 s for opening.
	Server servers.Server
	// Transport carries the requests; nil means one of our own without proxy and
	// compression. Redirects are never followed, whatever it is.
	Transport http.RoundTripper
	// Version is the program's, sent in User-Agent and as clientInfo when a
	// client has none (default "dev").
	Version string
	// Observer is told what happens to the server; nil means nobody.
	Observer Observer
	// MaxSessions bounds the sessions kept at once (default 10,000); the one
	// used least recently goes first.
	MaxSessions int
	// IdleTimeout is how long a session without requests is kept (default 30 min).
	IdleTimeout time.Duration
	// MaxPages and MaxItems bound one listing (defaults 100 and 20,000), MaxBytes
	// its bytes (default 64 MiB).
	MaxPages, MaxItems int
	MaxBytes           int64
}

// Observer counts what happens to a server. Its methods are called by several
// goroutines at once and must not block.
type Observer interface {
	// SessionReset: a session was lost and opened anew.
	SessionReset(server string)
	// Down: the server can't be reached since now; kind says how.
	Down(server string, kind upstream.Kind)
	// Up: it answers again, or for the first time.
	Up(server string)
}

// Client says in whose name a request goes out: what an initialize or _meta
// says, and which sticky session is used. Its header is never printed.
type Client struct {
	// Era is the era the client speaks; what it sends and gets is in it.
	Era wire.Era
	// Version is its protocol version; "" means the era's newest.
	Version string
	// Capabilities and Info are raw JSON objects: of its initialize, or of _meta.
	// nil means none, and us.
	Capabilities, Info []byte
	// Key is the sticky key: the client's session, else the caller, else "" (operator
	// mode). With Auth Caller two callers must never share one.
	Key string
	// Header holds the headers of the client's request. Only these go on: those of
	// ForwardHeaders, Authorization with Auth Caller, traceparent and tracestate,
	// and the entries of our own doors in Via.
	Header http.Header
	// Shared says that the session's id is handed out in a form which other
	// replicas can resume: then only End ends it, not idleness nor Close.
	Shared bool
}

// Description is what a server says of itself in one era.
type Description struct {
	// Era is the era in which the server is spoken to for this client: the
	// client's own where the server has it.
	Era wire.Era
	// Version is the negotiated protocol version.
	Version string
	// Instructions are the server's own; "" when it has none.
	Instructions string
	// Capabilities and ServerInfo are raw JSON objects; nil when not said.
	Capabilities, ServerInfo []byte
}

// Answer is an HTTP answer in the client's era. Body is JSON or an event
// stream as Content-Type says, passed on as it comes; it must be closed, and
// closing it early cancels what is still running. Reading it may fail with an
// *Error.
type Answer struct {
	Status int
	Header http.Header // Content-Type, Retry-After, WWW-Authenticate and the like; no session id
	Body   io.ReadCloser
}

// State is how a server is doing.
type State struct {
	// Up is true before the first failure too.
	Up bool
	// Since is when it went down or came up; zero before the first answer.
	Since time.Time
	// Kind is the failure it went down with.
	Kind upstream.Kind
	// RetryAt is when the next request will be let through; zero when up.
	RetryAt time.Time
	// Failures in a row.
	Failures int
}
