package member

import (
	"context"
	"errors"
	"net/http"

	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// errLost says that the session of a listing was lost.
var errLost = errors.New("the session is lost")

// List reads all pages of tools/list, prompts/list, resources/list or
// resources/templates/list as c: the raw items in order. A server that says it
// has none of a kind is not asked, but for tools. Errors are *Error,
// *AuthError or the context's.
func (m *Member) List(ctx context.Context, c Client, method string) ([][]byte, error) {
	within, cancel := context.WithTimeout(ctx, m.o.Server.ListTimeout)
	defer cancel()
	s, err := m.Session(within, c, "")
	if err != nil {
		return nil, err
	}
	items, err := s.list(within, method)
	return items, m.notice(ctx, err)
}

// list reads all pages, and starts over when the session is lost on the way.
func (s *Session) list(ctx context.Context, method string) ([][]byte, error) {
	m := s.m
	leave := s.s.enter()
	defer leave()
	if !s.has(ctx, method) {
		return nil, nil
	}
	p, o, err := s.listHop(ctx, method)
	if err != nil {
		return nil, err
	}
	items, err := s.pages(ctx, p, o)
	if errors.Is(err, errLost) {
		if o, err = s.s.reset(ctx, s.c, s.who, o); err != nil {
			return nil, settled(err)
		}
		items, err = s.pages(ctx, o.hop(method), o)
	}
	if errors.Is(err, errLost) {
		err = &Error{Server: m.Name(), Kind: upstream.BadStatus, Status: http.StatusNotFound, Detail: method + ": the server forgot the session twice"}
	}
	if err == nil && method == "tools/list" && p.era == wire.Modern {
		m.eras.setParams(paramHeaders(items))
	}
	return items, err
}

func (s *Session) listHop(ctx context.Context, method string) (hop, *opened, error) {
	if s.era == wire.Modern {
		return s.modernHop(method), nil, nil
	}
	o, err := s.s.ensure(ctx, s.c, s.who)
	if err != nil {
		return hop{}, nil, settled(err)
	}
	return o.hop(method), o, nil
}

// has says whether the server may have what a method lists. Some servers answer
// an unknown method with text nobody can tell from a failure.
func (s *Session) has(ctx context.Context, method string) bool {
	capability := "resources"
	switch method {
	case "tools/list":
		return true
	case "prompts/list":
		capability = "prompts"
	}
	d, err := s.describe(ctx)
	return err != nil || d.Capabilities == nil || member(d.Capabilities, capability) != nil
}

// pages reads page after page.
func (s *Session) pages(ctx context.Context, p hop, o *opened) ([][]byte, error) {
	m := s.m
	budget := m.o.MaxBytes
	collected := upstream.NewPages(upstream.Options{MaxPages: m.o.MaxPages, MaxTools: m.o.MaxItems}, p.era, p.method)
	var meta, cursor []byte
	if p.era == wire.Modern {
		meta = m.meta(s.c, "")
	}
	for {
		rep, err := m.ask(ctx, s.who, p, listParams(meta, cursor), &budget)
		if err != nil {
			return nil, err
		}
		switch {
		case rep.Status < 400 && rep.Answer.Error.Absent():
		case p.session != "" && (rep.Status == http.StatusNotFound || rep.Status == http.StatusGone || rep.Status == http.StatusBadRequest && !s.alive(ctx, o)):
			return nil, errLost
		case rep.Answer != nil && rep.Answer.ErrorCode == wire.CodeMethodNotFound && p.method != "tools/list":
			return nil, nil
		default:
			return nil, m.failure(rep.Refusal(p.method))
		}
		if cursor, err = collected.Add(rep.Answer.Result.In(rep.Answer.Body)); err != nil {
			return nil, m.failure(err)
		}
		if cursor == nil {
			return collected.Listing().Tools, nil
		}
	}
}

// listParams are the params of a listing; cursor is a raw token, nil at first.
func listParams(meta, cursor []byte) []byte {
	var fields [][]byte
	if meta != nil {
		fields = append(fields, append([]byte(`"_meta":`), meta...))
	}
	if cursor != nil {
		fields = append(fields, append([]byte(`"cursor":`), cursor...))
	}
	return object(fields...)
}

// object joins raw members.
func object(fields ...[]byte) []byte {
	b := []byte{'{'}
	for i, f := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, f...)
	}
	return append(b, '}')
}

// paramHeaders are the headers that tools mirror from their arguments, by name.
func paramHeaders(tools [][]byte) map[string][]wire.ParamHeader {
	found := map[string][]wire.ParamHeader{}
	for _, tool := range tools {
		name, _ := wire.String(member(tool, "name"))
		headers, err := wire.ParamHeaders(member(tool, "inputSchema"))
		if err == nil && len(headers) > 0 {
			found[name] = headers
		}
	}
	return found
}
