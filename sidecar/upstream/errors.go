package upstream

import (
	"fmt"
	"net/http"
)

// Kind says what went wrong with an upstream; it doubles as a metric label.
type Kind int

// The kinds of failure.
const (
	// Unreachable: no connection, or it broke before the answer was complete.
	Unreachable Kind = iota
	// TimedOut: the time for a listing or the caller's own deadline ended.
	TimedOut
	// Garbage: the answer is not MCP.
	Garbage
	// TooLarge: more pages, tools or bytes than the limits allow.
	TooLarge
	// Endless: the same cursor came twice.
	Endless
	// Refused: a JSON-RPC error to a request that must work, or a request to
	// the client in the middle of a call of ours.
	Refused
	// BadStatus: an HTTP status that is no answer (5xx, redirects, …).
	BadStatus
)

var kindTexts = [...]string{"unreachable", "timed_out", "garbage", "too_large", "endless", "refused", "bad_status"}

// String is a stable label.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindTexts) {
		return "unknown"
	}
	return kindTexts[k]
}

// Error is a failure that has nothing to do with who asks. It never holds a
// value from a request or an answer.
type Error struct {
	Kind   Kind
	Status int    // HTTP status, 0 when there was none
	Detail string // what was being done and what was wrong, in our words

	advice string // what to do next; "" = what the kind says
}

// Error says what happened and what to do next.
func (e *Error) Error() string {
	text := "upstream " + e.Kind.String()
	if e.Status != 0 {
		text += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text + "; " + e.next()
}

func (e *Error) next() string {
	if e.advice != "" {
		return e.advice
	}
	switch e.Kind {
	case Unreachable:
		return "check that the server, or the gateway in front of it, is up and that the address is right"
	case TimedOut:
		return "check which server is slow, or allow more time"
	case Garbage:
		return "check that the address leads to an MCP server over streamable HTTP"
	case TooLarge:
		return "narrow what is listed, or raise --max-tools, --max-listing or --max-pages"
	case Endless:
		return "report the paging loop to the server's maintainers"
	case Refused:
		return "check the server's log for the reason"
	}
	switch e.Status {
	case http.StatusTooManyRequests:
		return "try again later, or raise the limit for this caller at the gateway or the server"
	case http.StatusNotFound:
		return "check the path: behind Envoy --upstream is the gateway's address, which must serve the aggregate paths of --routes; search, and whoever has no gateway, takes an MCP server's whole URL"
	}
	return "check the server's log, and the gateway's route where there is one"
}

// AuthError is a 401 or 403 with its challenge: the caller must log in, or may
// not do this. It is never cached.
type AuthError struct {
	Status    int
	Challenge []string // the WWW-Authenticate values as they came
}

// Error names the status only: challenges may hold values.
func (e *AuthError) Error() string {
	return fmt.Sprintf("upstream answered HTTP %d; the caller must log in again or ask for access", e.Status)
}

// GoString keeps the challenge out of %#v too.
func (e *AuthError) GoString() string { return e.Error() }
