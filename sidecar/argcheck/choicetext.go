package argcheck

import (
	"encoding/json"
	"slices"
	"strings"
)

// choice words a wrong type or a value that isn't among the allowed ones.
func (r *report) choice(c choice, at []string) string {
	got := valueAt(r.doc, at)
	if len(c.values) == 0 {
		return wrongKind(c, got)
	}
	values := distinctTexts(c.values)
	text := "must be "
	if len(values)+len(c.types) > 1 {
		text = "must be one of "
	}
	text += list(values)
	if types := typeNames(c.types); len(types) > 0 {
		text += " or " + strings.Join(types, " or ")
	}
	return text + didYouMean(got, c.values)
}

// didYouMean offers the allowed text that the given one is a typo of.
func didYouMean(got any, values []any) string {
	given, ok := got.(string)
	if !ok {
		return ""
	}
	var texts []string
	for _, v := range values {
		if s, ok := v.(string); ok {
			texts = append(texts, s)
		}
	}
	if near, ok := nearKey(given, texts); ok {
		return "; did you mean " + quoted(near) + "?"
	}
	return ""
}

// wrongKind words a value of the wrong type, and how to send the right one.
func wrongKind(c choice, got any) string {
	have := nameOf(got)
	if have == "number" && slices.Contains(c.types, "integer") {
		have = "a number with a fraction"
	}
	text := "must be " + strings.Join(typeNames(c.types), " or ") + ", not " + have
	given, isText := got.(string)
	switch {
	case !isText:
	case slices.Contains(c.types, "object") || slices.Contains(c.types, "array"):
		text += "; send JSON, not text"
	case json.Valid([]byte(given)) && c.takes(given):
		text += "; send it without quotes"
	}
	return text
}

// takes reports whether the text, without its quotes, would be of a wanted
// type.
func (c choice) takes(text string) bool {
	v, err := decode([]byte(text), maxDepth)
	if err != nil {
		return false
	}
	for _, t := range c.types {
		if kindNamed(t)&kindOf(v) != 0 {
			return true
		}
	}
	return false
}

func nameOf(v any) string {
	switch kindOf(v) {
	case nulls:
		return "null"
	case booleans:
		return "boolean"
	case numbers:
		return "number"
	case texts:
		return "string"
	case arrays:
		return "array"
	}
	return "object"
}

// typeNames puts null last: "integer or null".
func typeNames(types []string) []string {
	sorted := slices.Clone(types)
	slices.SortStableFunc(sorted, func(a, b string) int {
		switch {
		case a == b:
			return 0
		case a == "null":
			return 1
		case b == "null":
			return -1
		}
		return 0
	})
	return slices.Compact(sorted)
}
