package member

import (
	"fmt"
	"net/http"

	"mcp-toolsearch/sidecar/upstream"
)

// Error is a failure of one server. It never holds a value from a request or
// an answer.
type Error struct {
	Server string
	Kind   upstream.Kind
	Status int    // HTTP status, 0 when there was none
	Detail string // what was wrong, in our words
	// Waiting says that nothing was sent: the server was down a moment ago and is
	// not tried before its pause is over.
	Waiting bool
	// Unsent says that the request can't have reached the server.
	Unsent bool

	noted bool  // health knows
	whole bool  // Detail says what to do next
	cause error // nil, or one of ours
	// advice is what to do next; "" is what the kind says.
	advice string
}

// Unwrap gives a cause of ours: nothing of it is a value of a request.
func (e *Error) Unwrap() error { return e.cause }

// Error says what happened, to which server, and what to do next.
func (e *Error) Error() string {
	text := "server " + e.Server + " " + e.Kind.String()
	if e.Status != 0 {
		text += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.whole {
		return text
	}
	return text + "; " + e.next()
}

func (e *Error) next() string {
	if e.Waiting {
		return "try again in a moment, or check that the server is running"
	}
	if e.advice != "" {
		return e.advice
	}
	switch e.Kind {
	case upstream.Unreachable:
		return "check that the server is up and that its address is right"
	case upstream.TimedOut:
		return "check why the server is slow, or allow it more time (timeout, listTimeout, openTimeout)"
	case upstream.Garbage:
		return "check that the address leads to an MCP server over streamable HTTP"
	case upstream.TooLarge:
		return "have the server list less, or raise the limit"
	case upstream.Endless:
		return "report the paging loop to the server's maintainers"
	}
	switch e.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "check that its address is right, path included"
	case http.StatusTooManyRequests:
		return "try again later, or have the server allow more requests"
	}
	return "check the server's log for the reason"
}

// AuthError is a 401 or 403 with its challenge: the client must log in, or may
// not do this.
type AuthError struct {
	Server    string
	Status    int
	Challenge []string // the WWW-Authenticate values as they came
}

// Error names the status only: challenges may hold values.
func (e *AuthError) Error() string {
	return fmt.Sprintf("server %s answered HTTP %d; log in again, ask for access, or check the configured token", e.Server, e.Status)
}

// GoString keeps the challenge out of %#v too.
func (e *AuthError) GoString() string { return e.Error() }
