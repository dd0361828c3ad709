package wire

import (
	"net/http"
	"strings"
)

// JudgedHeader goes with a call of ours to a merge of ours. It says which
// server's tool was judged, and as what: between the judging and the routing
// the name may have come to mean another server's tool, or another kind.
const JudgedHeader = "X-Mcp-Toolsearch-Judged"

// As is what a tool was judged to be.
type As string

// The ways in which a call is let through.
const (
	AsRead   As = "read"   // its server says that it only reads
	AsLifted As = "lifted" // it says nothing, and the operator says that it only reads
	AsWrite  As = "write"  // whatever it does: the caller used the door for writes
)

// Judged makes the header's value.
func Judged(as As, server string) string { return string(as) + " " + EncodeValue(server) }

// ReadJudged reads the header. present is false when the request has none; ok
// is false when it can't be understood, and then nothing may run.
func ReadJudged(h http.Header) (as As, server string, present, ok bool) {
	values := h.Values(JudgedHeader)
	if len(values) == 0 {
		return "", "", false, true
	}
	kind, encoded, found := strings.Cut(values[0], " ")
	as = As(kind)
	if len(values) > 1 || !found || as != AsRead && as != AsLifted && as != AsWrite {
		return "", "", true, false
	}
	server, ok = DecodeValue(encoded)
	return as, server, true, ok
}
