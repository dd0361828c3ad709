package aggregate

import (
	"strings"

	"mcp-toolsearch/sidecar/wire"
)

// addressed sends a request about a resource to the server that has it.
func (x *exchange) addressed() {
	uri := x.msg.URI
	if uri == "" {
		x.refuse(&wire.Fault{Code: wire.CodeInvalidParams, Reason: "missing_uri", Message: "params.uri is missing: " + x.msg.Method + " needs the address of a resource as a string"})
		return
	}
	server, ok, err := x.owner(uri)
	if err != nil {
		x.failed(nil, err, false)
		return
	}
	if !ok {
		x.refuse(unknownAddress())
		return
	}
	x.forward(server, x.msg.Body)
}

func unknownAddress() *wire.Fault {
	return &wire.Fault{Code: wire.CodeInvalidParams, Reason: "unknown_address",
		Message: "no server has this resource: use an address that resources/list gives, or one that fits a template of resources/templates/list"}
}

// owner finds the server of an address: the one that lists it, else the one
// whose template says most about it, else the only one that lists others of its
// kind (scheme and authority). An unknown one is worth one new listing.
func (x *exchange) owner(uri string) (server string, ok bool, err error) {
	listed, patterned := x.a.shelf(x.who, resources), x.a.shelf(x.who, templates)
	for want := recent; ; want = renewed {
		v, err := listed.get(x.ctx, want)
		if err != nil {
			return "", false, err
		}
		if t, ok := v.targets[uri]; ok {
			return t.server, true, nil
		}
		p, err := patterned.get(x.ctx, want)
		if err != nil {
			return "", false, err
		}
		if server, ok := p.ownerByTemplate(uri); ok {
			return server, true, nil
		}
		if server, ok := ownerByKin(uri, v.merged, p.merged); ok {
			return server, true, nil
		}
		if want == renewed || !listed.mayRelist() {
			return "", false, nil
		}
	}
}

// ownerByKin is the only server with an address of the same scheme and
// authority. Tools hand out addresses that no list has.
func ownerByKin(uri string, lists ...*merged) (server string, ok bool) {
	kin := kinOf(uri)
	if kin == "" {
		return "", false
	}
	for _, m := range lists {
		for _, name := range m.order {
			if kinOf(name) != kin {
				continue
			}
			owner := m.targets[name].server
			if server != "" && server != owner {
				return "", false
			}
			server = owner
		}
	}
	return server, server != ""
}

// kinOf is an address's scheme and authority; only the scheme where there is
// no authority.
func kinOf(uri string) string {
	scheme, rest, found := strings.Cut(uri, ":")
	if !found {
		return ""
	}
	after, hierarchical := strings.CutPrefix(rest, "//")
	if !hierarchical || strings.Contains(scheme, "{") {
		return scheme
	}
	authority, _, _ := strings.Cut(after, "/")
	if strings.Contains(authority, "{") {
		authority = ""
	}
	return scheme + "://" + authority
}

// complete sends completion/complete to the server whose prompt or resource
// template it is about.
func (x *exchange) complete() {
	params := x.msg.Params.In(x.msg.Body)
	ref := field(params, "ref")
	if uri, ok := wire.Text(field(ref, "uri")); ok {
		x.completeAddress(uri)
		return
	}
	name, ok := wire.Text(field(ref, "name"))
	if !ok {
		x.refuse(&wire.Fault{Code: wire.CodeInvalidParams, Reason: "missing_ref", Message: "params.ref names neither a prompt nor a resource: send one of them"})
		return
	}
	t, found, err := x.find(prompts, name)
	switch {
	case err != nil:
		x.failed(nil, err, false)
	case !found:
		x.refuse(&wire.Fault{Code: wire.CodeInvalidParams, Reason: "unknown_name", Message: "no server has this name: use one that prompts/list lists, exactly as it stands there"})
	default:
		x.forward(t.server, x.withRef(params, ref, name, t.name))
	}
}

// withRef is the message with the server's own name of the prompt.
func (x *exchange) withRef(params, ref []byte, published, own string) []byte {
	if published == own {
		return x.msg.Body
	}
	ref, err := wire.SetField(ref, "name", wire.Quote(own))
	if err == nil {
		params, err = wire.SetField(params, "ref", ref)
	}
	if err != nil {
		return x.msg.Body
	}
	if body, err := wire.SetField(x.msg.Body, "params", params); err == nil {
		return body
	}
	return x.msg.Body
}

func (x *exchange) completeAddress(uri string) {
	v, err := x.a.shelf(x.who, templates).get(x.ctx, recent)
	if err != nil {
		x.failed(nil, err, false)
		return
	}
	if t, ok := v.targets[uri]; ok {
		x.forward(t.server, x.msg.Body)
		return
	}
	server, ok, err := x.owner(uri)
	switch {
	case err != nil:
		x.failed(nil, err, false)
	case !ok:
		x.refuse(unknownAddress())
	default:
		x.forward(server, x.msg.Body)
	}
}
