package relay

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"mcp-toolsearch/sidecar/wire"
)

// authorise checks the token that --token-file asks of clients, and takes it out of the request: it is this door's and
// goes nowhere else. A browser's question before a request carries none, and the metadata of logins needs none.
func (d *Door) authorise(h http.Header, r *http.Request) *wire.Fault {
	if d.o.Bearer == nil {
		return nil
	}
	values := r.Header.Values("Authorization")
	r.Header.Del("Authorization")
	if preflight(r) || strings.HasPrefix(r.URL.Path, "/.well-known/") { // the metadata is readable for all
		return nil
	}
	switch {
	case len(values) == 0:
		h.Set("WWW-Authenticate", `Bearer realm="mcp-toolsearch"`)
		return &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusUnauthorized, Reason: "token_missing",
			Message: "this server wants a token: send the one of --token-file as Authorization: Bearer"}
	case len(values) == 1 && equalToken(values[0], d.o.Bearer()):
		return nil
	}
	h.Set("WWW-Authenticate", `Bearer realm="mcp-toolsearch", error="invalid_token"`)
	return &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusUnauthorized, Reason: "token_refused",
		Message: "this token is not the one of --token-file: send that as Authorization: Bearer"}
}

// equalToken compares without telling by its time how much is right (RFC 6750 §2.1 for the form).
func equalToken(value, token string) bool {
	scheme, sent, _ := strings.Cut(value, " ")
	a, b := sha256.Sum256([]byte(strings.TrimSpace(sent))), sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && strings.EqualFold(scheme, "Bearer") && token != ""
}
