package aggregate

import "mcp-toolsearch/sidecar/wire"

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
