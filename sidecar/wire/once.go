package wire

import "net/http"

// Once keeps net/http from sending a request a second time. It does so by
// itself, when a connection breaks that was used before, for a request with a
// key by which a server could tell that it has seen it; few do, and a call may
// have run. What was never written is still sent on another connection.
func Once(r *http.Request) {
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		if len(r.Header[name]) > 0 { // an empty list is how we ask for it, of what only reads
			r.GetBody = nil
		}
	}
}
