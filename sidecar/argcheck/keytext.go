package argcheck

import (
	"maps"
	"reflect"
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
	object, ok := valueAt(r.doc, f.at).(map[string]any)
	if !ok {
		return text
	}
	known := func(key string) bool { return f.schema != nil && f.schema.Properties[key] != nil }
	if sent, ok := r.sentKeys(object).meant(f.keys[0], &r.words, known); ok {
		return text + "; you sent " + quoted(sent) + ": rename it to " + quoted(f.keys[0])
	}
	return text
}

// sentKeys are the keys of an object of the arguments.
func (r *report) sentKeys(object map[string]any) *names {
	address := reflect.ValueOf(object).Pointer()
	if r.words.sent[address] == nil {
		var keys []string
		if len(object) <= maxCandidates && r.words.gather(len(object)) {
			keys = slices.Collect(maps.Keys(object))
		}
		r.words.sent[address] = namesOf(keys)
	}
	return r.words.sent[address]
}

// unknown words a key that isn't allowed.
func (r *report) unknown(u unknown, f fault) string {
	text := "is not a known key"
	allowed := r.allowed(u)
	if allowed.text == "" {
		return text
	}
	text += " (" + allowed.text + ")"
	place := f.place()
	if near, ok := allowed.near(place[len(place)-1], &r.words); ok {
		text += "; did you mean " + quoted(near) + "?"
	}
	return text
}

// allowed are the keys that may stand where an unknown one does, gathered
// once for all of them.
func (r *report) allowed(u unknown) *names {
	if r.words.allowed[u] == nil {
		r.words.allowed[u] = r.gatherAllowed(u)
	}
	return r.words.allowed[u]
}

func (r *report) gatherAllowed(u unknown) *names {
	keys, ok := r.keysOf(u)
	if !ok {
		return namesOf(nil)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	n := namesOf(keys)
	n.text = "none is allowed here"
	if len(keys) > 0 {
		n.text = "allowed: " + shortList(keys)
	}
	return n
}

// shortList is the list of names.
func shortList(keys []string) string {
	shown := make([]string, len(keys))
	for i, key := range keys {
		if i <= maxListed {
			shown[i] = oneLine(clip(key, maxValueRunes))
		}
	}
	return list(shown)
}

// falseSchema says what the schema `false` means at its place.
func (r *report) falseSchema(location string) any {
	for _, keyword := range []string{"/unevaluatedProperties", "/additionalProperties"} {
		if parent, ok := strings.CutSuffix(location, keyword); ok {
			return unknown{r.graph.byLocation[parent], true}
		}
	}
	return denied{}
}

// keysOf are the keys that a schema names, and those that it applies in place
// if the unknown key was unknown to all of them. It returns false when there
// are too many.
func (r *report) keysOf(u unknown) ([]string, bool) {
	if u.in == nil {
		return nil, true
	}
	seen := map[*jsonschema.Schema]bool{u.in: true}
	queue, keys := []*jsonschema.Schema{u.in}, []string{}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if !r.words.gather(1 + len(s.Properties) + len(s.Required)) {
			return nil, false
		}
		keys = slices.AppendSeq(keys, maps.Keys(s.Properties))
		keys = append(keys, s.Required...)
		if !u.deep {
			break
		}
		for sub := range inPlace(s) {
			if !seen[sub] {
				seen[sub] = true
				queue = append(queue, sub)
			}
		}
	}
	return keys, true
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
