package sidecar

import (
	"crypto/rand"
	"net/http"
	"strings"
)

// requestIDHeader is how gateways name a request; Envoy makes it a UUID.
const requestIDHeader = "X-Request-Id"

// requestID is the gateway's id of a request when it is a UUID, else one of ours: any other text could be a caller's.
func requestID(h http.Header) string {
	if ids := h[requestIDHeader]; len(ids) == 1 && isUUID(ids[0]) {
		return strings.ToLower(ids[0])
	}
	return rand.Text()
}

// isUUID tells the textual form of RFC 9562 section 4, whatever the version.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
			continue
		}
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			return false
		}
	}
	return true
}
