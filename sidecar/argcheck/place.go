package argcheck

import (
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxPlaces bounds the work of one Repair on a schema with branches in
// branches. What lies beyond isn't repaired.
const maxPlaces = 200_000

// place is what the schema says about one value: a subschema, or all or any
// of several places. It is an upper bound: what it doesn't allow is wrong,
// what it allows may still be wrong.
type place struct {
	join   byte               // 0: schema; 'a': all of subs; 'o': one of subs
	schema *jsonschema.Schema // nil: anything goes
	subs   []place
}

// anything is the place that allows every value.
var anything = place{}

// planner derives places.
type planner struct {
	graph *graph
	left  int
}

// spend reports whether there is work left to do.
func (p *planner) spend() bool {
	p.left--
	return p.left >= 0
}

// types are the types that a place allows.
func (p *planner) types(at place) kinds {
	switch {
	case !p.spend():
		return anyKind
	case at.join == 'a':
		k := anyKind
		for _, sub := range at.subs {
			k &= p.types(sub)
		}
		return k
	case at.join == 'o':
		var k kinds
		for _, sub := range at.subs {
			k |= p.types(sub)
		}
		return k
	case at.schema == nil:
		return anyKind
	}
	return p.graph.of(at.schema).types
}

// step is one step down into a value: a key of an object or an index of an
// array.
type step struct {
	object map[string]any // nil for an array
	key    string
	index  int
}

// token is the step in a location.
func (s step) token() string {
	if s.object != nil {
		return s.key
	}
	return strconv.Itoa(s.index)
}

// down returns the place of the value one step below.
func (p *planner) down(at place, s step) place {
	switch {
	case !p.spend():
		return anything
	case at.join != 0:
		below := place{join: at.join}
		for _, sub := range at.subs {
			if at.join == 'a' || p.fits(sub, s) {
				below.subs = append(below.subs, p.down(sub, s))
			}
		}
		return below
	case at.schema == nil:
		return anything
	}
	return p.below(at.schema, s)
}

// below is the place that one subschema, with all it applies in place, gives
// to the value one step down.
func (p *planner) below(s *jsonschema.Schema, to step) place {
	if s.Bool != nil {
		return place{schema: s}
	}
	all := place{join: 'a'}
	for _, sub := range members(s, to) {
		all.subs = append(all.subs, place{schema: sub})
	}
	for sub := range conjuncts(s) {
		if !p.spend() {
			return anything
		}
		all.subs = append(all.subs, p.below(sub, to))
	}
	for _, choice := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if len(choice) == 0 {
			continue
		}
		one := place{join: 'o'}
		for _, sub := range choice {
			if !p.spend() {
				return anything
			}
			if p.fits(place{schema: sub}, to) {
				one.subs = append(one.subs, p.below(sub, to))
			}
		}
		all.subs = append(all.subs, one)
	}
	return all
}

// members are the subschemas that apply to the value one step down. An
// additionalProperties of false is a schema that allows nothing.
func members(s *jsonschema.Schema, to step) []*jsonschema.Schema {
	if to.object == nil {
		return itemSchemas(s, to.index)
	}
	var subs []*jsonschema.Schema
	if sub := s.Properties[to.key]; sub != nil {
		subs = append(subs, sub)
	}
	for re, sub := range s.PatternProperties {
		if re.MatchString(to.key) {
			subs = append(subs, sub)
		}
	}
	if len(subs) > 0 {
		return subs
	}
	switch more := s.AdditionalProperties.(type) {
	case *jsonschema.Schema:
		subs = append(subs, more)
	case bool:
		subs = append(subs, &jsonschema.Schema{Bool: &more})
	}
	return subs
}

// fits reports whether a branch can be meant for the container that the step
// leaves: it allows its type, and no const of its properties says otherwise.
func (p *planner) fits(at place, s step) bool {
	container := arrays
	if s.object != nil {
		container = objects
	}
	if p.types(at)&container == 0 {
		return false
	}
	return at.schema == nil || s.object == nil || !p.contradicts(at.schema, s.object)
}

func (p *planner) contradicts(s *jsonschema.Schema, object map[string]any) bool {
	if !p.spend() {
		return false
	}
	for key, sub := range s.Properties {
		given, ok := object[key]
		if ok && sub.Const != nil && differ(given, *sub.Const) {
			return true
		}
	}
	for sub := range conjuncts(s) {
		if p.contradicts(sub, object) {
			return true
		}
	}
	return false
}

// differ reports two values that surely aren't equal; numbers may be written
// in two ways.
func differ(a, b any) bool {
	if kindOf(a) != kindOf(b) {
		return true
	}
	switch kindOf(a) {
	case texts, booleans:
		return a != b
	}
	return false
}
