package argcheck

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// fault is one thing to say about one place. There may be as many as the
// arguments have members, so it holds what it takes to find the words later,
// and shares it.
type fault struct {
	at     []string           // the place of the value
	keys   []string           // of missing or unknown keys: those of the object at `at`, a fault each
	what   any                // one of the library's kinds, or one of ours below
	schema *jsonschema.Schema // the subschema that refused; nil when unknown
	detail string             // tells two faults of the same what, schema and place apart
}

type (
	// choice is a value of a wrong type, or none of the listed values.
	choice struct {
		types  []string
		values [][]any // the lists of one or more schemas, none of them empty
		fixed  bool    // from a const or an enum of one value
	}
	// missing is a required key that isn't there.
	missing struct{ because string }
	// unknown is a key that isn't allowed.
	unknown struct {
		in   *jsonschema.Schema // names the keys that are
		deep bool               // as do the schemas that it applies in place
	}
	// either is an object that lacks the keys of each branch.
	either struct{ keys [][]string }
	// denied is a value where none is allowed.
	denied struct{}
)

// collect flattens the error tree and appends its faults to all.
func (r *report) collect(all []fault, e *jsonschema.ValidationError) []fault {
	at, schema := e.InstanceLocation, r.graph.byLocation[e.SchemaURL]
	one := func(what any) []fault { return append(all, fault{at: at, what: what, schema: schema}) }
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range e.Causes {
			all = r.collect(all, cause)
		}
		return all
	case *kind.AnyOf:
		return r.best(all, fault{at: at, schema: schema, detail: "anyOf"}, e.Causes)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return r.best(all, fault{at: at, schema: schema, detail: "oneOf"}, e.Causes)
		}
	case *kind.RefCycle, *kind.InvalidJsonValue:
		r.broken = true
		return all
	case *kind.Type:
		return one(r.typed(schema, k.Want))
	case *kind.Enum:
		return one(choice{values: listOf(k.Want), fixed: len(k.Want) == 1})
	case *kind.Const:
		return one(choice{values: [][]any{{k.Want}}, fixed: true})
	case *kind.Required:
		return append(all, fault{at: at, schema: schema, what: missing{}, keys: k.Missing})
	case *kind.DependentRequired:
		return append(all, fault{at: at, schema: schema, what: missing{k.Prop}, detail: k.Prop, keys: k.Missing})
	case *kind.Dependency:
		return append(all, fault{at: at, schema: schema, what: missing{k.Prop}, detail: k.Prop, keys: k.Missing})
	case *kind.AdditionalProperties:
		return append(all, fault{at: at, schema: schema, what: unknown{in: schema}, keys: k.Properties})
	case *kind.PropertyNames:
		return append(all, fault{at: at, schema: schema, what: k, detail: k.Property})
	case *kind.FalseSchema:
		return one(r.falseSchema(e.SchemaURL))
	}
	return one(e.ErrorKind)
}

// listOf is a list of values as a choice has it.
func listOf(values []any) [][]any {
	if len(values) == 0 {
		return nil
	}
	return [][]any{values}
}

// typed is a value of a wrong type. Where the schema lists values, the list
// says more than the type does.
func (r *report) typed(s *jsonschema.Schema, want []string) choice {
	if s == nil || s.Enum == nil && s.Const == nil {
		return choice{types: want}
	}
	if c, ok := r.choices[s]; ok {
		return c
	}
	listed := []any{}
	if s.Enum != nil {
		listed = s.Enum.Values
	}
	if s.Const != nil {
		listed = []any{*s.Const}
	}
	var fitting []any
	for _, v := range listed {
		if kindOf(v)&r.graph.of(s).declared != 0 {
			fitting = append(fitting, v)
		}
	}
	c := choice{values: listOf(fitting), fixed: len(listed) == 1}
	if len(fitting) == 0 {
		c = choice{types: want}
	}
	r.choices[s] = c
	return c
}

// group is what one branch of an anyOf or oneOf finds wrong.
type group struct {
	faults []fault
	own    *choice // set when the branch doesn't take this value at all
}

// best picks what to say when no branch fits: what all of them agree on, or
// else the faults of the branch that is nearest. f is all but what there is to
// say.
func (r *report) best(said []fault, f fault, causes []*jsonschema.ValidationError) []fault {
	var all, near []group
	for _, cause := range causes {
		g := group{faults: r.collect(nil, cause)}
		for _, found := range g.faults {
			if c, ok := found.what.(choice); ok && len(found.at) == len(f.at) {
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
		return said
	case len(near) == 0:
		f.what = union(all)
		return append(said, f)
	case len(near) == 1:
		return append(said, near[0].faults...)
	}
	if f, ok := discriminator(f, near); ok {
		return append(said, f)
	}
	if f, ok := alternatives(f, near); ok {
		return append(said, f)
	}
	return append(said, slices.MinFunc(near, func(a, b group) int {
		if d := a.tags(f.at) - b.tags(f.at); d != 0 {
			return d
		}
		return numberOf(a.faults) - numberOf(b.faults)
	}).faults...)
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

// tagged are the values that a branch wants of each member that is a tag.
func (g group) tagged(at []string) map[string][][]any {
	tags := map[string][][]any{}
	for _, f := range g.faults {
		if !isTag(f, at) {
			continue
		}
		if name := f.at[len(at)]; tags[name] == nil {
			tags[name] = slices.Clip(f.what.(choice).values)
		}
	}
	return tags
}

// discriminator finds the member whose value tells the branches apart and is
// right for none of them: the first by name.
func discriminator(f fault, groups []group) (fault, bool) {
	shared := groups[0].tagged(f.at)
	for _, g := range groups[1:] {
		if len(shared) == 0 {
			return fault{}, false
		}
		tags := g.tagged(f.at)
		for name, values := range shared {
			if tags[name] == nil {
				delete(shared, name)
				continue
			}
			shared[name] = append(values, tags[name]...)
		}
	}
	if len(shared) == 0 {
		return fault{}, false
	}
	name := slices.Min(slices.Collect(maps.Keys(shared)))
	f.at, f.what = append(slices.Clone(f.at), name), choice{values: shared[name]}
	return f, true
}

// alternatives joins branches that want nothing but keys: anyOf a required
// and b required.
func alternatives(f fault, groups []group) (fault, bool) {
	var keys [][]string
	for _, g := range groups {
		var wanted []string
		for _, found := range g.faults {
			if _, ok := found.what.(missing); !ok || len(found.at) != len(f.at) {
				return fault{}, false
			}
			wanted = append(wanted, found.keys...)
		}
		slices.Sort(wanted)
		keys = append(keys, slices.Compact(wanted))
	}
	slices.SortStableFunc(keys, func(a, b []string) int { return len(a) - len(b) })
	f.what = either{keys}
	return f, true
}
