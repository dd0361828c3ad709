package argcheck

import (
	"iter"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// conjuncts are the schemas that a value must fit as well as s itself.
func conjuncts(s *jsonschema.Schema) iter.Seq[*jsonschema.Schema] {
	return func(yield func(*jsonschema.Schema) bool) {
		refs := [3]*jsonschema.Schema{s.Ref, s.RecursiveRef}
		if s.DynamicRef != nil {
			refs[2] = s.DynamicRef.Ref
		}
		for _, ref := range refs {
			if ref != nil && !yield(ref) {
				return
			}
		}
		for _, sub := range s.AllOf {
			if !yield(sub) {
				return
			}
		}
	}
}

// inPlace are the schemas that s applies to the value it is itself applied to.
func inPlace(s *jsonschema.Schema) iter.Seq[*jsonschema.Schema] {
	return func(yield func(*jsonschema.Schema) bool) {
		for sub := range conjuncts(s) {
			if !yield(sub) {
				return
			}
		}
		for _, list := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf, {s.Not, s.If, s.Then, s.Else}} {
			for _, sub := range list {
				if sub != nil && !yield(sub) {
					return
				}
			}
		}
		for _, sub := range s.DependentSchemas {
			if !yield(sub) {
				return
			}
		}
		for _, dependency := range s.Dependencies {
			if sub, ok := dependency.(*jsonschema.Schema); ok && !yield(sub) {
				return
			}
		}
	}
}

// below are the schemas that s applies to members, keys and items.
func below(s *jsonschema.Schema) iter.Seq[*jsonschema.Schema] {
	return func(yield func(*jsonschema.Schema) bool) {
		for _, sub := range s.Properties {
			if !yield(sub) {
				return
			}
		}
		for _, sub := range s.PatternProperties {
			if !yield(sub) {
				return
			}
		}
		lists := [][]*jsonschema.Schema{s.PrefixItems, {s.Items2020, s.Contains, s.PropertyNames, s.UnevaluatedItems, s.UnevaluatedProperties}}
		for _, one := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
			switch one := one.(type) {
			case *jsonschema.Schema:
				lists = append(lists, []*jsonschema.Schema{one})
			case []*jsonschema.Schema:
				lists = append(lists, one)
			}
		}
		for _, list := range lists {
			for _, sub := range list {
				if sub != nil && !yield(sub) {
					return
				}
			}
		}
	}
}

// edges are all schemas that s applies.
func edges(s *jsonschema.Schema) iter.Seq[*jsonschema.Schema] {
	return func(yield func(*jsonschema.Schema) bool) {
		for sub := range inPlace(s) {
			if !yield(sub) {
				return
			}
		}
		for sub := range below(s) {
			if !yield(sub) {
				return
			}
		}
	}
}
