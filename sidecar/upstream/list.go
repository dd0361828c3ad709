package upstream

import (
	"context"
	"errors"
	"net/http"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/wire"
)

// otherEraError says that the upstream doesn't speak the era it was asked in.
type otherEraError struct{ cause error }

func (e *otherEraError) Error() string { return "the upstream speaks another era" }

// List reads the whole tools/list of t as who: modern first, then the legacy
// era when the answer says so. The era that worked is remembered per target
// until a listing fails. Errors are *Error, *AuthError or the context's.
func (c *Client) List(ctx context.Context, t Target, who caller.Caller, opt ListOptions) (*Listing, error) {
	r, err := c.route(t, who, opt.Trace)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.opt.ListTimeout)
	defer cancel()
	first, then := wire.Modern, wire.Legacy
	if c.eras.get(t) == wire.Legacy {
		first, then = wire.Legacy, wire.Modern
	}
	budget := c.opt.MaxBytes
	listing, err := r.list(ctx, first, &budget)
	var other *otherEraError
	if errors.As(err, &other) {
		listing, err = r.list(ctx, then, &budget)
		if errors.As(err, &other) {
			err = other.cause
		}
	}
	c.remember(t, listing, err)
	return listing, err
}

// remember keeps what worked. Being refused as this caller, or being
// cancelled, says nothing about the era.
func (c *Client) remember(t Target, listing *Listing, err error) {
	var auth *AuthError
	switch {
	case err == nil:
		c.eras.set(t, listing.Era)
	case !errors.As(err, &auth) && !isContext(err):
		c.eras.forget(t)
	}
}

func (r *route) list(ctx context.Context, era wire.Era, budget *int64) (*Listing, error) {
	if era == wire.Modern {
		p := hop{era: wire.Modern, version: wire.ModernVersion, method: "tools/list"}
		return r.allPages(ctx, p, budget)
	}
	return r.listLegacy(ctx, budget)
}

// allPages reads page after page in one era.
func (r *route) allPages(ctx context.Context, p hop, budget *int64) (*Listing, error) {
	collected := NewPages(r.c.opt, p.era, p.method)
	var meta, cursor []byte
	if p.era == wire.Modern {
		meta = r.c.meta()
	}
	for {
		id := r.c.newID()
		rep, err := r.exchange(ctx, r.headers(p), request(id, p.method, listParams(meta, cursor)),
			Reading{ID: id, Budget: budget, MaxEvent: *budget})
		if err != nil {
			return nil, err
		}
		if err := listFailure(rep, p); err != nil {
			return nil, err
		}
		cursor, err = collected.Add(rep.Answer.Result.In(rep.Answer.Body))
		if err != nil {
			return nil, err
		}
		if cursor == nil {
			return &collected.listing, nil
		}
	}
}

// listFailure judges an answer to tools/list; nil means it has a result.
func listFailure(rep *Reply, p hop) error {
	if rep.Status < 400 && rep.Answer.Error.Absent() {
		return nil
	}
	if p.session != "" && rep.Status == http.StatusNotFound {
		return errSessionLost
	}
	err := rep.Refusal(p.method)
	if (p.era == wire.Modern && rep.SaysLegacy()) || (p.era == wire.Legacy && rep.SaysModern()) {
		return &otherEraError{cause: err}
	}
	return err
}

// Refusal is the failure behind a reply without a result, in which what was
// asked for.
func (rep *Reply) Refusal(what string) *Error {
	switch {
	case rep.Status == http.StatusTooManyRequests:
		return &Error{Kind: BadStatus, Status: rep.Status, Detail: what + " was refused by a rate limit"}
	case rep.Answer == nil:
		return &Error{Kind: BadStatus, Status: rep.Status, Detail: what + " got no JSON-RPC answer"}
	}
	return &Error{Kind: Refused, Status: rep.Status, Detail: what + " was answered with a JSON-RPC error"}
}

// SaysLegacy reads a refusal of a modern request as clients do (spec
// 2026-07-28 streamable-http, versioning): a 4xx that is no modern error means
// a legacy server. Servers in the field also say so with status 200.
func (rep *Reply) SaysLegacy() bool {
	switch rep.Status {
	case http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusTooManyRequests:
		return false // about this request, not about the era
	}
	if rep.Answer == nil {
		return rep.Status >= 400
	}
	switch rep.Answer.ErrorCode {
	case wire.CodeHeaderMismatch, wire.CodeMissingCapability, wire.CodeInternal:
		return false
	case wire.CodeInvalidParams:
		return rep.Status < 400 // a modern server says 400
	}
	return true
}

// SaysModern reads a refusal of a legacy request: a server that dropped the
// legacy eras since they last worked.
func (rep *Reply) SaysModern() bool {
	if rep.Answer == nil {
		return rep.Status == http.StatusBadRequest || rep.Status == http.StatusNotFound || rep.Status == http.StatusMethodNotAllowed
	}
	switch rep.Answer.ErrorCode {
	case wire.CodeUnsupportedVersion, wire.CodeMethodNotFound, wire.CodeHeaderMismatch, wire.CodeInvalidRequest:
		return true
	}
	return false
}
