package argcheck

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// missing words a required key, and the key that was probably meant for it.
func (r *report) missing(m missing, f fault) string {
	text := "is required"
	if m.because != "" {
		text += " when " + quoted(m.because) + " is given"
	}
	last := len(f.at) - 1
	object, ok := valueAt(r.doc, f.at[:last]).(map[string]any)
	if !ok {
		return text
	}
	for _, sent := range slices.Sorted(maps.Keys(object)) {
		if f.schema != nil && f.schema.Properties[sent] != nil {
			continue
		}
		if _, near := nearKey(sent, f.at[last:]); near {
			return text + "; you sent " + quoted(sent) + ": rename it to " + quoted(f.at[last])
		}
	}
	return text
}

// unknown words a key that isn't allowed.
func (r *report) unknown(u unknown, f fault) string {
	text := "is not a known key"
	if len(u.allowed) == 0 {
		return text + " (none is allowed here)"
	}
	var names []string
	for _, name := range u.allowed {
		names = append(names, oneLine(clip(name, maxValueRunes)))
	}
	text += " (allowed: " + list(names) + ")"
	if near, ok := nearKey(f.at[len(f.at)-1], u.allowed); ok {
		text += "; did you mean " + quoted(near) + "?"
	}
	return text
}

// allowedKeys are the keys that a schema names itself, sorted.
func allowedKeys(s *jsonschema.Schema) []string {
	if s == nil {
		return nil
	}
	keys := slices.Collect(maps.Keys(s.Properties))
	keys = append(keys, s.Required...)
	slices.Sort(keys)
	return slices.Compact(keys)
}

// falseSchema says what the schema `false` means at its place.
func (r *report) falseSchema(location string) any {
	for _, keyword := range []string{"/unevaluatedProperties", "/additionalProperties"} {
		if parent, ok := strings.CutSuffix(location, keyword); ok {
			return unknown{r.keysInPlace(r.graph.byLocation[parent])}
		}
	}
	return denied{}
}

// keysInPlace are the keys that a schema and those it applies in place name.
func (r *report) keysInPlace(s *jsonschema.Schema) []string {
	if s == nil {
		return nil
	}
	seen := map[*jsonschema.Schema]bool{s: true}
	queue, keys := []*jsonschema.Schema{s}, []string{}
	for len(queue) > 0 {
		s, queue = queue[0], queue[1:]
		keys = append(keys, allowedKeys(s)...)
		for sub := range inPlace(s) {
			if !seen[sub] {
				seen[sub] = true
				queue = append(queue, sub)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// eitherKeys words branches of required keys: "a", or "b" and "c".
func eitherKeys(branches [][]string) string {
	var texts []string
	for _, keys := range branches {
		var names []string
		for _, key := range keys {
			names = append(names, quoted(key))
		}
		texts = append(texts, strings.Join(names, " and "))
	}
	return join(slices.Compact(texts), ", or ")
}
