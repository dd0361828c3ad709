package wire_test

import (
	"bytes"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

// toValid is s as JSON can hold it: U+FFFD for each byte that isn't UTF-8.
func toValid(s string) string { return string([]rune(s)) }

func TestFields(t *testing.T) {
	t.Parallel()
	fields, err := wire.Fields([]byte(` { "b" : 1.0 , "\u0061":{"x": [ ] } ,"":"\ud800"} `))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range fields {
		got = append(got, f.Key+"="+string(f.Value))
	}
	if want := `b=1.0 a={"x": [ ] } ="\ud800"`; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if fields, err := wire.Fields([]byte(`{}`)); err != nil || len(fields) != 0 {
		t.Errorf("an empty object gave %v, %v", fields, err)
	}
}

func TestFieldsRefuses(t *testing.T) {
	t.Parallel()
	for name, object := range map[string]string{
		"nothing":                 "",
		"white space":             "  ",
		"null":                    "null",
		"an array":                `[{"a":1}]`,
		"a string":                `"{}"`,
		"two objects":             `{}{}`,
		"an object and a comma":   `{},`,
		"half an object":          `{"a":1`,
		"a name twice":            `{"a":1,"\u0061":2}`,
		"a name twice further in": `{"a":{"b":1,"b":2}}`,
		"a number as a name":      `{1:2}`,
	} {
		if fields, err := wire.Fields([]byte(object)); err == nil {
			t.Errorf("%s gave %v, want an error", name, fields)
		} else if strings.Contains(err.Error(), "{") {
			t.Errorf("%s: the error quotes its input: %v", name, err)
		}
	}
}

func TestSetField(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, object, key, value, want string }{
		{"a member is replaced where it stands", `{ "a" : 1 , "b":2 }`, "a", `[ ]`, `{ "a" : [ ] , "b":2 }`},
		{"an escaped member is found", `{"\u0061":1}`, "a", `2`, `{"\u0061":2}`},
		{"a new member goes to the end", `{"a":{"}":1} }`, "k\"", `{}`, `{"a":{"}":1} ,"k\"":{}}`},
		{"a new member of an empty object has no comma", ` {  } `, "a", `1`, ` {  "a":1} `},
		{"only the outer member is replaced", `{"x":{"a":1},"a":2}`, "a", `3`, `{"x":{"a":1},"a":3}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := []byte(tt.object)
			got, err := wire.SetField(in, tt.key, []byte(tt.value))
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s (%v), want %s", got, err, tt.want)
			}
			if string(in) != tt.object {
				t.Errorf("the input became %s", in)
			}
		})
	}
	if got, err := wire.SetField([]byte(`[]`), "a", []byte(`1`)); err == nil {
		t.Errorf("an array became %s, want an error", got)
	}
}

func TestElements(t *testing.T) {
	t.Parallel()
	got, err := wire.Elements([]byte(` [ 1.0, {"a":[2]} ,"x" ] `))
	if err != nil || string(bytes.Join(got, []byte("|"))) != `1.0|{"a":[2]}|"x"` {
		t.Errorf("got %q, %v", got, err)
	}
	for _, array := range []string{``, `{}`, `null`, `[1`, `[1]2`, `[{"a":1,"a":2}]`} {
		if got, err := wire.Elements([]byte(array)); err == nil {
			t.Errorf("%q gave %q, want an error", array, got)
		}
	}
}

func TestTextIsTakenOnlyAsItIs(t *testing.T) {
	for raw, want := range map[string]string{`"a\u0062"`: "ab", ` "\ud83d\ude00" `: "😀", `"\ufffd"`: "\ufffd"} {
		if got, ok := wire.Text([]byte(raw)); !ok || got != want {
			t.Errorf("%s is %q, %t", raw, got, ok)
		}
	}
	for _, raw := range []string{`"a\ud800"`, "\"a\xff\"", `7`, ``, `"a`, `"a"b`} {
		if got, ok := wire.Text([]byte(raw)); ok || got != "" {
			t.Errorf("%s was taken as %q", raw, got)
		}
	}
}

func TestQuoteAndString(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":              `""`,
		"a<b>&'é😀":      `"a<b>&'é😀"`,
		"\"\\\n\t\x01":  `"\"\\\n\t\u0001"`,
		"bad \xff byte": "\"bad \ufffd byte\"",
		"\u2028":        "\"\u2028\"",
	} {
		token := wire.Quote(text)
		if string(token) != want {
			t.Errorf("Quote(%q) = %s, want %s", text, token, want)
		}
		if back, ok := wire.String(token); !ok || back != toValid(text) {
			t.Errorf("String(%s) = %q, %v", token, back, ok)
		}
	}
	for raw, want := range map[string]string{` "a\u0062" `: "ab", `"\ud800x"`: "\ufffdx", "\"\xff\"": "\ufffd"} {
		if got, ok := wire.String([]byte(raw)); !ok || got != want {
			t.Errorf("String(%q) = %q, %v, want %q", raw, got, ok, want)
		}
	}
	for _, raw := range []string{``, `1`, `null`, `"a`, `"a""b"`, `["a"]`, `"\x"`} {
		if got, ok := wire.String([]byte(raw)); ok {
			t.Errorf("String(%q) = %q, want it refused", raw, got)
		}
	}
}

func TestFirstByteTellsTheType(t *testing.T) {
	t.Parallel()
	is := func(raw string) string {
		var kinds []string
		for name, f := range map[string]func([]byte) bool{"object": wire.IsObject, "array": wire.IsArray, "string": wire.IsString, "null": wire.IsNull} {
			if f([]byte(raw)) {
				kinds = append(kinds, name)
			}
		}
		return strings.Join(kinds, ",")
	}
	for raw, want := range map[string]string{" \n{}": "object", "\t[1]": "array", "\r\"a\"": "string", " null": "null", "1": "", "": "", "  ": "", "true": ""} {
		if got := is(raw); got != want {
			t.Errorf("%q is %q, want %q", raw, got, want)
		}
	}
}

func TestCompact(t *testing.T) {
	t.Parallel()
	in := []byte(" {\"b\" : 1.0,\n\"a\": [ 1e2 , \"\\u0061 \\/ \\ud800\" ] , \"n\":12345678901234567890,\"n\":-0 } ")
	want := `{"b":1.0,"a":[1e2,"\u0061 \/ \ud800"],"n":12345678901234567890,"n":-0}`
	before := bytes.Clone(in)
	if got := string(wire.Compact(in)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !bytes.Equal(in, before) {
		t.Error("the input was changed")
	}
	for _, raw := range []string{"", "{", "{} {}", "not json"} {
		if got := string(wire.Compact([]byte(raw))); got != raw {
			t.Errorf("Compact(%q) = %q, want it as it is", raw, got)
		}
	}
}

func TestRemoveFields(t *testing.T) {
	for name, tc := range map[string]struct {
		object, want string
		keys         []string
	}{
		"one of several":         {`{ "a" : 1.0, "b":[ 2 ],"c":9007199254740993}`, `{"a":1.0,"c":9007199254740993}`, []string{"b"}},
		"all of them":            {`{"a":1,"b":2}`, `{}`, []string{"a", "b"}},
		"a name with an escape":  {`{"\u0061":1,"b":2}`, `{"b":2}`, []string{"a"}},
		"none leaves all as was": {`{ "a":1 }`, `{ "a":1 }`, []string{"b"}},
		"not inside a value":     {`{"x":{"a":1}}`, `{"x":{"a":1}}`, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := wire.RemoveFields([]byte(tc.object), tc.keys...)
			if err != nil || string(got) != tc.want {
				t.Errorf("got %s, %v, want %s", got, err, tc.want)
			}
		})
	}
	if _, err := wire.RemoveFields([]byte(`{"a":1,"a":2}`), "b"); err == nil {
		t.Error("a repeated name was taken")
	}
}
