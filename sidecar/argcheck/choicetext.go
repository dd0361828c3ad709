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
	listed := r.listed(c)
	text := "must be "
	if listed.several || len(c.types) > 0 {
		text = "must be one of "
	}
	text += listed.text
	if types := typeNames(c.types); len(types) > 0 {
		text += " or " + strings.Join(types, " or ")
	}
	given, ok := got.(string)
	if !ok {
		return text
	}
	if near, ok := listed.near(given, &r.words); ok {
		text += "; did you mean " + quoted(near) + "?"
	}
	return text
}

// listed are the values of a choice, with their text. A schema's own list is
// read once for all values that aren't in it.
func (r *report) listed(c choice) *names {
	if len(c.values) > 1 {
		return r.gatherListed(c.values)
	}
	first := &c.values[0][0]
	if r.words.listed[first] == nil {
		r.words.listed[first] = r.gatherListed(c.values)
	}
	return r.words.listed[first]
}

func (r *report) gatherListed(values [][]any) *names {
	n := len(values)
	for _, list := range values {
		n += size(list)
	}
	if !r.words.gather(n) {
		tooMany := namesOf(nil)
		tooMany.text, tooMany.several = "the values that the schema lists", true
		return tooMany
	}
	var texts []string
	for _, v := range slices.Concat(values...) {
		if s, ok := v.(string); ok {
			texts = append(texts, s)
		}
	}
	listed := namesOf(texts)
	shown := distinctTexts(slices.Concat(values...))
	listed.text, listed.several = list(shown), len(shown) > 1
	return listed
}

// maxUnquoted is how many bytes of text are read to see whether a number or
// its like was put into quotes.
const maxUnquoted = 1024

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
	case len(given) <= maxUnquoted && json.Valid([]byte(given)) && c.takes(given):
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
