package upstreamtest

import (
	"net/http"
	"time"
)

// Eras says which protocol eras the server speaks.
type Eras int

// The choices of Eras.
const (
	Both       Eras = iota
	ModernOnly      // initialize gives -32601 (HTTP 404 when the header is modern, else 400)
	LegacyOnly      // modern requests give the answer of Behaviour.Refusal
)

// Refusal is how a LegacyOnly server answers a modern request.
type Refusal int

// The refusals seen in the field (recorded from Go and Python servers).
const (
	RefuseVersion     Refusal = iota // 400, -32022 with the legacy versions (Go, stateful)
	RefuseSession                    // 400, -32600 "Bad Request: Missing session ID", id null (Python)
	RefusePlain                      // 400, plain text
	RefuseEmpty                      // 400, no body
	RefuseNotFound                   // 404, no body
	RefuseNotAllowed                 // 405, no body
	RefuseMethod                     // 200, -32601
	RefuseUnsupported                // 200, -32022
)

// Behaviour is how the server answers when nothing is broken. The zero value
// speaks both eras, answers in JSON with a content length, one page, ttlMs 0.
type Behaviour struct {
	Eras      Eras
	Refusal   Refusal
	Stateless bool          // legacy without session ids
	SSE       bool          // answers to requests are SSE streams, not JSON
	Prime     bool          // SSE streams start with an `event: prime` without data
	Chatter   bool          // SSE streams of lists carry a notification, a server request and a comment first
	Chunked   bool          // no content length
	PageSize  int           // tools on a page; 0 = all on one
	TTL       string        // raw JSON of ttlMs in modern lists; "" = 0
	ListDelay time.Duration // wait before a list's answer, ended by the client leaving
	// Instructions are given by initialize and server/discover.
	Instructions string
	// LegacyVersion is what initialize negotiates; "" = the client's when it
	// is a legacy one, else 2025-11-25.
	LegacyVersion string
}

// FaultKind is a way to break.
type FaultKind int

// The faults.
const (
	Hang           FaultKind = iota + 1 // no answer until the client leaves or the server closes
	Garbage                             // 200, application/json, not JSON
	HTML                                // 200, text/html
	Status                              // Fault.Status with Fault.Header and Fault.Body
	EndlessPages                        // every list has one more page, with a new cursor
	LoopedCursor                        // every list has one more page, with the same cursor
	CloseMidAnswer                      // headers and half a body, then the connection breaks
	CloseAtOnce                         // the connection breaks before any byte
	InvalidParams                       // JSON-RPC -32602 (HTTP 400 in the modern era)
	ForgetSession                       // the request's session is forgotten: 404, as all later ones in it
	WrongID                             // the answer carries an id nobody sent
	Trickle                             // headers and SSE comments, no answer, until the client leaves
	Result                              // Fault.Body is the raw result of the answer
)

// Fault breaks requests of one method.
type Fault struct {
	Kind   FaultKind
	Status int         // for Status
	Header http.Header // for Status
	Body   string      // for Status (Content-Type from Header, else application/json) and Result
	Skip   int         // let this many requests pass first
	Times  int         // break this many requests, then heal; 0 = until Heal
}

// Script is how one tool answers tools/call. The zero value answers with a text
// block that names the tool.
type Script struct {
	Result  string // raw JSON result object
	Code    int    // a JSON-RPC error instead, when not 0
	Message string
	Data    string // raw JSON of error.data
	// Error is the raw JSON of the whole error instead; "" = none.
	Error string
	// Events are raw JSON-RPC messages sent before the answer; they make it an
	// SSE stream.
	Events []string
	// AwaitResponses is the number of JSON-RPC responses the client must POST
	// (to requests among Events) before the answer comes.
	AwaitResponses int
	// Gate withholds the answer until it is closed (or the client leaves).
	Gate <-chan struct{}
	// Status overrides the HTTP status; 0 = what the era wants.
	Status int
}
