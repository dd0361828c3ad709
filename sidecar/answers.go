package sidecar

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// supportedVersions are the protocol versions answered here; an unknown one is refused before anything else, because
// its rules for headers and envelopes are not known either.
var supportedVersions = [...]string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

func jsonHeader() http.Header { return http.Header{"Content-Type": {"application/json"}} }

// answer wraps a result for the request.
func (e *Engine) answer(t *turn, result []byte) Decision {
	t.labels.Outcome = "ok"
	return Decision{Kind: Answer, Status: http.StatusOK, Header: jsonHeader(), Body: wire.ResultBody(t.msg.ID, t.era, result)}
}

// refuse answers with a result that a model can act on (spec 2026-07-28 server/tools "Error Handling").
func (e *Engine) refuse(t *turn, r Refusal) Decision {
	t.labels.Outcome, t.labels.Reason = "refused", string(r.Reason)
	return Decision{Kind: Answer, Status: http.StatusOK, Header: jsonHeader(),
		Body: wire.ResultBody(t.msg.ID, t.era, wire.TextResult(r.Text, true))}
}

// fault answers with a JSON-RPC error.
func (e *Engine) fault(t *turn, f *wire.Fault) Decision {
	t.labels.Outcome, t.labels.Reason = "fault", f.Reason
	if f.ID == nil && t.msg != nil {
		f.ID = t.msg.ID
	}
	return Decision{Kind: Answer, Status: f.StatusFor(t.era), Header: jsonHeader(), Body: f.Body()}
}

func (e *Engine) noRoute(t *turn) Decision {
	return e.fault(t, &wire.Fault{Code: wire.CodeInvalidRequest, Status: http.StatusNotFound, Reason: "no_route",
		Message: "this path is not a search route: use one of --routes, or add this one there"})
}

// checkEra holds the header rules of the modern era on a request that is answered or rewritten here
// (spec 2026-07-28 basic/transports/streamable-http). Legacy headers decide nothing.
func (e *Engine) checkEra(t *turn) *wire.Fault {
	if !known(t.version) {
		return &wire.Fault{Code: wire.CodeUnsupportedVersion, Status: http.StatusBadRequest, Reason: "unsupported_version",
			Message: "this protocol version is not supported: use one of data.supported", Data: versionData(t.version)}
	}
	if t.era == wire.Modern {
		return wire.CheckHeaders(t.req.Header, t.msg)
	}
	return nil
}

func known(version string) bool {
	return version == "" || slices.Contains(supportedVersions[:], version)
}

func versionData(requested string) []byte {
	quoted := make([]string, len(supportedVersions))
	for i, v := range supportedVersions {
		quoted[i] = quote(v)
	}
	return []byte(`{"supported":[` + strings.Join(quoted, ",") + `],"requested":` + quote(requested) + `}`)
}

// onward is the part that all requests carried to the aggregate route share. A legacy request loses the modern
// routing headers, which decide nothing for its server but may for something on the way to it.
func (e *Engine) onward(t *turn, kind Kind) Decision {
	d := Decision{Kind: kind, SetHeader: http.Header{}, edit: edit{view: t.view()}}
	if !e.o.KeepRoute {
		_, query, has := strings.Cut(t.req.Path, "?")
		d.Path = t.route.Aggregate
		if has {
			d.Path += "?" + query
		}
	}
	if t.era == wire.Legacy {
		d.RemoveHeader = removable(t.req.Header)
	} else {
		d.RemoveHeader = ours(t.req.Header)
	}
	return d
}

// removable lists the inbound routing headers of the modern era, also those spelled with underscores, which some
// servers fold to hyphens.
func removable(h http.Header) []string {
	var names []string
	for name := range h {
		if wire.IsParamHeader(name) || spells(name, "Mcp-Method") || spells(name, "Mcp-Name") || spells(name, wire.JudgedHeader) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ours lists the inbound headers that only we may set.
func ours(h http.Header) []string {
	var names []string
	for name := range h {
		if spells(name, wire.JudgedHeader) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// spells says whether a header is the canonical one, also with underscores, which some servers fold to hyphens.
func spells(name, canonical string) bool {
	return strings.EqualFold(strings.ReplaceAll(name, "_", "-"), canonical)
}

func (e *Engine) pass(t *turn) Decision { return e.onward(t, Pass) }

// catalogFailed turns an error of a listing into what the client sees: the upstream's own challenge for 401 and 403,
// else a refusal that says what is wrong.
func (e *Engine) catalogFailed(t *turn, err error) Decision {
	var auth *upstream.AuthError
	if errors.As(err, &auth) {
		return e.challenge(t, auth)
	}
	if errors.Is(err, catalog.ErrBusy) {
		return e.overloaded(t)
	}
	t.labels.Detail = catalog.Outcome(err)
	return e.refuse(t, catalogRefusal(err))
}

// challenge passes a 401 or 403 of a request of our own on to the client, pointing to the search route's metadata.
func (e *Engine) challenge(t *turn, auth *upstream.AuthError) Decision {
	d := e.fault(t, &wire.Fault{Code: wire.CodeInvalidRequest, Status: auth.Status, Reason: "authorization",
		Message: authText(auth.Status)})
	d.Status = auth.Status
	for _, c := range auth.Challenge {
		d.Header.Add("Www-Authenticate", e.rewriteChallenge(t.req, t.route, c))
	}
	return d
}

func authText(status int) string {
	if status == http.StatusForbidden {
		return "the upstream refused this caller (HTTP 403): ask for the scope named in WWW-Authenticate"
	}
	return "the upstream wants authorization (HTTP 401): log in as WWW-Authenticate says and send the token"
}
