package argcheck

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustCompile(t testing.TB, schema string) *Schema {
	t.Helper()
	s, err := Compile([]byte(schema))
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	return s
}

func sentences(problems []Problem) []string {
	var all []string
	for _, p := range problems {
		all = append(all, p.Text)
	}
	return all
}

// shifts is the schema of a pager tool, with a $ref and a nullable.
const shifts = `{"type":"object","$defs":{"ShiftQuery":{"type":"object","properties":{
	"team":{"type":"string"},
	"limit":{"anyOf":[{"type":"integer","minimum":1,"maximum":100},{"type":"null"}],"default":null},
	"kind":{"type":"string","enum":["primary","backup"]},
	"color":{"type":"string"}
	},"required":["team"],"additionalProperties":false}},
	"properties":{"query":{"$ref":"#/$defs/ShiftQuery"}},"required":["query"]}`

// tree is a recursive schema.
const tree = `{"type":"object","$defs":{"Node":{"type":"object","properties":{
	"id":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/Node"}}},"required":["id"]}},
	"properties":{"root":{"$ref":"#/$defs/Node"}},"required":["root"]}`

// shapes is a union told apart by a const.
const shapes = `{"type":"object","properties":{"shape":{"oneOf":[
	{"$ref":"#/$defs/circle"},{"$ref":"#/$defs/square"},{"type":"null"}]}},
	"$defs":{
	"circle":{"type":"object","properties":{"kind":{"const":"circle"},"radius":{"type":"number","exclusiveMinimum":0}},"required":["kind","radius"]},
	"square":{"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number"},"unit":{"enum":["mm","cm"]}},"required":["kind","side"],"additionalProperties":false}}}`

func prop(schema string) string {
	return `{"type":"object","properties":{"v":` + schema + `}}`
}

type checkCase struct {
	schema, arguments string
	want              []string // sentences
}

func runChecks(t *testing.T, tests map[string]checkCase) {
	t.Helper()
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			problems, _ := mustCompile(t, tt.schema).Check([]byte(tt.arguments))
			got := sentences(problems)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	runChecks(t, map[string]checkCase{
		"arguments that fit through a reference have no problem": {
			shifts, `{"query":{"team":"blue","limit":null,"kind":"backup"}}`, nil,
		},
		"a missing key inside a reference is named with its path": {
			shifts, `{"query":{"limit":5}}`, []string{"query.team is required"},
		},
		"a wrong enum value and an unknown key are both reported": {
			shifts, `{"query":{"team":"blue","kind":"main","colour":1}}`, []string{
				`query.colour is not a known key (allowed: color, kind, limit, team); did you mean "color"?`,
				`query.kind must be one of "primary", "backup"`,
			},
		},
		"a near enum value is offered": {
			shifts, `{"query":{"team":"blue","kind":"Primary"}}`, []string{
				`query.kind must be one of "primary", "backup"; did you mean "primary"?`,
			},
		},
		"an unknown key near a missing one names both": {
			shifts, `{"query":{"taem":"blue"}}`, []string{
				`query.taem is not a known key (allowed: color, kind, limit, team); did you mean "team"?`,
				`query.team is required; you sent "taem": rename it to "team"`,
			},
		},
		"a missing key is offered for a near one where other keys are allowed": {
			`{"type":"object","properties":{"user_id":{"type":"string"}},"required":["user_id"]}`, `{"userId":"u"}`,
			[]string{`user_id is required; you sent "userId": rename it to "user_id"`},
		},
		"a wrong type where values are listed lists them": {
			prop(`{"type":"string","enum":["a",null,"b"]}`), `{"v":7}`, []string{`v must be one of "a", "b"`},
		},
		"a nullable with a wrong type names both types": {
			shifts, `{"query":{"team":"blue","limit":"many"}}`, []string{"query.limit must be integer or null, not string"},
		},
		"a number sent as text is told to lose its quotes": {
			shifts, `{"query":{"team":"blue","limit":"5"}}`, []string{"query.limit must be integer or null, not string; send it without quotes"},
		},
		"a nullable out of range reports the range, not the null": {
			shifts, `{"query":{"team":"blue","limit":500}}`, []string{"query.limit must be at most 100"},
		},
		"a number with a fraction is not an integer": {
			shifts, `{"query":{"team":"blue","limit":1.5}}`, []string{"query.limit must be integer or null, not a number with a fraction"},
		},
		"one point zero is an integer": {
			shifts, `{"query":{"team":"blue","limit":1.0}}`, nil,
		},
		"a fault deep in a recursive schema has its whole path": {
			tree, `{"root":{"id":"a","kids":[{"id":"b","kids":[{"kids":[]}]}]}}`, []string{"root.kids[0].kids[0].id is required"},
		},
		"an object sent as text that isn't JSON asks for JSON": {
			shifts, `{"query":"team=blue"}`, []string{"query must be object, not string; send JSON, not text"},
		},
	})
}

func TestCheckArgumentsAsAWhole(t *testing.T) {
	runChecks(t, map[string]checkCase{
		"arguments that are text as a whole": {
			shifts, `"team=blue"`, []string{"arguments must be object, not string; send JSON, not text"},
		},
		"arguments that are an array": {shifts, `[]`, []string{"arguments must be object, not array"}},
		"absent arguments are an empty object": {
			shifts, ``, []string{"query is required"},
		},
		"null arguments are an empty object": {shifts, ` null `, []string{"query is required"}},
		"arguments that aren't JSON":         {shifts, `{"query":`, []string{"arguments must be one valid JSON object without repeated keys"}},
		"arguments with a repeated key":      {shifts, `{"query":{},"query":{}}`, []string{"arguments must be one valid JSON object without repeated keys"}},
		"arguments with more after them":     {shifts, `{} {}`, []string{"arguments must be one valid JSON object without repeated keys"}},
		"arguments nested too deeply": {
			`{}`, `{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, []string{"arguments must not nest deeper than 200 levels"},
		},
	})
}

func TestCheckReportsTheBranchThatFitsBest(t *testing.T) {
	runChecks(t, map[string]checkCase{
		"a union reports the branch that its const names": {
			shapes, `{"shape":{"kind":"square","unit":"inch","sde":1}}`, []string{
				`shape.sde is not a known key (allowed: kind, side, unit); did you mean "side"?`,
				`shape.side is required; you sent "sde": rename it to "side"`,
				`shape.unit must be one of "mm", "cm"`,
			},
		},
		"a union whose const is unknown lists the constants": {
			shapes, `{"shape":{"kind":"oval","radius":1}}`, []string{`shape.kind must be one of "circle", "square"`},
		},
		"a union of another type lists the types": {
			shapes, `{"shape":7}`, []string{"shape must be object or null, not number"},
		},
		"an enum or null reads as one sentence": {
			prop(`{"anyOf":[{"enum":["a","b"]},{"type":"null"}]}`), `{"v":"c"}`, []string{`v must be one of "a", "b" or null`},
		},
		"a oneOf that fits twice says so": {
			prop(`{"oneOf":[{"type":"number"},{"type":"integer"}]}`), `{"v":1}`,
			[]string{"v fits more than one of the forms of which exactly one must fit (numbers 1 and 2 of oneOf)"},
		},
		"branches that want one key each are joined": {
			`{"type":"object","anyOf":[{"required":["b"]},{"required":["a"]},{"required":["c","d"]}]}`, `{}`,
			[]string{`arguments must have "b", or "a", or "c" and "d"`},
		},
		"all branches of allOf are reported, each fault once": {
			`{"type":"object","allOf":[{"required":["a"]},{"required":["a","b"]}]}`, `{}`, []string{"a is required", "b is required"},
		},
		"unevaluatedProperties knows the keys of all branches": {
			`{"type":"object","allOf":[{"properties":{"alpha":{}}}],"properties":{"beta":{}},"unevaluatedProperties":false}`, `{"alpha":1,"bete":2}`,
			[]string{`bete is not a known key (allowed: alpha, beta); did you mean "beta"?`},
		},
		"the else branch is reported when if doesn't fit": {
			`{"type":"object","if":{"properties":{"k":{"const":1}},"required":["k"]},"then":{"required":["a"]},"else":{"required":["b"]}}`, `{"k":2}`,
			[]string{"b is required"},
		},
		"a pair of keys that exclude one another": {
			`{"type":"object","not":{"required":["a","b"]}}`, `{"a":1,"b":2}`, []string{`arguments must not have "a" and "b" together`},
		},
		"a schema of false": {prop(`false`), `{"v":1}`, []string{"v is not allowed here"}},
		"a tool without any keys": {
			`{"type":"object","additionalProperties":false}`, `{"x":1}`, []string{"x is not a known key (none is allowed here)"},
		},
		"a key that is required with another": {
			`{"type":"object","dependentRequired":{"a":["b"]}}`, `{"a":1}`, []string{`b is required when "a" is given`},
		},
		"a key that is required with another in draft-07": {
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","dependencies":{"a":["b"]}}`, `{"a":1}`, []string{`b is required when "a" is given`},
		},
	})
}

func TestCheckOrdersAndCompares(t *testing.T) {
	runChecks(t, map[string]checkCase{
		"several faults come in the order of their paths": {
			`{"type":"object","properties":{"items":{"type":"array","items":{"type":"integer"}}},"required":["z"]}`,
			`{"items":[1,"a",2,3,4,5,6,7,8,9,true]}`,
			[]string{"items[1] must be integer, not string", "items[10] must be integer, not boolean", "z is required"},
		},
		"odd keys are quoted": {
			`{"type":"object","additionalProperties":{"type":"object","additionalProperties":{"type":"integer"}}}`,
			`{"a b":{"0":"x","":null,"ok-1":null}}`,
			[]string{`["a b"][""] must be integer, not null`, `["a b"]["0"] must be integer, not string`, `["a b"].ok-1 must be integer, not null`},
		},
		"a big integer isn't rounded": {
			prop(`{"const":9007199254740993}`), `{"v":9007199254740992}`, []string{"v must be 9007199254740993"},
		},
		"a big integer that fits": {prop(`{"enum":[9007199254740993]}`), `{"v":9007199254740993}`, nil},
		"a huge exponent":         {prop(`{"type":"integer","maximum":10}`), `{"v":1e999999999}`, []string{"v must be at most 10"}},
		"a tiny exponent":         {prop(`{"type":"integer"}`), `{"v":1e-99999999999999999999}`, []string{"v must be integer, not a number with a fraction"}},
		"a decimal step is exact": {prop(`{"multipleOf":0.01}`), `{"v":0.07}`, nil},
		"a wrong decimal step":    {prop(`{"multipleOf":0.01}`), `{"v":0.075}`, []string{"v must be a multiple of 0.01"}},
		"bounds": {
			`{"type":"object","properties":{"a":{"minimum":1},"b":{"exclusiveMinimum":0.5},"c":{"exclusiveMaximum":2},"d":{"maximum":-1}}}`,
			`{"a":0,"b":0,"c":2,"d":0}`,
			[]string{"a must be at least 1", "b must be greater than 0.5", "c must be less than 2", "d must be at most -1"},
		},
		"sizes": {
			`{"type":"object","maxProperties":7,"properties":{"a":{"minLength":1},"b":{"maxLength":2},"c":{"minItems":1},"d":{"maxItems":1},"e":{"minProperties":1},"f":{"uniqueItems":true},"g":{"contains":{"const":1}},"h":{"prefixItems":[{}],"items":false}}}`,
			`{"a":"","b":"žąsis","c":[],"d":[1,2],"e":{},"f":[1,2,1.0],"g":[2],"h":[1,2]}`,
			[]string{
				"arguments must have at most 7 keys, not 8",
				"a must have at least 1 character, not 0", "b must have at most 2 characters, not 5", "c must have at least 1 item, not 0",
				"d must have at most 1 item, not 2", "e must have at least 1 key, not 0", "f must not repeat an item: items 0 and 2 are equal",
				"g must have an item that fits the schema of contains", "h[1] is not allowed here",
			},
		},
		"a count beyond all numbers is no limit": {prop(`{"maxLength":1e300}`), `{"v":"x"}`, nil},
		"a key that propertyNames refuses": {
			`{"type":"object","propertyNames":{"pattern":"^[a-z]+$"}}`, `{"OK":1}`, []string{`arguments has a key that isn't allowed by its propertyNames: "OK"`},
		},

		"formats are annotations in 2020-12": {prop(`{"format":"email"}`), `{"v":"x"}`, nil},
		"formats are annotations in draft-07": {
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"v":{"format":"date"}}}`, `{"v":"x"}`, nil,
		},
		"a oneOf told apart by formats isn't refused": {
			prop(`{"oneOf":[{"type":"string","format":"date"},{"type":"string","format":"uuid"}]}`), `{"v":"x"}`, nil,
		},
	})
}

func TestAProblemHasThePathOfItsText(t *testing.T) {
	got, _ := mustCompile(t, shifts).Check([]byte(`{"query":{"kind":1}}`))
	want := []Problem{
		{"query.kind", `query.kind must be one of "primary", "backup"`},
		{"query.team", "query.team is required"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestManyProblemsAreCut(t *testing.T) {
	s := mustCompile(t, `{"type":"object","additionalProperties":false}`)
	var members []string
	for i := range 100 {
		members = append(members, fmt.Sprintf(`"k%03d":0`, i))
	}
	got, _ := s.Check([]byte("{" + strings.Join(members, ",") + "}"))
	if len(got) != maxProblems+1 || got[maxProblems] != (Problem{"", "and 70 more"}) {
		t.Errorf("%d problems, the last one %+v", len(got), got[len(got)-1])
	}
}

func TestTextsStayShortAndShowNoValue(t *testing.T) {
	const secret = "s3cr3t-value-that-is-never-shown"
	long := strings.Repeat("x", 5000)
	var many []string
	for i := range 500 {
		many = append(many, fmt.Sprintf(`"%s%d"`, long[:100], i))
	}
	schemas := []string{
		`{"type":"integer"}`, `{"enum":["a"]}`, `{"const":"` + long + `"}`, `{"pattern":"^a` + long[:1000] + `$"}`, `{"maxLength":3}`, `{"not":{}}`,
		`{"type":"object"}`, `{"anyOf":[{"type":"integer"},{"maxLength":2}]}`, `{"oneOf":[{},{}]}`, `{"enum":[` + strings.Join(many, ",") + `]}`,
		`{"type":["object","null"]}`, `{"minLength":9999}`,
	}
	for _, schema := range schemas {
		problems, _ := mustCompile(t, prop(schema)).Check([]byte(`{"v":"` + secret + `"}`))
		if len(problems) == 0 {
			t.Errorf("%.60s finds nothing", schema)
		}
		for _, p := range problems {
			if strings.Contains(p.Text, secret) || len(p.Text) > 600 {
				t.Errorf("%.60s: text of %d bytes: %.200s", schema, len(p.Text), p.Text)
			}
		}
	}
	keys := mustCompile(t, `{"type":"object","properties":{"`+long+`":{}},"additionalProperties":false}`)
	problems, _ := keys.Check([]byte(`{"` + long + `y":1}`))
	for _, p := range problems {
		if len(p.Text) > 600 || len(p.Path) > 300 {
			t.Errorf("a long key makes a text of %d bytes", len(p.Text))
		}
	}
}

func TestASchemaThatDoesNotCompileFindsNothing(t *testing.T) {
	var s *Schema
	if got, checked := s.Check([]byte(`7`)); got != nil || checked {
		t.Errorf("Check: %v", got)
	}
}
