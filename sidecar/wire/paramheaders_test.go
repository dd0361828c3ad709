package wire_test

import (
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

// show is a list of headers as one text.
func show(headers []wire.ParamHeader) string {
	var all []string
	for _, h := range headers {
		all = append(all, h.Name+"="+strings.Join(h.Path, "/")+":"+h.Type)
	}
	return strings.Join(all, " ")
}

func TestParamHeaders(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, schema, want string }{
		{"every type, in the order of the schema", `{"properties":{"b":{"x-mcp-header":"B","type":"string"},"a":{"type":"integer","x-mcp-header":"A"},"c":{"type":"boolean","x-mcp-header":"c"}}}`,
			"B=b:string A=a:integer c=c:boolean"},
		{"nested by properties", `{"type":"object","properties":{"o":{"properties":{"p":{"type":"string","x-mcp-header":"P"},"q":{"type":"string","x-mcp-header":"Q"}}},"r":{"type":"string","x-mcp-header":"R"}}}`,
			"P=o/p:string Q=o/q:string R=r:string"},
		{"a property called x-mcp-header is none", `{"properties":{"x-mcp-header":{"type":"string"},"properties":{"type":"string"}}}`, ""},
		{"data is no schema", `{"default":{"x-mcp-header":"A"},"properties":{"a":{"enum":[{"x-mcp-header":"A"}],"const":{"x-mcp-header":1},"examples":[{"x-mcp-header":""}]}}}`, ""},
		{"every token character", `{"properties":{"a":{"type":"string","x-mcp-header":"!#$%&'*+-.^_|~09azAZ` + "`" + `"}}}`, "!#$%&'*+-.^_|~09azAZ`=a:string"},
		{"of a type twice the last counts", `{"properties":{"a":{"type":"number","x-mcp-header":"A","type":"string"}}}`, "A=a:string"},
		{"no schema", ``, ""},
		{"null", `null`, ""},
		{"true", `true`, ""},
		{"properties that are no object", `{"properties":[{"x-mcp-header":1}],"items":true,"$defs":3}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := wire.ParamHeaders([]byte(tt.schema))
			if err != nil || show(got) != tt.want {
				t.Errorf("got %q, %v, want %q", show(got), err, tt.want)
			}
		})
	}
}

func TestParamHeadersRefuses(t *testing.T) {
	t.Parallel()
	at := func(annotation string) string {
		return `{"properties":{"a":{"type":"string","x-mcp-header":` + annotation + `}}}`
	}
	annotated := `{"type":"string","x-mcp-header":"A"}`
	tests := map[string]string{
		"empty":                    at(`""`),
		"a space":                  at(`"A B"`),
		"a colon":                  at(`"A:B"`),
		"a line break":             at(`"A\r\nAuthorization"`),
		"a letter beyond ASCII":    at(`"é"`),
		"a NUL":                    at(`"A\u0000"`),
		"a lone surrogate":         at(`"\ud800"`),
		"not a string":             at(`5`),
		"null":                     at(`null`),
		"on a number":              `{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`,
		"on an object":             `{"properties":{"a":{"type":"object","x-mcp-header":"A"}}}`,
		"on several types":         `{"properties":{"a":{"type":["string","null"],"x-mcp-header":"A"}}}`,
		"on no type":               `{"properties":{"a":{"x-mcp-header":"A"}}}`,
		"twice ignoring case":      `{"properties":{"a":` + annotated + `,"b":{"type":"string","x-mcp-header":"a"}}}`,
		"twice at different depth": `{"properties":{"a":` + annotated + `,"b":{"properties":{"c":` + annotated + `}}}}`,
		"on the root":              annotated,
		"in items":                 `{"properties":{"a":{"type":"array","items":` + annotated + `}}}`,
		"below items":              `{"properties":{"a":{"type":"array","items":{"properties":{"b":` + annotated + `}}}}}`,
		"in a list of items":       `{"properties":{"a":{"items":[true,` + annotated + `]}}}`,
		"in anyOf":                 `{"properties":{"a":{"anyOf":[` + annotated + `]}}}`,
		"below allOf":              `{"allOf":[{"properties":{"a":` + annotated + `}}]}`,
		"in then":                  `{"then":{"properties":{"a":` + annotated + `}}}`,
		"in $defs":                 `{"$defs":{"a":` + annotated + `}}`,
		"in patternProperties":     `{"patternProperties":{"a":` + annotated + `}}`,
		"in additionalProperties":  `{"additionalProperties":` + annotated + `}`,
		"in half a schema":         `{"properties":{"a":` + annotated,
	}
	for name, schema := range tests {
		if got, err := wire.ParamHeaders([]byte(schema)); err == nil {
			t.Errorf("%s: got %q, want an error", name, show(got))
		}
	}
}

func TestParamHeaderValue(t *testing.T) {
	t.Parallel()
	tests := []struct{ arguments, want string }{
		{`{"o":{"p":"eu-1"}}`, "eu-1"},
		{`{"o":{"p":"é"}}`, "=?base64?w6k=?="},
		{`{"o":{"p":"a\r\nb"}}`, "=?base64?YQ0KYg==?="},
		{`{"o":{"p":""}}`, "=?base64??="},
		{`{"o":{"p":true}}`, "true"},
		{`{"o":{"p":false}}`, "false"},
		{`{"o":{"p": -7 }}`, "-7"},
		{`{"o":{"p":9007199254740993}}`, "9007199254740993"},
		{`{"o":{"p":-0}}`, "0"},
		{`{"o":{"p":42.0}}`, "42"},
		{`{"o":{"p":4.2E1}}`, "42"},
		{`{"\u006f":{"p":1}}`, "1"},
		{`{"o":{"p":1.5}}`, ""},
		{`{"o":{"p":1e999999999}}`, ""},
		{`{"o":{"p":1e-999}}`, ""},
		{`{"o":{"p":1e40}}`, ""},
		{`{"o":{"p":null}}`, ""},
		{`{"o":{"p":{}}}`, ""},
		{`{"o":{"p":[1]}}`, ""},
		{`{"o":{}}`, ""},
		{`{"o":[]}`, ""},
		{`{"o":"p"}`, ""},
		{`{"p":1}`, ""},
		{`[]`, ""},
		{`null`, ""},
		{``, ""},
	}
	p := wire.ParamHeader{Name: "P", Path: []string{"o", "p"}, Type: "string"}
	for _, tt := range tests {
		got, ok := p.Value([]byte(tt.arguments))
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("Value(%s) = %q, %v, want %q", tt.arguments, got, ok, tt.want)
		}
	}
}

func TestIsParamHeader(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"Mcp-Param-Region": true, "mcp-param-x": true, "MCP_PARAM_X": true, "Mcp-Param-": true,
		"Mcp-Param": false, "Mcp-Name": false, "X-Mcp-Param-A": false, "": false,
	} {
		if got := wire.IsParamHeader(name); got != want {
			t.Errorf("IsParamHeader(%q) = %v, want %v", name, got, want)
		}
	}
}
