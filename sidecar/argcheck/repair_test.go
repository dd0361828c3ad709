package argcheck

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ticket is the schema of a tool with an object, an array and free text.
const ticket = `{"type":"object","properties":{
	"ticket":{"type":"string"},
	"fields":{"type":"object","properties":{"summary":{"type":"string"},"labels":{"type":"array","items":{"type":"string"}},"more":{"type":"object"}},"additionalProperties":true},
	"note":{"type":"string"}},"required":["ticket","fields"],"additionalProperties":false}`

// repairCase has no want where the arguments stay as they are.
type repairCase struct {
	schema, arguments, want string
	paths                   []string
}

func runRepairs(t *testing.T, tests map[string]repairCase) {
	t.Helper()
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.want == "" {
				tt.want = tt.arguments
			}
			s := mustCompile(t, tt.schema)
			got, paths := s.Repair([]byte(tt.arguments))
			if string(got) != tt.want {
				t.Errorf("arguments\n%s, want\n%s", got, tt.want)
			}
			if diff := cmp.Diff(tt.paths, paths); diff != "" {
				t.Errorf("paths (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRepair(t *testing.T) {
	runRepairs(t, map[string]repairCase{
		"the whole arguments as text": {
			ticket, `"{\"ticket\":\"OPS-7\",\"fields\":{\"summary\":\"Rotate key\"}}"`, `{"ticket":"OPS-7","fields":{"summary":"Rotate key"}}`, []string{Whole},
		},
		"one object as text": {
			ticket, `{"ticket":"OPS-7","fields":"{\"labels\":[\"infra\",\"soon\"]}"}`, `{"ticket":"OPS-7","fields":{"labels":["infra","soon"]}}`, []string{"fields"},
		},
		"an array in an object as text": {
			ticket, `{"fields":{"labels":"[\"a\"]"}}`, `{"fields":{"labels":["a"]}}`, []string{"fields.labels"},
		},
		"several places, in their order": {
			ticket, `{"fields":{"more":"{}","labels":"[]"}}`, `{"fields":{"more":{},"labels":[]}}`, []string{"fields.more", "fields.labels"},
		},
		"text in a text property stays text": {ticket, `{"ticket":"OPS-7","fields":{},"note":"{\"keep\":\"me\"}"}`, "", nil},
		"text that isn't JSON stays":         {ticket, `"ticket=OPS-7"`, "", nil},
		"text in a key nobody knows stays":   {ticket, `{"fields":{"other":"{}"},"else":"{}"}`, "", nil},
		"text of the wrong type stays":       {ticket, `{"fields":"[1]"}`, "", nil},
		"whole arguments of the wrong type":  {ticket, `"[1]"`, "", nil},
		"text of a number stays":             {ticket, `{"fields":"7"}`, "", nil},
		"text of null stays":                 {ticket, `{"fields":"null"}`, "", nil},
		"text of text stays":                 {ticket, `{"fields":"\"{}\""}`, "", nil},
		"empty text stays":                   {ticket, `{"fields":""}`, "", nil},
		"text with a repeated key stays":     {ticket, `{"fields":"{\"a\":1,\"a\":2}"}`, "", nil},
		"text with more after it stays":      {ticket, `{"fields":"{} {}"}`, "", nil},
		"text with half a character stays":   {ticket, `{"fields":"{\"a\":\"\\ud800\"}"}`, "", nil},
		"text that nests too deeply stays":   {ticket, `{"fields":"{\"a\":` + strings.Repeat("[", 199) + strings.Repeat("]", 199) + `}"}`, "", nil},
		"text that just fits": {
			ticket, `{"fields":"{\"a\":` + strings.Repeat("[", 198) + strings.Repeat("]", 198) + `}"}`,
			`{"fields":{"a":` + strings.Repeat("[", 198) + strings.Repeat("]", 198) + `}}`, []string{"fields"},
		},
		"text inside decoded text stays text": {
			ticket, `{"fields":"{\"more\":\"{}\"}"}`, `{"fields":{"more":"{}"}}`, []string{"fields"},
		},
		"text inside whole decoded text stays text": {
			ticket, `"{\"fields\":\"{}\"}"`, `{"fields":"{}"}`, []string{Whole},
		},
		"all other bytes stay": {
			ticket, " { \"ticket\" : \"\\u004fPS\" ,\n\"n\": 12345678901234567890.0 , \"fields\":\"{ \\\"b\\\" : 1.0 ,\\n\\\"a\\\":9007199254740993, \\\"e\\\":\\\"\\\\u0041\\\" }\", \"z\":1e2 } ",
			" { \"ticket\" : \"\\u004fPS\" ,\n\"n\": 12345678901234567890.0 , \"fields\":{\"b\":1.0,\"a\":9007199254740993,\"e\":\"\\u0041\"}, \"z\":1e2 } ", []string{"fields"},
		},
		"absent arguments are an empty object": {ticket, ``, `{}`, nil},
		"null arguments are an empty object":   {ticket, ` null`, `{}`, nil},
		"arguments that aren't JSON stay":      {ticket, `{"fields":"{}"`, "", nil},
		"arguments with a repeated key stay":   {ticket, `{"fields":"{}","fields":"{}"}`, "", nil},
		"an array of arguments stays":          {ticket, `["{}"]`, "", nil},
	})
}

func TestRepairKnowsThePlace(t *testing.T) {
	runRepairs(t, map[string]repairCase{
		"through a reference": {shifts, `{"query":"{\"team\":\"blue\"}"}`, `{"query":{"team":"blue"}}`, []string{"query"}},
		"in the items of a recursive schema": {
			tree, `{"root":{"id":"{}","kids":["{\"id\":\"b\"}",{"id":"c","kids":"[]"}]}}`,
			`{"root":{"id":"{}","kids":[{"id":"b"},{"id":"c","kids":[]}]}}`, []string{"root.kids[0]", "root.kids[1].kids"},
		},
		"an object or null":                {prop(`{"anyOf":[{"type":"null"},{"type":"object"}]}`), `{"v":"{}"}`, `{"v":{}}`, []string{"v"}},
		"an object or null by type":        {prop(`{"type":["object","null"]}`), `{"v":"{}"}`, `{"v":{}}`, []string{"v"}},
		"an object or text":                {prop(`{"type":["object","string"]}`), `{"v":"{}"}`, "", nil},
		"an object or text by anyOf":       {prop(`{"anyOf":[{"type":"object"},{"type":"string"}]}`), `{"v":"{}"}`, "", nil},
		"an object or one of some texts":   {prop(`{"oneOf":[{"type":"object"},{"enum":["all"]}]}`), `{"v":"{}"}`, "", nil},
		"an object or one of some numbers": {prop(`{"oneOf":[{"type":"object"},{"enum":[1,2]}]}`), `{"v":"{}"}`, `{"v":{}}`, []string{"v"}},
		"anything":                         {prop(`{}`), `{"v":"{}"}`, "", nil},
		"properties without a type":        {prop(`{"properties":{"a":{}}}`), `{"v":"{}"}`, "", nil},
		"nothing":                          {prop(`false`), `{"v":"{}"}`, "", nil},
		"an allOf that excludes text":      {prop(`{"allOf":[{"type":["object","string"]},{"type":["object","array"]}]}`), `{"v":"{}"}`, `{"v":{}}`, []string{"v"}},
		"an allOf that leaves arrays":      {prop(`{"allOf":[{"type":["object","array"]},{"type":["array"]}]}`), `{"v":"{}"}`, "", nil},
		"a key by its pattern": {
			`{"type":"object","patternProperties":{"^x-":{"type":"object"}},"additionalProperties":{"type":"array"}}`, `{"x-a":"{}","b":"[]","x-c":"[]"}`, `{"x-a":{},"b":[],"x-c":"[]"}`, []string{"x-a", "b"},
		},
		"a key by a pattern that can't be decided": {`{"type":"object","patternProperties":{"^(?!y)":{"type":"object"}}}`, `{"x":"{}"}`, "", nil},
		"a tuple": {prop(`{"type":"array","prefixItems":[{"type":"string"},{"type":"object"}],"items":{"type":"array"}}`), `{"v":["{}","{}","[]","{}"]}`, `{"v":["{}",{},[],"{}"]}`, []string{"v[1]", "v[2]"}},
		"a tuple of draft-07": {
			`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"v":{"items":[{"type":"string"},{"type":"object"}],"additionalItems":{"type":"array"}}}}`,
			`{"v":["{}","{}","[]"]}`, `{"v":["{}",{},[]]}`, []string{"v[1]", "v[2]"},
		},
		"a branch by its const": {
			prop(`{"oneOf":[{"type":"object","properties":{"k":{"const":"a"},"d":{"type":"object"}}},{"type":"object","properties":{"k":{"const":"b"},"d":{"type":"string"}}}]}`),
			`{"v":{"k":"a","d":"{}"}}`, `{"v":{"k":"a","d":{}}}`, []string{"v.d"},
		},
		"the other branch by its const": {
			prop(`{"oneOf":[{"type":"object","properties":{"k":{"const":"a"},"d":{"type":"object"}}},{"type":"object","properties":{"k":{"const":"b"},"d":{"type":"string"}}}]}`),
			`{"v":{"k":"b","d":"{}"}}`, "", nil,
		},
		"branches of which one allows text": {
			prop(`{"anyOf":[{"type":"object","properties":{"d":{"type":"object"}}},{"type":"object","properties":{"d":{"type":"string"}}}]}`), `{"v":{"d":"{}"}}`, "", nil,
		},
		"a branch that doesn't have the key": {
			prop(`{"anyOf":[{"type":"object","properties":{"d":{"type":"object"}}},{"type":"object","properties":{"e":{}},"additionalProperties":false}]}`), `{"v":{"d":"{}"}}`, `{"v":{"d":{}}}`, []string{"v.d"},
		},
		"an odd key":     {`{"type":"object","properties":{"a b":{"type":"object"}}}`, `{"a b":"{}"}`, `{"a b":{}}`, []string{`["a b"]`}},
		"an escaped key": {prop(`{"type":"object"}`), `{"\u0076":"{}"}`, `{"\u0076":{}}`, []string{"v"}},
	})
}

func TestASchemaThatDoesNotCompileRepairsTheWholeOnly(t *testing.T) {
	var s *Schema
	for arguments, want := range map[string]string{``: `{}`, `null`: `{}`, `"{\"a\":\"{}\"}"`: `{"a":"{}"}`, `{"a":"{}"}`: `{"a":"{}"}`} {
		if got, _ := s.Repair([]byte(arguments)); string(got) != want {
			t.Errorf("%s becomes %s, want %s", arguments, got, want)
		}
	}
}
