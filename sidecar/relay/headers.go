package relay

import (
	"net/http"
	"strings"

	"mcp-toolsearch/sidecar/wire"
)

// hopPrefix begins the names of doors in Via (RFC 9110 §7.6.3), each with a random part of its own.
const hopPrefix = "mcp-toolsearch-"

// maxHops is how many doors of any process a request may pass: behind a load balancer a loop visits others first.
const maxHops = 4

// forwardedNames are the request headers that go upstream: who asks, and what the protocol needs.
func forwardedNames(callerHeaders []string) map[string]bool {
	names := map[string]bool{"Accept": true, "Accept-Encoding": true, "Content-Type": true, "Last-Event-Id": true,
		"Traceparent": true, "Tracestate": true, wire.JudgedHeader: true}
	if len(callerHeaders) == 0 {
		callerHeaders = []string{"Authorization"}
	}
	for _, name := range callerHeaders {
		names[http.CanonicalHeaderKey(strings.TrimSpace(name))] = true
	}
	return names
}

// onward is the part of a request's headers that goes upstream.
func (d *Door) onward(in http.Header) http.Header {
	out := http.Header{}
	for name, values := range in {
		if d.forwarded[name] || strings.HasPrefix(name, "Mcp-") || d.o.Unfiltered && !connectionHeader(name) {
			out[name] = values
		}
	}
	out.Set("User-Agent", "mcp-toolsearch/"+d.o.Version)
	for _, hop := range hops(in) {
		out.Add("Via", "1.1 "+hop)
	}
	out.Add("Via", "1.1 "+d.hop)
	return out
}

// connectionHeader tells the headers of one connection (RFC 9110 §7.6.1), and those that are set anew.
func connectionHeader(name string) bool {
	switch name {
	case "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
		"Content-Length", "Host", "Via", "User-Agent", "Origin", "Cookie", "Expect":
		return true
	}
	return false
}

// hops are the doors that a request has passed. What else Via names is dropped: it isn't ours to pass on.
func hops(h http.Header) []string {
	var passed []string
	for _, value := range h.Values("Via") {
		for entry := range strings.SplitSeq(value, ",") {
			if words := strings.Fields(entry); len(words) > 1 && strings.HasPrefix(words[1], hopPrefix) {
				passed = append(passed, words[1])
			}
		}
	}
	return passed
}

// looped says that a request has passed this door, or too many.
func (d *Door) looped(h http.Header) bool {
	passed := hops(h)
	for _, hop := range passed {
		if hop == d.hop {
			return true
		}
	}
	return len(passed) > maxHops
}

// ownHeaders makes an answer's headers this door's: those for the upstream's own browsers' clients say nothing about ours.
func ownHeaders(h http.Header, stream bool) {
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			delete(h, name)
		}
	}
	if stream {
		h.Set("X-Accel-Buffering", "no") // a proxy in front must not wait for the end either
	}
}
