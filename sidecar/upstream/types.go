package upstream

import (
	"net/http"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

// Target is where requests of our own go: an aggregate route. It is comparable
// and is part of a catalog's key.
type Target struct {
	// URL is the absolute http or https URL of the aggregate route.
	URL string
	// Authority is sent as the Host header; "" means the URL's host. A gateway
	// picks its virtual host by it.
	Authority string
}

// Options bound a Client. A zero field means its default.
type Options struct {
	// Transport carries the requests; nil means a copy of the default
	// transport without compression. Redirects are never followed, whatever it is.
	Transport http.RoundTripper
	// ListTimeout bounds one whole listing (default 30 s).
	ListTimeout time.Duration
	// MaxPages bounds the pages of one listing (default 100).
	MaxPages int
	// MaxTools bounds the tools of one listing (default 20,000).
	MaxTools int
	// MaxBytes bounds the bytes read for one listing (default 64 MiB).
	MaxBytes int64
	// MaxAnswerBytes bounds one tool call's answer (default 4 MiB).
	MaxAnswerBytes int64
	// Version is the program's version, sent in User-Agent and clientInfo
	// (default "dev").
	Version string
}

// Listing is what an upstream's tools/list said, all pages together.
type Listing struct {
	// Tools are the raw JSON objects in listing order, byte for byte, each in
	// memory of its own: who keeps one keeps no page.
	Tools [][]byte
	// TTL is the shortest positive ttlMs of the pages (spec 2026-07-28
	// server/utilities/caching); 0 means not said.
	TTL time.Duration
	// Era is the era the upstream was spoken to in.
	Era wire.Era
	// Pages is the number of pages read.
	Pages int
	// Missing are the sources that an aggregate of ours says don't answer now, in
	// the listing's _meta: their tools are not in it, or from an older listing.
	Missing []string
	// Starting are those of Missing that have neither answered nor failed yet.
	Starting []string
}

// ListOptions go with one listing.
type ListOptions struct {
	// Trace is sent as it is, in headers; the zero one sends none.
	Trace wire.Trace
	// Anew says that somebody asked for a new listing: one from memory won't do.
	// A Client has no memory; it is for those that stand in front of one.
	Anew bool
}

// Call is one tools/call of ours (an item of a batch).
type Call struct {
	// Era decides the shape of the request; it is the era the caller spoke.
	Era wire.Era
	// Version is the MCP-Protocol-Version to send: in the modern era "" means
	// wire.ModernVersion, in the legacy era "" sends no header (2025-03-26).
	Version string
	// Session is the Mcp-Session-Id to send in the legacy era; "" sends none.
	Session string
	// Name is the tool's name.
	Name string
	// Arguments is the raw JSON object; nil sends {}.
	Arguments []byte
	// Meta is the raw params._meta object; nil sends the required fields of
	// the modern era with no client capabilities, and nothing in the legacy era.
	Meta []byte
	// ParamHeaders are the Mcp-Param-* headers of the modern era.
	ParamHeaders http.Header
	// Judged is the value of wire.JudgedHeader; "" sends none.
	Judged string
	// Trace is sent as it is, in headers and not in Meta; the zero one sends none.
	Trace wire.Trace
}

// CallAnswer is an upstream's answer to a Call: a Result, or a JSON-RPC error
// (Result is nil then).
type CallAnswer struct {
	// Result is the raw result object, byte for byte.
	Result []byte
	// ErrorCode, ErrorMessage and ErrorData are the JSON-RPC error's members;
	// ErrorData is raw JSON or nil. ErrorCode may be 0: some servers send it.
	ErrorCode    int
	ErrorMessage string
	ErrorData    []byte
}
