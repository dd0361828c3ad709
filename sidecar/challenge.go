package sidecar

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// wellKnownPrefix is where protected-resource metadata lives (RFC 9728 §3.1): the resource's path comes after it.
const wellKnownPrefix = "/.well-known/oauth-protected-resource"

// RepairedHeader is set on an answer when arguments sent as JSON text were decoded; its value is the number of places.
const RepairedHeader = "X-Mcp-Tool-Repaired"

// resourceMetadata finds the parameter of a challenge (RFC 9728 §5.1), quoted or as a token. It finds other quoted
// texts too, without the first group, so that nothing is found inside them.
var resourceMetadata = regexp.MustCompile(`(?i)(\bresource_metadata\s*=\s*)("(?:[^"\\]|\\.)*"|[^\s,"]+)|"(?:[^"\\]|\\.)*"`)

// publicURL is where clients find the search route.
func (e *Engine) publicURL(req Request) string {
	if e.o.PublicURL != "" {
		return strings.TrimSuffix(e.o.PublicURL, "/")
	}
	scheme := req.Scheme
	if scheme == "" {
		scheme = "http"
	}
	return scheme + "://" + req.Authority
}

// rewriteChallenge points a challenge to the search route's own metadata: the document's resource must be the URL
// that the client connected to, or its login fails.
func (e *Engine) rewriteChallenge(req Request, route Route, challenge string) string {
	own := `"` + e.publicURL(req) + wellKnownPrefix + route.Search + `"`
	return resourceMetadata.ReplaceAllStringFunc(challenge, func(match string) string {
		if name := resourceMetadata.FindStringSubmatch(match)[1]; name != "" {
			return name + own
		}
		return match
	})
}

// AnswerHeader returns the headers of an upstream's answer that change: a challenge points to the search route, and a
// repair leaves its receipt. A 401 or 403 also ends the caller's cached catalog.
func (e *Engine) AnswerHeader(d *Decision, req Request, status int, h http.Header) http.Header {
	set := http.Header{}
	d.edit.carried.answered(status)
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		e.o.Catalogs.Forget(d.edit.view.request())
		path, _, _ := strings.Cut(req.Path, "?")
		for _, c := range h.Values("Www-Authenticate") {
			set.Add("Www-Authenticate", e.rewriteChallenge(req, e.routes[path], c))
		}
	}
	if d.edit.repaired > 0 {
		set.Set(RepairedHeader, strconv.Itoa(d.edit.repaired))
	}
	return set
}

// wellKnown serves the protected-resource metadata of a search route: the aggregate route's own document with the
// search route as its resource.
func (e *Engine) wellKnown(ctx context.Context, t *turn) (Decision, bool) {
	path, _, _ := strings.Cut(t.req.Path, "?")
	search, ok := strings.CutPrefix(path, wellKnownPrefix)
	if !ok {
		return Decision{}, false
	}
	t.labels.Method, t.labels.Outcome = "metadata", "ok"
	if t.route, ok = e.routes[search]; !ok {
		return e.noMetadata(t, http.StatusNotFound, "no_metadata", "this path is not a search route's"), true
	}
	switch t.req.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions: // clients in browsers ask before they send the version header
		h := http.Header{"Access-Control-Allow-Origin": {"*"}, "Access-Control-Allow-Methods": {"GET"}, "Access-Control-Allow-Headers": {"*"}}
		return Decision{Kind: Answer, Status: http.StatusNoContent, Header: h}, true
	default:
		d := e.noMetadata(t, http.StatusMethodNotAllowed, "metadata_method", "the metadata is read by GET")
		d.Header.Set("Allow", "GET")
		return d, true
	}
	t.target = e.target(t.route, t.req)
	doc, err := e.metadata(ctx, t)
	switch {
	case err != nil && !saysNone(err): // not 404: that would mean "no login needed"
		return e.noMetadata(t, http.StatusServiceUnavailable, "metadata_unavailable", "the aggregate route's metadata can't be read just now"), true
	case err != nil:
		return e.noMetadata(t, http.StatusNotFound, "no_metadata", "the aggregate route has no protected-resource metadata"), true
	}
	h := jsonHeader()
	h.Set("Access-Control-Allow-Origin", "*") // browsers' clients read it before they can log in; nothing in it is secret
	return Decision{Kind: Answer, Status: http.StatusOK, Header: h, Body: doc}, true
}

// saysNone tells an upstream that has no metadata from one that can't give it just now.
func saysNone(err error) bool {
	var up *upstream.Error
	if !errors.As(err, &up) || up.Kind != upstream.BadStatus {
		return false
	}
	return up.Status == http.StatusNotFound || up.Status == http.StatusMethodNotAllowed || up.Status == http.StatusGone
}

// noMetadata answers a metadata request in the form of OAuth errors: it is no JSON-RPC.
func (e *Engine) noMetadata(t *turn, status int, reason, text string) Decision {
	t.labels.Outcome, t.labels.Reason = "fault", reason
	return Decision{Kind: Answer, Status: status, Header: jsonHeader(), Body: []byte(`{"error":` + quote(reason) + `,"error_description":` + quote(text) + `}`)}
}

func (e *Engine) metadata(ctx context.Context, t *turn) ([]byte, error) {
	base, err := url.Parse(e.o.Upstream)
	if err != nil {
		return nil, err
	}
	base.Path = wellKnownPrefix + t.route.Aggregate
	doc, err := e.o.Upstreams.Metadata(ctx, upstream.Target{URL: t.target.URL, Authority: t.target.Authority}, base.String())
	if err != nil { // servers of one resource often publish it at the root only
		base.Path = wellKnownPrefix
		doc, err = e.o.Upstreams.Metadata(ctx, t.target, base.String())
	}
	if err != nil {
		return nil, err
	}
	return wire.SetField(doc, "resource", wire.Quote(e.publicURL(t.req)+t.route.Search))
}
