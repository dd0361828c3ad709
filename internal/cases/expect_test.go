package cases

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
)

// wrong is an exchange that meets no expectation of TestEveryExpectationCanFail.
func wrong(result string) *exchange {
	return &exchange{header: http.Header{"X-There": {"1"}}, body: []byte(`{"result":` + result + `}`), result: json.RawMessage(result),
		upstream: []upstreamtest.Request{{Name: "surprise", Arguments: json.RawMessage(`{"n":1}`)}}}
}

const (
	textResult = `{"content":[{"type":"text","text":"1. odd | src | call_read_tool | none\n2. even | src | call_read_tool | none"}],"isError":false}`
	itemResult = `{"content":[{"type":"text","text":"[2] nobody: ok"},{"type":"text","text":"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee"}]}`
	toolResult = `{"content":[{"type":"text","text":"x:\n{\"name\":\"x\",\"inputSchema\":{\"$ref\":\"#/$defs/none\"}}"}]}`
	listResult = `{"tools":[{"name":"Odd","description":"long description here","inputSchema":{"type":"object","properties":{},"anyOf":[]},"annotations":{"readOnlyHint":true}}]}`
	boolResult = `{"tools":[{"name":"odd","inputSchema":{"type":["object"],"properties":{"a":true}}}]}`
)

func TestEveryExpectationCanFail(t *testing.T) {
	tests := []struct{ expect, result, want string }{
		{`{"upstream_calls":0}`, textResult, "got 1 calls, want 0"},
		{`{"upstream_calls":[{"name":"surprise","arguments":{"n":1.0}}]}`, textResult, `{"n":1}, want surprise {"n":1.0}`},
		{`{"upstream_calls":"many"}`, textResult, "neither a number nor calls"},
		{`{"upstream_calls_each":[{"name":"other"}]}`, textResult, "want other"},
		{`{"upstream_calls_names":[]}`, textResult, `calls of ["surprise"]`},
		{`{"isError":true}`, textResult, "isError is false"},
		{`{"response_header":"x-missing"}`, textResult, "x-missing is missing"},
		{`{"response_header_absent":"x-there"}`, textResult, "x-there is there"},
		{`{"text_names":["nothing"]}`, textResult, `not say "nothing"`},
		{`{"text_has_schema_of":"known"}`, textResult, "lacks the input schema"},
		{`{"absent_everywhere":["EVEN"]}`, textResult, `"EVEN" is in the answer`},
		{`{"first":"even"}`, textResult, "even is hit 2, want 1"},
		{`{"first_names_any_order":["even"]}`, textResult, "even is hit 2"},
		{`{"in_top":{"even":1}}`, textResult, "even is hit 2"},
		{`{"contains_names":["absent"]}`, textResult, "absent is no hit"},
		{`{"not_first":["odd"]}`, textResult, "odd is the first hit"},
		{`{"max_results":1}`, textResult, "2 hits, want at most 1"},
		{`{"door_of":{"odd":"call_write_tool"}}`, textResult, "odd runs with call_write_tool"},
		{`{"per_item":[{},{}]}`, itemResult, "1 items, want 2"},
		{`{"per_item":[{"isError":true}]}`, itemResult, "item 1 is ok"},
		{`{"per_item":[{"text_names":["gone"]}]}`, itemResult, `item 1 does not say "gone"`},
		{`{"each_item_labelled_with_index_and_name":true}`, itemResult, "labelled [2] nobody"},
		{`{"each_item_labelled_with_index_and_name":true}`, textResult, "no item is labelled"},
		{`{"content_types_in_order_contain":["image"]}`, itemResult, `want ["image"]`},
		{`{"no_base64_inside_text":true}`, itemResult, "holds Base64"},
		{`{"result_deep_equals_upstream":true}`, textResult, "result is"},
		{`{"digits_preserved":["9007199254740993"]}`, textResult, "9007199254740993 are not"},
		{`{"definition_contains":["outputSchema"]}`, toolResult, "lacks outputSchema"},
		{`{"definition_contains":["name"]}`, textResult, "no definition"},
		{`{"schema_of":"known"}`, toolResult, "want the one of known"},
		{`{"every_ref_resolves_inside_the_returned_schema":true}`, toolResult, "#/$defs/none leads nowhere"},
		{`{"counter_increases":"schemas"}`, textResult, "did not increase"},
		{`{"network_fetches":0}`, textResult, "1 documents were fetched"},
		{`{"names_exactly":["even"]}`, listResult, `tools are ["Odd"]`},
		{`{"names_exactly":["even"]}`, textResult, "lists no tools"},
		{`{"every_tool":{"inputSchema.type":"string"}}`, listResult, "type is object"},
		{`{"every_tool":{"inputSchema.type":"object","inputSchema.properties":"present, non-empty"}}`, listResult, "properties is missing"},
		{`{"every_tool":{"inputSchema.type":"object","inputSchema.properties":"maybe"}}`, listResult, "not understood"},
		{`{"every_tool":{"inputSchema.type":"object","root_keywords_absent":["anyOf"]}}`, listResult, "anyOf at its root"},
		{`{"every_tool":{"inputSchema.type":"object","name_regex":"^[a-z]+$"}}`, listResult, "does not match"},
		{`{"every_tool":{"inputSchema.type":"object","description_max_utf16_units":5}}`, listResult, "21 UTF-16 units"},
		{`{"every_tool":{"no_boolean_property_schemas":true}}`, boolResult, "schema of a is a boolean"},
		{`{"every_tool":{"no_type_arrays":true}}`, boolResult, "type is an array"},
		{`{"annotations":{"Odd":{"readOnlyHint":false}}}`, listResult, "readOnlyHint is true"},
		{`{"free_form":{"Odd.a":{"type":"object","additionalProperties":true}}}`, listResult, "Odd.a is"},
		{`{"free_form":{"even.a":{"type":"object","additionalProperties":true}}}`, listResult, "no tool even"},
		{`{"total_tokens_max":3,"tokenizer":"o200k_base over compact JSON of name, description and inputSchema"}`, listResult, "tokens, at most 3"},
		{`{"total_tokens_max":3,"tokenizer":"by hand"}`, listResult, "not understood"},
	}
	for _, tt := range tests {
		t.Run(tt.expect+" "+tt.want, func(t *testing.T) {
			f, err := Parse([]byte(`{"cases":[{"name":"x","expect":` + tt.expect + `}]}`))
			if err != nil {
				t.Fatal(err)
			}
			p := &player{stack: Stack{Uncompilable: func() int { return 0 }}, fetches: &atomic.Int64{},
				tools: []string{`{"name":"known","inputSchema":{"type":"object"}}`}}
			p.fetches.Add(1)
			if got := strings.Join(p.faults(f.Cases[0], wrong(tt.result), 0), "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("faults %q, want one that says %q", got, tt.want)
			}
		})
	}
	tried := ""
	for _, tt := range tests {
		tried += tt.expect
	}
	for _, key := range keysOf(reflect.TypeFor[Expect]()) {
		switch key {
		case "why", "note": // words for people
		case "result_tools_bytes_identical": // TestAListThatChangesIsSeen
		default:
			if !strings.Contains(tried, `"`+key+`"`) {
				t.Errorf("nothing shows that the expectation %s can fail", key)
			}
		}
	}
}

func keysOf(t reflect.Type) []string {
	var keys []string
	for f := range t.Fields() {
		switch {
		case f.Anonymous:
			keys = append(keys, keysOf(f.Type)...)
		case f.Type == reflect.TypeFor[*ToolExpect]():
			keys = append(keys, append(keysOf(f.Type.Elem()), f.Tag.Get("json"))...)
		default:
			keys = append(keys, f.Tag.Get("json"))
		}
	}
	return keys
}

func TestAnUnknownKeyIsAnError(t *testing.T) {
	for name, text := range map[string]string{
		"in the file":         `{"cases":[{"name":"x"}],"sources":[]}`,
		"in a case":           `{"cases":[{"name":"x","setup":1}]}`,
		"in an expectation":   `{"cases":[{"name":"x","expect":{"isEror":true}}]}`,
		"in a tool's":         `{"cases":[{"name":"x","expect":{"every_tool":{"x":1}}}]}`,
		"in the operator's":   `{"cases":[{"name":"x"}],"operator":{"deny":[]}}`,
		"no cases at all":     `{"cases":[]}`,
		"two files in one":    `{"cases":[{"name":"x"}]} {}`,
		"an empty generator":  `{"cases":[{"name":"x"}],"catalog_generator":{"count":0}}`,
		"something else than": `[]`,
	} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
