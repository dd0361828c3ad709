package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"mcp-toolsearch/sidecar/wire"
)

// errSessionLost says that the server forgot our session (404, spec 2025-11-25
// basic/transports "Session Management").
var errSessionLost = errors.New("the session is lost")

// listLegacy lists in a session of its own, twice when the first one is lost.
func (r *route) listLegacy(ctx context.Context, budget *int64) (*Listing, error) {
	listing, err := r.listInSession(ctx, budget)
	if errors.Is(err, errSessionLost) {
		listing, err = r.listInSession(ctx, budget)
	}
	if errors.Is(err, errSessionLost) {
		err = &Error{Kind: BadStatus, Status: http.StatusNotFound, Detail: "tools/list: the server forgot the session twice"}
	}
	return listing, err
}

func (r *route) listInSession(ctx context.Context, budget *int64) (*Listing, error) {
	p, err := r.initialize(ctx, budget)
	if err != nil {
		return nil, err
	}
	defer r.endSession(ctx, p)
	if err := r.initialized(ctx, p); err != nil {
		return nil, err
	}
	p.method = "tools/list"
	return r.allPages(ctx, p, budget)
}

// initialize opens a session and gives the hop its requests must make.
func (r *route) initialize(ctx context.Context, budget *int64) (hop, error) {
	p := hop{era: wire.Legacy, method: "initialize"}
	id := r.c.newID()
	rep, err := r.exchange(ctx, r.headers(p), request(id, p.method, r.c.initializeParams()),
		Reading{ID: id, Budget: budget, MaxEvent: *budget})
	if err != nil {
		return p, err
	}
	if err := listFailure(rep, p); err != nil {
		return p, err
	}
	p.session = rep.Header.Get("Mcp-Session-Id")
	fields, err := wire.Fields(rep.Answer.Result.In(rep.Answer.Body))
	if err != nil {
		r.endSession(ctx, p)
		return p, &Error{Kind: Garbage, Detail: "initialize: the result is not a JSON object"}
	}
	for _, f := range fields {
		if f.Key == "protocolVersion" {
			p.version, _ = wire.String(f.Value)
		}
	}
	if !strings.HasPrefix(p.version, "202") || p.version >= wire.ModernVersion {
		r.endSession(ctx, p)
		return p, &Error{Kind: Garbage, Detail: "initialize: the server chose a protocol version that was not offered"}
	}
	if p.version < "2025-06-18" {
		p.version = "" // the header came with 2025-06-18
	}
	return p, nil
}

// initialized sends the notification that ends the handshake. Servers that
// don't know it answer 4xx; only login and a lost session matter.
func (r *route) initialized(ctx context.Context, p hop) error {
	p.method = "notifications/initialized"
	status, err := r.notify(ctx, p, notification(p.method, nil))
	if err == nil && status == http.StatusNotFound && p.session != "" {
		return errSessionLost
	}
	return err
}

// notify posts a message that gets no answer.
func (r *route) notify(ctx context.Context, p hop, body []byte) (status int, err error) {
	resp, err := r.send(ctx, http.MethodPost, r.headers(p), body)
	if err != nil {
		return 0, err
	}
	defer Drain(resp)
	return resp.StatusCode, StatusFailure(resp)
}

// endSession tells the server, so that sessions don't pile up there. It has
// its own short time and its failure doesn't matter.
func (r *route) endSession(ctx context.Context, p hop) {
	if p.session == "" {
		return
	}
	ctx, cancel := parting(ctx)
	defer cancel()
	h := r.headers(p)
	h.Del("Content-Type")
	resp, err := r.send(ctx, http.MethodDelete, h, nil)
	if err == nil {
		Drain(resp)
	}
}

// Drain reads a little, so that the connection can be used again, and closes.
func Drain(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, 4<<10)
	resp.Body.Close()
}
