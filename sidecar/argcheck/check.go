package argcheck

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxProblems is how many problems are told one by one.
const maxProblems = 30

// Problem is one fault of a call's arguments.
type Problem struct {
	Path string // like query.team or items[2].id; "" = the arguments themselves
	Text string // a whole sentence that names the path: `query.team is required`
}

// Check returns every fault of the arguments, ordered by path and at most 30
// (the last one then counts the others); nil means that they fit, or that
// checking them would take too long. Absent and null arguments are {}. Of an
// anyOf or oneOf only the branch that fits best is reported. The texts name
// keys, never values of the arguments. Formats are not checked.
func (s *Schema) Check(arguments []byte) []Problem {
	if s == nil || s.root == nil {
		return nil
	}
	raw := bytes.TrimSpace(arguments)
	if len(raw) == 0 || string(raw) == "null" {
		raw = []byte("{}")
	}
	doc, err := decode(raw, maxDepth)
	switch {
	case errors.Is(err, errTooDeep):
		return []Problem{{"", fmt.Sprintf("arguments must not nest deeper than %d levels", maxDepth)}}
	case err != nil:
		return []Problem{{"", "arguments must be one valid JSON object without repeated keys"}}
	}
	if _, ok := doc.(map[string]any); !ok {
		return []Problem{{"", "arguments " + wrongKind(choice{types: []string{"object"}}, doc)}}
	}
	if !s.graph.affordable(s.root, doc) {
		return nil
	}
	r := report{graph: s.graph, doc: doc}
	return r.problems(s.validate(doc))
}

// validate runs the library. A panic in there must not end the program nor
// block the call.
func (s *Schema) validate(doc any) (fault *jsonschema.ValidationError) {
	defer func() {
		if recover() != nil {
			fault = nil
		}
	}()
	return validate(s.root, doc)
}

func validate(root *jsonschema.Schema, doc any) *jsonschema.ValidationError {
	var fault *jsonschema.ValidationError
	if errors.As(root.Validate(doc), &fault) {
		return fault
	}
	return nil
}

// report turns the library's error tree into problems.
type report struct {
	graph  *graph
	doc    any
	broken bool // the schema, not the arguments, is at fault
}

func (r *report) problems(tree *jsonschema.ValidationError) []Problem {
	if tree == nil {
		return nil
	}
	faults := r.faults(tree)
	if r.broken {
		return nil
	}
	slices.SortStableFunc(faults, func(a, b fault) int { return comparePlaces(a.at, b.at) })
	var all []Problem
	for _, f := range faults {
		path := pathOf(r.doc, f.at)
		subject := path
		if path == "" {
			subject = "arguments"
		}
		all = append(all, Problem{path, subject + " " + r.says(f)})
	}
	return firstOf(distinct(all))
}

// distinct drops repeated problems (two branches of an allOf may agree) and
// puts those of one path in a fixed order.
func distinct(all []Problem) []Problem {
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].Path == all[i].Path {
			j++
		}
		slices.SortFunc(all[i:j], func(a, b Problem) int { return strings.Compare(a.Text, b.Text) })
		i = j
	}
	return slices.Compact(all)
}

func firstOf(all []Problem) []Problem {
	if len(all) <= maxProblems {
		return all
	}
	more := len(all) - maxProblems
	return append(all[:maxProblems:maxProblems], Problem{"", fmt.Sprintf("and %d more", more)})
}
