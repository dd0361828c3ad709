package argcheck

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// fault is one thing to say about one place.
type fault struct {
	at     []string           // the place; of a missing or unknown key, the key itself
	what   any                // one of the library's kinds, or one of ours below
	schema *jsonschema.Schema // the subschema that refused; nil when unknown
}

type (
	// choice is a value of a wrong type, or none of the listed values.
	choice struct {
		types  []string
		values []any
		fixed  bool // from a const or an enum of one value
	}
	// missing is a required key that isn't there.
	missing struct{ because string }
	// unknown is a key that isn't allowed.
	unknown struct{ allowed []string }
	// either is an object that lacks the keys of each branch.
	either struct{ keys [][]string }
	// denied is a value where none is allowed.
	denied struct{}
)

// faults flattens the error tree.
func (r *report) faults(e *jsonschema.ValidationError) []fault {
	at, schema := e.InstanceLocation, r.graph.byLocation[e.SchemaURL]
	one := func(what any) []fault { return []fault{{at, what, schema}} }
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		var all []fault
		for _, cause := range e.Causes {
			all = append(all, r.faults(cause)...)
		}
		return all
	case *kind.AnyOf:
		return r.best(at, schema, e.Causes)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return r.best(at, schema, e.Causes)
		}
	case *kind.RefCycle, *kind.InvalidJsonValue:
		r.broken = true
		return nil
	case *kind.Type:
		return one(r.typed(schema, k.Want))
	case *kind.Enum:
		return one(choice{values: k.Want, fixed: len(k.Want) == 1})
	case *kind.Const:
		return one(choice{values: []any{k.Want}, fixed: true})
	case *kind.Required:
		return r.each(at, schema, k.Missing, missing{})
	case *kind.DependentRequired:
		return r.each(at, schema, k.Missing, missing{k.Prop})
	case *kind.Dependency:
		return r.each(at, schema, k.Missing, missing{k.Prop})
	case *kind.AdditionalProperties:
		return r.each(at, schema, k.Properties, unknown{allowedKeys(schema)})
	case *kind.FalseSchema:
		return one(r.falseSchema(e.SchemaURL))
	}
	return one(e.ErrorKind)
}

// typed is a value of a wrong type. Where the schema lists values, the list
// says more than the type does.
func (r *report) typed(s *jsonschema.Schema, want []string) choice {
	if s == nil || s.Enum == nil && s.Const == nil {
		return choice{types: want}
	}
	listed := []any{}
	if s.Enum != nil {
		listed = s.Enum.Values
	}
	if s.Const != nil {
		listed = []any{*s.Const}
	}
	c := choice{fixed: len(listed) == 1}
	for _, v := range listed {
		if kindOf(v)&r.graph.of(s).declared != 0 {
			c.values = append(c.values, v)
		}
	}
	if len(c.values) == 0 {
		return choice{types: want}
	}
	return c
}

// each is the same fault at several keys of one object.
func (r *report) each(at []string, s *jsonschema.Schema, keys []string, what any) []fault {
	var all []fault
	for _, key := range keys {
		all = append(all, fault{append(slices.Clone(at), key), what, s})
	}
	return all
}

// group is what one branch of an anyOf or oneOf finds wrong.
type group struct {
	faults []fault
	own    *choice // set when the branch doesn't take this value at all
}

// best picks what to say when no branch fits: what all of them agree on, or
// else the faults of the branch that is nearest.
func (r *report) best(at []string, s *jsonschema.Schema, causes []*jsonschema.ValidationError) []fault {
	var all, near []group
	for _, cause := range causes {
		g := group{faults: r.faults(cause)}
		for _, f := range g.faults {
			if c, ok := f.what.(choice); ok && len(f.at) == len(at) {
				g.own = &c
			}
		}
		if len(g.faults) == 0 {
			continue
		}
		all = append(all, g)
		if g.own == nil {
			near = append(near, g)
		}
	}
	switch {
	case len(all) == 0:
		return nil
	case len(near) == 0:
		return []fault{{at, union(all), s}}
	case len(near) == 1:
		return near[0].faults
	}
	if f, ok := discriminator(at, near, s); ok {
		return []fault{f}
	}
	if f, ok := alternatives(at, near, s); ok {
		return []fault{f}
	}
	return slices.MinFunc(near, func(a, b group) int {
		if d := a.tags(at) - b.tags(at); d != 0 {
			return d
		}
		return len(a.faults) - len(b.faults)
	}).faults
}

// union is what any of the branches would take.
func union(groups []group) choice {
	var sum choice
	for _, g := range groups {
		for _, t := range g.own.types {
			if !slices.Contains(sum.types, t) {
				sum.types = append(sum.types, t)
			}
		}
		sum.values = append(sum.values, g.own.values...)
	}
	return sum
}

// tags counts the members whose value belongs to another branch, such as
// "kind": "circle" in the branch of squares.
func (g group) tags(at []string) int {
	n := 0
	for _, f := range g.faults {
		if isTag(f, at) && f.what.(choice).fixed {
			n++
		}
	}
	return n
}

func isTag(f fault, at []string) bool {
	c, ok := f.what.(choice)
	return ok && len(c.values) > 0 && len(f.at) == len(at)+1
}

// discriminator finds the member whose value tells the branches apart and is
// right for none of them.
func discriminator(at []string, groups []group, s *jsonschema.Schema) (fault, bool) {
	for _, f := range groups[0].faults {
		if !isTag(f, at) {
			continue
		}
		var sum choice
		shared := true
		for _, g := range groups {
			i := slices.IndexFunc(g.faults, func(o fault) bool { return isTag(o, at) && slices.Equal(o.at, f.at) })
			if i < 0 {
				shared = false
				break
			}
			sum.values = append(sum.values, g.faults[i].what.(choice).values...)
		}
		if shared {
			return fault{f.at, sum, s}, true
		}
	}
	return fault{}, false
}

// alternatives joins branches that want nothing but keys: anyOf a required
// and b required.
func alternatives(at []string, groups []group, s *jsonschema.Schema) (fault, bool) {
	var keys [][]string
	for _, g := range groups {
		var wanted []string
		for _, f := range g.faults {
			if _, ok := f.what.(missing); !ok || len(f.at) != len(at)+1 {
				return fault{}, false
			}
			wanted = append(wanted, f.at[len(at)])
		}
		slices.Sort(wanted)
		keys = append(keys, slices.Compact(wanted))
	}
	slices.SortStableFunc(keys, func(a, b []string) int { return len(a) - len(b) })
	return fault{at, either{keys}, s}, true
}
