package aggregate

import (
	"errors"

	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/wire"
)

// unknownYet is what a server is announced with of which nothing is known: a
// client doesn't ask for what was not announced, also not later, and an empty
// list is an answer that every client takes.
const unknownYet = `{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true}}`

// capabilities are those of all servers: of one that doesn't answer now what it
// said last, or, in a merge, what it may turn out to have.
func (x *exchange) capabilities(found []met) []byte {
	var all [][]byte
	for i, e := range x.roster.entries {
		var refused *member.AuthError
		switch m := found[i]; {
		case m.description != nil:
			e.remember(m.description.Capabilities)
			all = append(all, m.description.Capabilities)
		case e.remembered() != nil:
			all = append(all, e.remembered())
		case errors.As(m.err, &refused) || len(found) == 1: // nothing of it is this client's
		default:
			all = append(all, []byte(unknownYet))
		}
	}
	return union(all)
}

// remember keeps what the server said last that it can do. What it says to one
// caller is not kept for another.
func (e *entry) remember(capabilities []byte) {
	if !e.forCallers() {
		e.said.Store(&capabilities)
	}
}

// remembered is what the server said last; nil when nothing is known.
func (e *entry) remembered() []byte {
	if last := e.said.Load(); last != nil && *last != nil {
		return *last
	}
	return nil
}

// union joins what servers can do: an object has the members of all, in the
// order in which they appear; true wins; of other values that differ the first
// stays. maxDepth keeps a server from nesting without end.
func union(all [][]byte) []byte {
	out := []byte(`{"tools":{}}`)
	for _, capabilities := range all {
		if wire.IsObject(capabilities) {
			out = joined(out, capabilities, unionDepth)
		}
	}
	return out
}

// unionDepth is how deep capabilities are joined; deeper ones stay the first's.
const unionDepth = 6

func joined(a, b []byte, depth int) []byte {
	switch {
	case depth > 0 && wire.IsObject(a) && wire.IsObject(b):
		fields, err := wire.Fields(b)
		if err != nil {
			return a
		}
		for _, f := range fields {
			a = withMember(a, f, depth)
		}
		return a
	case string(a) == "false" && string(b) == "true":
		return b
	case wire.IsNull(a):
		return b
	}
	return a
}

func withMember(object []byte, f wire.Field, depth int) []byte {
	value := wire.Compact(f.Value)
	if old := field(object, f.Key); old != nil {
		value = joined(old, value, depth-1)
	}
	out, err := wire.SetField(object, f.Key, value)
	if err != nil { // the object isn't one: it stays
		return object
	}
	return out
}
