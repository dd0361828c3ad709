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
// (the last one then counts the others); none means that they fit. Absent and
// null arguments are {}. Of an anyOf or oneOf only the branch that fits best
// is reported. The texts name keys, never values of the arguments. Formats are
// not checked.
//
// checked is false when nothing can be said, and there are no problems then:
// of a nil Schema, when the check would cost more than 250,000 evaluations of
// a subschema on a value, and when the schema can't be applied. Such arguments
// are to be let through.
//
// Check takes no context: that bound, and those on the words (names.go), end
// it soon enough whether somebody waits for it or not.
func (s *Schema) Check(arguments []byte) (problems []Problem, checked bool) {
	if s == nil || s.root == nil {
		return nil, false
	}
	raw := bytes.TrimSpace(arguments)
	if len(raw) == 0 || string(raw) == "null" {
		raw = []byte("{}")
	}
	doc, err := decode(raw, maxDepth)
	switch {
	case errors.Is(err, errTooDeep):
		return []Problem{{"", fmt.Sprintf("arguments must not nest deeper than %d levels", maxDepth)}}, true
	case err != nil:
		return []Problem{{"", "arguments must be one valid JSON object without repeated keys"}}, true
	}
	if _, ok := doc.(map[string]any); !ok {
		return []Problem{{"", "arguments " + wrongKind(choice{types: []string{"object"}}, doc)}}, true
	}
	if !s.graph.affordable(s.root, doc) {
		return nil, false
	}
	tree, ok := s.validate(doc)
	if !ok {
		return nil, false
	}
	r := newReport(s.graph, doc)
	problems = r.problems(tree)
	return problems, !r.broken
}

// validate runs the library. A panic in there must not end the program nor
// block the call: it isn't ok.
func (s *Schema) validate(doc any) (fault *jsonschema.ValidationError, ok bool) {
	defer func() {
		if recover() != nil {
			fault, ok = nil, false
		}
	}()
	return validate(s.root, doc), true
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
	graph   *graph
	doc     any
	broken  bool // the schema, not the arguments, is at fault
	choices map[*jsonschema.Schema]choice
	words   words
}

func newReport(g *graph, doc any) *report {
	return &report{graph: g, doc: doc, choices: map[*jsonschema.Schema]choice{}, words: newWords()}
}

// problems words the first faults only: there may be a hundred thousand.
func (r *report) problems(tree *jsonschema.ValidationError) []Problem {
	if tree == nil {
		return nil
	}
	faults := distinctFaults(r.collect(nil, tree))
	if r.broken {
		return nil
	}
	first := firstOf(faults, maxProblems)
	var all []Problem
	told := 0
	for told < len(first) && len(all) < maxProblems {
		end := told + 1
		for end < len(first) && comparePlaces(first[told], first[end]) == 0 {
			end++
		}
		for _, f := range first[told:end] {
			all = append(all, r.problem(f))
		}
		all, told = distinct(all), end
	}
	more := numberOf(faults) - told + max(0, len(all)-maxProblems)
	if more == 0 {
		return all
	}
	return append(slices.Clip(all[:min(len(all), maxProblems)]), Problem{"", fmt.Sprintf("and %d more", more)})
}

func (r *report) problem(f fault) Problem {
	path := pathOf(r.doc, f.place())
	subject := path
	if path == "" {
		subject = "arguments"
	}
	r.words.told++
	return Problem{path, subject + " " + r.says(f)}
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
