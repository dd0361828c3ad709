package caller

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// defaultHeader is the identity header when the operator names none.
const defaultHeader = "Authorization"

// Identifier turns the headers of a request into a Caller. It is safe for
// concurrent use and never changes after NewIdentifier.
type Identifier struct {
	names  []string // canonical, sorted, each once
	secret func() []byte
}

// NewIdentifier returns an Identifier that knows callers by the named request
// headers (any case), or by Authorization when none is named. It refuses
// names that can't say who asks: malformed names, pseudo headers, hop-by-hop
// headers (RFC 9110 §7.6.1), headers that frame or route a message, and the
// headers of MCP itself. The error lists every refused name.
func NewIdentifier(headerNames []string) (*Identifier, error) {
	if len(headerNames) == 0 {
		headerNames = []string{defaultHeader}
	}
	var names []string
	var faults []error
	for _, given := range headerNames {
		name := http.CanonicalHeaderKey(strings.TrimSpace(given))
		if why := refusal(name); why != "" {
			faults = append(faults, fmt.Errorf("%q can't identify a caller: %s; name a header that carries a credential, such as Authorization", given, why))
			continue
		}
		names = append(names, name)
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	slices.Sort(names)

	secret := make([]byte, sha256.Size)
	_, _ = rand.Read(secret) // never fails: crypto/rand ends the program instead
	return &Identifier{
		names: slices.Compact(names),
		// Behind a func, so that printing an Identifier can't show it.
		secret: func() []byte { return secret },
	}, nil
}

// Nobody returns an Identifier for which every request comes from the same
// caller, who has no headers: where the operator's own credentials count and
// all share what they lead to.
func Nobody() *Identifier {
	return &Identifier{secret: func() []byte { return nil }}
}

// Identify returns the caller of a request with these headers. Header names
// are matched without regard to case; of each name all values count, in
// order.
func (i *Identifier) Identify(h http.Header) Caller {
	mac := hmac.New(sha256.New, i.secret())
	held := make(http.Header, len(i.names))
	for _, name := range i.names {
		values := valuesOf(h, name)
		if len(values) > 0 {
			held[name] = values
		}
		writePart(mac, name)
		writeCount(mac, len(values))
		for _, v := range values {
			writePart(mac, v)
		}
	}
	var key Key
	mac.Sum(key[:0])
	id := identity{key: key, held: held, names: i.names}
	return Caller{reveal: func() identity { return id }}
}

// valuesOf returns a copy of every value of the header, also of values kept
// under a name that isn't in canonical form.
func valuesOf(h http.Header, canonical string) []string {
	values := slices.Clone(h[canonical])
	var others []string
	for name := range h {
		if name != canonical && strings.EqualFold(name, canonical) {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	for _, name := range others {
		values = append(values, h[name]...)
	}
	return values
}

// writePart writes a string after its length, so that no two lists of strings
// write the same bytes.
func writePart(w hash.Hash, s string) {
	writeCount(w, len(s))
	_, _ = w.Write([]byte(s))
}

func writeCount(w hash.Hash, n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	_, _ = w.Write(b[:])
}

// refusal says why a canonical header name can't be an identity header, or
// returns "".
func refusal(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case strings.HasPrefix(name, ":"):
		return "it is a pseudo header"
	case !httpguts.ValidHeaderFieldName(name):
		return "it isn't a header name (RFC 9110 §5.1)"
	case hopByHop(name):
		return "it belongs to one connection, not to a caller"
	case framing(name):
		return "it describes the message, not the caller"
	case strings.HasPrefix(name, "Mcp-"):
		return "it belongs to the protocol"
	}
	return ""
}

// hopByHop reports a header that ends at the next connection
// (RFC 9110 §7.6.1 and its older companions).
func hopByHop(name string) bool {
	switch name {
	case "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate",
		"Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Http2-Settings":
		return true
	}
	return false
}

// framing reports a header that we set ourselves on requests of our own, or
// that differs between two requests of one caller.
func framing(name string) bool {
	switch name {
	case "Host", "Content-Length", "Content-Type", "Content-Encoding", "Accept",
		"Accept-Encoding", "Last-Event-Id", "Traceparent", "Tracestate", "Expect", "Date":
		return true
	}
	return false
}
