package argcheck

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

var seedSchemas = []string{
	shifts, tree, shapes, ticket, ``, `true`, `{"$ref":"#"}`, prop(`{"$ref":"https://schemas.example.invalid/x"}`), prop(`{"pattern":"^(?!x)[\\s\\u0041]{2,}$"}`),
	`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"$id":"#a","type":"array"}},"properties":{"v":{"$ref":"#a"}}}`,
	`{"$dynamicAnchor":"n","properties":{"v":{"$dynamicRef":"#n"}},"unevaluatedProperties":false}`,
	prop(`{"minimum":1e999999,"multipleOf":1e-999999,"maxLength":1e99}`),
	`{"dependentSchemas":{"a":{"minProperties":2}},"if":{"required":["a"]},"then":{"maxProperties":3},"propertyNames":{"maxLength":9}}`,
}

var seedArguments = []string{
	``, `null`, `{}`, `"{}"`, `{"query":{"team":"blue","kind":"main"}}`, `{"query":"{\"team\":\"blue\"}"}`, `{"root":{"id":"a","kids":[{"kids":"[]"}]}}`,
	`{"shape":{"kind":"square"}}`, `{"v":1e999999999}`, `{"v":"\ud800"}`, `{"v":[1,"a",null,{"b":-0.0}]}`, `{"a":1,"a":2}`,
}

func FuzzCompile(f *testing.F) {
	for _, s := range seedSchemas {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		s, err := Compile(schema)
		if err != nil {
			if strings.Contains(err.Error(), "gave up") {
				t.Errorf("the library panicked: %v", err)
			}
			return
		}
		if _, err := decode(bytes.TrimSpace(schema), maxDepth); err != nil && len(bytes.TrimSpace(schema)) > 0 {
			t.Errorf("compiled what isn't strict JSON: %v", err)
		}
		s.Check([]byte(`{"v":"x"}`))
	})
}

func FuzzCheck(f *testing.F) {
	for i, a := range seedArguments {
		for _, s := range seedSchemas[:4] {
			f.Add([]byte(s), []byte(a))
		}
		f.Add([]byte(seedSchemas[i%len(seedSchemas)]), []byte(a))
	}
	f.Fuzz(func(t *testing.T, schema, arguments []byte) {
		s, err := Compile(schema)
		if err != nil {
			return
		}
		if doc, err := decode(arguments, maxDepth); err == nil && s.graph.affordable(s.root, doc) {
			validate(s.root, doc) // without the net that Check has under it
		}
		problems, _ := s.Check(arguments)
		if len(problems) > maxProblems+1 {
			t.Errorf("%d problems", len(problems))
		}
		for i, p := range problems {
			subject := p.Path
			if subject == "" {
				subject = "arguments"
			}
			named := i == maxProblems || strings.HasPrefix(p.Text, subject+" ")
			if !named || strings.ContainsFunc(p.Text, unicode.IsControl) {
				t.Errorf("problem %q at %q", p.Text, p.Path)
			}
		}
		if again, _ := s.Check(arguments); !slices.Equal(problems, again) {
			t.Errorf("twice the same arguments, not the same problems:\n%q\n%q", problems, again)
		}
	})
}

func FuzzRepair(f *testing.F) {
	for i, a := range seedArguments {
		for _, s := range seedSchemas[:4] {
			f.Add([]byte(s), []byte(a))
		}
		f.Add([]byte(seedSchemas[i%len(seedSchemas)]), []byte(a))
	}
	f.Fuzz(func(t *testing.T, schema, arguments []byte) {
		s, err := Compile(schema)
		if err != nil {
			s = nil
		}
		checkRepair(t, s, arguments)
	})
}

// checkRepair holds the properties of every repair.
func checkRepair(t *testing.T, s *Schema, arguments []byte) {
	t.Helper()
	given := bytes.Clone(arguments)
	repaired, paths := s.Repair(arguments)
	if !bytes.Equal(given, arguments) {
		t.Fatal("Repair wrote into its argument")
	}
	empty := len(bytes.TrimSpace(given)) == 0 || string(bytes.TrimSpace(given)) == "null"
	switch {
	case empty:
		if string(repaired) != "{}" || paths != nil {
			t.Errorf("nothing becomes %s %q", repaired, paths)
		}
		return
	case len(paths) == 0:
		if !bytes.Equal(repaired, given) {
			t.Errorf("no path, but %s becomes %s", given, repaired)
		}
		return
	}
	if jsontext.Value(given).IsValid() && !jsontext.Value(repaired).IsValid() {
		t.Errorf("%s becomes %s, which isn't JSON", given, repaired)
	}
	// A second repair finds only text that was inside decoded text.
	_, again := s.Repair(repaired)
	for _, path := range again {
		inside := slices.ContainsFunc(paths, func(p string) bool {
			return p == Whole || strings.HasPrefix(path, p) && path != p
		})
		if !inside {
			t.Errorf("%s is repaired again at %q, after %q", given, path, paths)
		}
	}
}

// generator makes random schemas, and arguments that hold JSON text where an
// object is wanted and where text is.
type generator struct{ *rand.Rand }

func (g generator) schema(depth int) map[string]any {
	kinds := []any{"string", "object", "array", "integer", "null"}
	s := map[string]any{}
	switch g.IntN(6) {
	case 0: // no type
	case 1:
		s["type"] = []any{kinds[g.IntN(5)], kinds[g.IntN(5)]}
		if s["type"].([]any)[0] == s["type"].([]any)[1] {
			s["type"] = s["type"].([]any)[0]
		}
	default:
		s["type"] = kinds[g.IntN(5)]
	}
	if depth == 0 {
		return s
	}
	if g.IntN(2) == 0 {
		s["properties"] = map[string]any{"a": g.schema(depth - 1), "b": g.schema(depth - 1)}
	}
	if g.IntN(3) == 0 {
		s["items"] = g.schema(depth - 1)
	}
	if g.IntN(4) == 0 {
		s[[]string{"anyOf", "oneOf", "allOf"}[g.IntN(3)]] = []any{g.schema(depth - 1), g.schema(depth - 1)}
	}
	if g.IntN(6) == 0 {
		s["additionalProperties"] = g.IntN(2) == 0
	}
	return s
}

func (g generator) value(depth int) any {
	switch n := g.IntN(6); {
	case n == 0 && depth > 0:
		return map[string]any{"a": g.value(depth - 1), "b": g.value(depth - 1)}
	case n == 1 && depth > 0:
		return []any{g.value(depth - 1)}
	case n == 2 && depth > 0:
		text, _ := json.Marshal(g.value(depth - 1))
		return string(text)
	case n == 3:
		return json.Number("9007199254740993.0")
	default:
		return []any{"{}", "[]", `{"a":1.0}`, "text", nil}[g.IntN(5)]
	}
}

func TestRepairNeverTouchesWhatMayBeText(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(1, 2))}
	repairs := 0
	for i := range 2_000 {
		raw, _ := json.Marshal(map[string]any{"type": "object", "properties": map[string]any{"v": g.schema(3), "w": g.schema(2)}})
		s := mustCompile(t, string(raw))
		v, _ := json.Marshal(g.value(3))
		arguments := fmt.Appendf(nil, `{"v":%s,"w":"{}"}`, v)
		checkRepair(t, s, arguments)
		repaired, paths := s.Repair(arguments)
		repairs += len(paths)
		// Arguments that fit already have no text where none is allowed.
		if fine, _ := s.Check(arguments); fine == nil && len(paths) > 0 {
			t.Fatalf("case %d: %s fits %s, and still becomes %s at %q", i, arguments, raw, repaired, paths)
		}
	}
	if repairs < 100 {
		t.Errorf("only %d repairs: the test says little", repairs)
	}
}
