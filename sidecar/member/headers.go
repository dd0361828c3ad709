package member

import (
	"net/http"
	"slices"
	"strings"

	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/wire"
)

// doorPrefix begins the names of our own doors in Via; what else stands there
// is not ours to pass on.
const doorPrefix = "mcp-toolsearch-"

// identity are the headers of a request that say who asks: configured ones, and
// what may go on of the client's. It is a func because printers that walk
// structs show unexported fields without asking; of a func they show an address.
type identity func() http.Header

// identityOf picks what of a client's headers goes to this server. With Auth
// Caller a configured Authorization is never a stand-in for a missing one of
// the caller's; without, the caller's never goes on.
func (m *Member) identityOf(in http.Header) identity {
	h := http.Header{}
	for name, values := range m.o.Server.Header {
		if name = http.CanonicalHeaderKey(name); !ownName(name) || name == "Authorization" || name == "User-Agent" || name == "Host" {
			h[name] = slices.Clone(values)
		}
	}
	allowed := []string{"Traceparent", "Tracestate"}
	for _, name := range m.o.Server.ForwardHeaders {
		if name = http.CanonicalHeaderKey(name); !ownName(name) {
			allowed = append(allowed, name)
		}
	}
	if m.o.Server.Auth == servers.Caller {
		delete(h, "Authorization")
		allowed = append(allowed, "Authorization")
	}
	for _, name := range allowed {
		if values := in[name]; len(values) > 0 {
			h[name] = slices.Clone(values)
		}
	}
	for _, hop := range doors(in) {
		h.Add("Via", hop)
	}
	return func() http.Header { return h.Clone() }
}

// ownName tells the headers that only we set, whatever is configured. Some
// servers demand a User-Agent or a Host of their own choice: those may be
// configured, but not forwarded.
func ownName(name string) bool {
	switch name {
	case "Authorization", "Via", "User-Agent", "Accept", "Accept-Encoding", "Connection", "Host", "Last-Event-Id", "Transfer-Encoding", "Te", "Trailer", "Upgrade", "Keep-Alive", "Proxy-Authorization":
		return true
	}
	return strings.HasPrefix(name, "Mcp-") || strings.HasPrefix(name, "Content-")
}

// doors are the entries of our own doors in Via: a loop is seen by them.
func doors(in http.Header) []string {
	var hops []string
	for _, value := range in.Values("Via") {
		for entry := range strings.SplitSeq(value, ",") {
			if words := strings.Fields(entry); len(words) == 2 && strings.HasPrefix(words[1], doorPrefix) {
				hops = append(hops, words[0]+" "+words[1])
			}
		}
	}
	return hops
}

// hop is what decides the headers of a request besides who asks.
type hop struct {
	era     wire.Era
	version string // MCP-Protocol-Version; "" sends none
	session string // legacy only
	method  string // of the message; "" for a response or a batch
	name    string // what Mcp-Name repeats; "" sends none
	params  http.Header
}

// headers are all headers of a POST (spec 2026-07-28
// basic/transports/streamable-http, 2025-11-25 basic/transports).
func (m *Member) headers(who identity, p hop) http.Header {
	h := who()
	m.setAgent(h)
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	if p.method != "tools/call" && p.method != "" {
		// Present but empty, it isn't sent: net/http then tries once more when the
		// server closed a kept connection at that moment. A call must not run twice.
		h["Idempotency-Key"] = []string{}
	}
	if p.version != "" {
		h.Set("Mcp-Protocol-Version", p.version)
	}
	if p.era == wire.Legacy {
		if p.session != "" {
			h.Set("Mcp-Session-Id", p.session)
		}
		return h
	}
	if p.method != "" {
		h.Set("Mcp-Method", p.method)
	}
	if p.name != "" {
		h.Set("Mcp-Name", wire.EncodeValue(p.name))
	}
	for name, values := range p.params {
		if wire.IsParamHeader(name) && len(values) > 0 {
			h[http.CanonicalHeaderKey(name)] = slices.Clone(values)
		}
	}
	return h
}

// setAgent names us: some servers refuse requests without a name, or with that
// of a library.
func (m *Member) setAgent(h http.Header) {
	if h.Get("User-Agent") == "" {
		h.Set("User-Agent", "mcp-toolsearch/"+m.o.Version)
	}
}

// passedBack are the headers of an answer that a client gets. Session ids are
// not among them: they are told by Session.ID.
func passedBack(in http.Header) http.Header {
	h := http.Header{}
	for _, name := range []string{"Content-Type", "Content-Encoding", "Cache-Control", "Retry-After", "Www-Authenticate", "Allow", "X-Accel-Buffering"} {
		if values := in[name]; len(values) > 0 {
			h[name] = slices.Clone(values)
		}
	}
	return h
}
