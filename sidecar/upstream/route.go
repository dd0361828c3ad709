package upstream

import (
	"bytes"
	"context"
	"net/http"
	"net/url"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/wire"
)

// route is one target as one caller.
type route struct {
	c      *Client
	target Target
	who    caller.Caller
	trace  wire.Trace
}

func (c *Client) route(t Target, who caller.Caller, trace wire.Trace) (*route, error) {
	if _, err := parseTarget(t); err != nil {
		return nil, err
	}
	return &route{c: c, target: t, who: who, trace: trace}, nil
}

// parseTarget refuses URLs that can't be asked, and those with a user: net/http
// would turn it into credentials of our own.
func parseTarget(t Target) (*url.URL, error) {
	u, err := url.Parse(t.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, &Error{Kind: Unreachable, Detail: "the aggregate route's URL is not an absolute http or https URL"}
	}
	if u.User != nil {
		return nil, &Error{Kind: Unreachable, Detail: "the aggregate route's URL must not hold a user or password"}
	}
	return u, nil
}

// hop is what decides the headers of a request besides who asks.
type hop struct {
	era     wire.Era
	version string // MCP-Protocol-Version; "" sends none
	session string // legacy only
	method  string
	name    string // of a tools/call
	params  http.Header
	judged  string
}

// headers are all headers of a POST: identity, protocol, nothing else (spec
// 2026-07-28 basic/transports/streamable-http, 2025-11-25 basic/transports).
func (r *route) headers(p hop) http.Header {
	h := http.Header{}
	r.who.Apply(h)
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	r.setShared(h)
	if p.method != "tools/call" {
		// Present but empty, it isn't sent: net/http then tries once more when the
		// server closed a kept connection at that moment. A call must not run twice.
		h["Idempotency-Key"] = []string{}
	}
	if p.judged != "" {
		h.Set(wire.JudgedHeader, p.judged)
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
	h.Set("Mcp-Method", p.method)
	if p.name != "" {
		h.Set("Mcp-Name", wire.EncodeValue(p.name))
	}
	for name, values := range p.params {
		if wire.IsParamHeader(name) && len(values) > 0 {
			h.Set(name, values[0])
		}
	}
	return h
}

func (r *route) setShared(h http.Header) {
	h.Set("User-Agent", "mcp-toolsearch/"+r.c.opt.Version)
	r.trace.Apply(h)
}

// send sends a request and gives the answer, whose body must be closed.
func (r *route) send(ctx context.Context, method string, h http.Header, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.target.URL, bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Kind: Unreachable, Detail: "the request could not be made"}
	}
	req.Header = h
	if r.target.Authority != "" {
		req.Host = r.target.Authority
	}
	wire.Once(req)
	resp, err := r.c.http.Do(req)
	if err != nil {
		return nil, TransportFailure(ctx, err)
	}
	return resp, nil
}
