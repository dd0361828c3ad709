package wire

import "net/http"

// Overloaded is what a request is told that is not taken on because there is too much work. In every era it goes with
// HTTP 503 and Retry-After, which clients and gateways try again after. id may be nil: not every request is read first.
func Overloaded(id []byte) *Fault {
	return &Fault{Code: CodeInternal, Status: http.StatusServiceUnavailable, Reason: "overloaded", ID: id,
		Message: "too much is being done here just now, and nothing of this was: try again in a moment"}
}
