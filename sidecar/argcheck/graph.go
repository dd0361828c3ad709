package argcheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxInPlace is how many schemas may apply to one value through one another
// ($ref, allOf, anyOf …).
const maxInPlace = 64

// kinds is a set of JSON types. Integers count as numbers.
type kinds uint8

const (
	nulls kinds = 1 << iota
	booleans
	numbers
	texts
	arrays
	objects
	anyKind = nulls | booleans | numbers | texts | arrays | objects
)

func kindOf(v any) kinds {
	switch v.(type) {
	case nil:
		return nulls
	case bool:
		return booleans
	case json.Number:
		return numbers
	case string:
		return texts
	case []any:
		return arrays
	default:
		return objects
	}
}

// facts is what we know of one subschema beside the library's own fields.
type facts struct {
	own       kinds // by its own type, enum and const
	declared  kinds // by its own type only: a mismatch ends the evaluation
	types     kinds // with what is applied in place: an upper bound
	inPlace   int   // the longest chain of schemas applied in place
	weight    int   // values in its enum and const: the cost of a comparison
	uncertain bool  // it or something below can't be decided: a format, a pattern
	state     visit
}

type visit uint8

const (
	unseen visit = iota
	open
	done
)

// graph holds the facts of every subschema that can be reached from the root.
type graph struct {
	facts      map[*jsonschema.Schema]*facts
	byLocation map[string]*jsonschema.Schema
}

// of returns the facts of a subschema. One that the walk didn't meet is true
// or false: they stand for a boolean or for an uncertain pattern.
func (g *graph) of(s *jsonschema.Schema) *facts {
	if f, ok := g.facts[s]; ok {
		return f
	}
	k := declaredKinds(s)
	return &facts{own: k, declared: k, types: k}
}

// newGraph walks the compiled schema. It refuses what can't be evaluated in
// bounded time (a schema that applies itself to the same value), or what lies
// outside the document, and loosens what can't be decided.
func newGraph(root *jsonschema.Schema) (*graph, error) {
	g := &graph{facts: map[*jsonschema.Schema]*facts{}, byLocation: map[string]*jsonschema.Schema{}}
	if err := g.collect(root); err != nil {
		return nil, err
	}
	g.markUncertain()
	for s := range g.facts {
		g.loosen(s)
	}
	if err := g.measure(root); err != nil {
		return nil, err
	}
	for s := range g.facts {
		if err := g.measure(s); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// collect finds every subschema.
func (g *graph) collect(root *jsonschema.Schema) error {
	queue := []*jsonschema.Schema{root}
	g.facts[root] = &facts{}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if !strings.HasPrefix(s.Location, address+"#") {
			return errors.New("the input schema has a $ref to another document: nothing outside it is read")
		}
		g.byLocation[s.Location] = s
		f := g.facts[s]
		f.declared = declaredKinds(s)
		f.own = f.declared & valueKinds(s)
		f.weight = comparisons(s)
		f.uncertain = undecidable(s)
		s.Format = nil // an annotation in every draft: servers differ too much
		for child := range edges(s) {
			if g.facts[child] == nil {
				g.facts[child] = &facts{}
				queue = append(queue, child)
			}
		}
	}
	return nil
}

// declaredKinds is what `type` allows.
func declaredKinds(s *jsonschema.Schema) kinds {
	if s.Bool != nil && !*s.Bool {
		return 0
	}
	if s.Types == nil || s.Types.IsEmpty() {
		return anyKind
	}
	var k kinds
	for _, name := range s.Types.ToStrings() {
		k |= kindNamed(name)
	}
	return k
}

func kindNamed(name string) kinds {
	switch name {
	case "null":
		return nulls
	case "boolean":
		return booleans
	case "number", "integer":
		return numbers
	case "string":
		return texts
	case "array":
		return arrays
	}
	return objects
}

// valueKinds is what `enum` and `const` allow.
func valueKinds(s *jsonschema.Schema) kinds {
	k := anyKind
	if s.Enum != nil {
		k = 0
		for _, v := range s.Enum.Values {
			k |= kindOf(v)
		}
	}
	if s.Const != nil {
		k &= kindOf(*s.Const)
	}
	return k
}

func comparisons(s *jsonschema.Schema) int {
	n := 0
	if s.Enum != nil {
		n += size(s.Enum.Values)
	}
	if s.Const != nil {
		n += size(*s.Const)
	}
	return n
}

// undecidable reports a subschema that says something we don't check.
func undecidable(s *jsonschema.Schema) bool {
	if s.Format != nil || isUncertain(s.Pattern) {
		return true
	}
	for re := range s.PatternProperties {
		if isUncertain(re) {
			return true
		}
	}
	return false
}

func isUncertain(re jsonschema.Regexp) bool {
	p, ok := re.(*pattern)
	return ok && p.uncertain()
}

// markUncertain spreads uncertainty to everything that applies an uncertain
// subschema.
func (g *graph) markUncertain() {
	users := map[*jsonschema.Schema][]*jsonschema.Schema{}
	var queue []*jsonschema.Schema
	for s, f := range g.facts {
		for child := range edges(s) {
			users[child] = append(users[child], s)
		}
		if f.uncertain {
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for _, user := range users[s] {
			if f := g.facts[user]; !f.uncertain {
				f.uncertain = true
				queue = append(queue, user)
			}
		}
	}
}

// loosen takes an undecided subschema out of every place where taking it for
// a match would refuse more: under not and if, in the "only one" of oneOf, in
// an upper count, and as the key of patternProperties.
func (g *graph) loosen(s *jsonschema.Schema) {
	uncertain := func(sub *jsonschema.Schema) bool { return sub != nil && g.facts[sub].uncertain }
	if uncertain(s.Not) {
		s.Not = nil
	}
	if uncertain(s.If) {
		s.If, s.Then, s.Else = nil, nil, nil
	}
	if slices.ContainsFunc(s.OneOf, uncertain) {
		if len(s.AnyOf) == 0 {
			s.AnyOf = s.OneOf
		}
		s.OneOf = nil
	}
	if uncertain(s.Contains) {
		s.MaxContains = nil
	}
	yes := true
	for re := range s.PatternProperties {
		if isUncertain(re) {
			s.PatternProperties[re] = &jsonschema.Schema{Bool: &yes}
		}
	}
}

// measure fills in what depends on the schemas applied in place, and refuses
// a schema that applies itself to the same value, at once or in the end.
func (g *graph) measure(s *jsonschema.Schema) error {
	f := g.facts[s]
	switch {
	case f == nil, f.state == done:
		return nil
	case f.state == open:
		return errors.New("the input schema applies itself to the same value without end")
	}
	f.state = open
	for child := range inPlace(s) {
		if err := g.measure(child); err != nil {
			return err
		}
		f.inPlace = max(f.inPlace, 1+g.of(child).inPlace)
	}
	if f.inPlace > maxInPlace {
		return fmt.Errorf("the input schema applies more than %d schemas to one value through one another", maxInPlace)
	}
	f.types = f.own & g.applied(s)
	f.state = done
	return nil
}

// applied is what the schemas applied in place allow: all of those that must
// fit, any of those of which one must.
func (g *graph) applied(s *jsonschema.Schema) kinds {
	k := anyKind
	for sub := range conjuncts(s) {
		k &= g.of(sub).types
	}
	for _, choice := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if len(choice) == 0 {
			continue
		}
		var either kinds
		for _, sub := range choice {
			either |= g.of(sub).types
		}
		k &= either
	}
	return k
}
