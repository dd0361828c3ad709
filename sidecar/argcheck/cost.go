package argcheck

import (
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// maxWork bounds one Check: about as many evaluations of a subschema on a
	// value, well under a second.
	maxWork = 250_000

	// matchWork is how many steps of a pattern cost as much as an evaluation.
	matchWork = 64

	// pairwise is how often uniqueItems may look at a value: all pairs of
	// short arrays are compared, long ones are hashed.
	pairwise = 10
)

// meter plays a validation through without doing it, and stops when it would
// take more than what is left. The library evaluates every branch of a schema
// on its own, so a small schema with branches in branches can keep it busy
// for years; it can't be interrupted.
type meter struct {
	graph *graph
	left  int
}

// affordable reports whether the value can be checked within maxWork.
func (g *graph) affordable(s *jsonschema.Schema, v any) bool {
	m := meter{graph: g, left: maxWork}
	m.apply(s, v)
	return m.left >= 0
}

// apply counts the evaluation of s on v, with all that follows from it.
func (m *meter) apply(s *jsonschema.Schema, v any) {
	m.left--
	if m.left < 0 || s.Bool != nil || kindOf(v)&m.graph.of(s).declared == 0 {
		return
	}
	m.left -= m.graph.of(s).weight
	if s.Ref != nil && s.DraftVersion < 2019 {
		m.apply(s.Ref, v)
		return
	}
	switch v := v.(type) {
	case map[string]any:
		m.object(s, v)
	case []any:
		m.array(s, v)
	case string:
		m.left -= len(v) / 1024
		m.match(s.Pattern, v)
	}
	for sub := range inPlace(s) {
		if m.left < 0 {
			return
		}
		m.apply(sub, v)
	}
}

func (m *meter) object(s *jsonschema.Schema, v map[string]any) {
	m.left -= len(v) + len(s.Required)
	for key, member := range v {
		if m.left < 0 {
			return
		}
		if sub := s.Properties[key]; sub != nil {
			m.apply(sub, member)
		}
		for re, sub := range s.PatternProperties {
			m.match(re, key)
			m.apply(sub, member)
		}
		if sub, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
			m.apply(sub, member)
		}
		if s.UnevaluatedProperties != nil {
			m.apply(s.UnevaluatedProperties, member)
		}
		if s.PropertyNames != nil {
			m.apply(s.PropertyNames, key)
		}
	}
}

func (m *meter) array(s *jsonschema.Schema, v []any) {
	m.left -= len(v)
	if s.UniqueItems {
		m.left -= pairwise * size(v)
	}
	for i, item := range v {
		if m.left < 0 {
			return
		}
		for _, sub := range itemSchemas(s, i) {
			m.apply(sub, item)
		}
		for _, sub := range []*jsonschema.Schema{s.Contains, s.UnevaluatedItems} {
			if sub != nil {
				m.apply(sub, item)
			}
		}
	}
}

func (m *meter) match(re jsonschema.Regexp, s string) {
	if p, ok := re.(*pattern); ok {
		m.left -= p.size * (len(s) + 1) / matchWork
	}
}

// size is the number of values in v, itself included.
func size(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			n += size(member)
		}
	case []any:
		for _, item := range v {
			n += size(item)
		}
	}
	return n
}

// itemSchemas are the schemas that the item at index i must fit.
func itemSchemas(s *jsonschema.Schema, i int) []*jsonschema.Schema {
	if i < len(s.PrefixItems) {
		return s.PrefixItems[i : i+1]
	}
	if s.Items2020 != nil {
		return []*jsonschema.Schema{s.Items2020}
	}
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		return []*jsonschema.Schema{items}
	case []*jsonschema.Schema:
		if i < len(items) {
			return items[i : i+1]
		}
		if more, ok := s.AdditionalItems.(*jsonschema.Schema); ok {
			return []*jsonschema.Schema{more}
		}
	}
	return nil
}
