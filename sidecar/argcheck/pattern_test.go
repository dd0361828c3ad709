package argcheck

import (
	"strings"
	"testing"
)

func TestPatterns(t *testing.T) {
	nbsp := "\u00a0"
	tests := map[string]struct {
		source    string
		match     []string
		not       []string
		uncertain bool
	}{
		"an unanchored pattern matches inside":   {source: `b`, match: []string{"abc"}, not: []string{"ac"}},
		"digits and words are ASCII":             {source: `^[\d\w]+$`, match: []string{"a1_"}, not: []string{"ž", "٣"}},
		"white space as ECMA-262 knows it":       {source: `^\s$`, match: []string{" ", "\v", nbsp, "\u2028", "\ufeff"}, not: []string{"a"}},
		"white space in a class":                 {source: `^[\sx]$`, match: []string{nbsp, "x"}, not: []string{"a"}},
		"no white space":                         {source: `^\S$`, match: []string{"a"}, not: []string{nbsp, "\v"}},
		"no white space by a class":              {source: `^[^\s]+$`, match: []string{"a"}, not: []string{nbsp}},
		"a character by its code":                {source: `^\u0161\u{1F600}\x41$`, match: []string{"š😀A"}, not: []string{"s"}},
		"a character by a surrogate pair":        {source: `^\uD83D\uDE00$`, match: []string{"😀"}, not: []string{"x"}},
		"control characters":                     {source: `^\cJ\0[\b]$`, match: []string{"\n\x00\b"}, not: []string{"J0b"}},
		"a slash that is escaped":                {source: `^a\/b$`, match: []string{"a/b"}, not: []string{`a\/b`}},
		"a named group":                          {source: `^(?<n>a)$`, match: []string{"a"}, not: []string{"b"}},
		"a property class":                       {source: `^\p{Lu}$`, match: []string{"Ž"}, not: []string{"ž"}},
		"a dash beside a class escape":           {source: `^[\w-.]+$`, match: []string{"a-."}, not: []string{"!"}},
		"the end is the end of the text":         {source: `^a$`, match: []string{"a"}, not: []string{"a\n"}},
		"a lookahead isn't run":                  {source: `^(?!x)`, uncertain: true},
		"a lookbehind isn't run":                 {source: `(?<=x)y`, uncertain: true},
		"a back reference isn't run":             {source: `(a)\1`, uncertain: true},
		"a pattern that is broken":               {source: `(`, uncertain: true},
		"an empty class has two meanings":        {source: `[]a]`, uncertain: true},
		"a negated empty class has two meanings": {source: `[^]a]`, uncertain: true},
		"a repeat without a least has two":       {source: `^a{,2}$`, uncertain: true},
		"a repeat that is too large":             {source: `(a{100}){100}`, uncertain: true},
		"a pattern that compiles to a large one": {source: `(` + strings.Repeat("x", 100) + `){900}`, uncertain: true},
		"a half of a surrogate pair":             {source: `^\uD83D$`, uncertain: true},
		"an escape that ends too soon":           {source: `\u12`, uncertain: true},
		"a backslash at the end":                 {source: `a\`, uncertain: true},
		"a Python end of text":                   {source: `a\Z`, uncertain: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			re, err := patternEngine()(tt.source)
			if err != nil {
				t.Fatalf("the engine failed: %v", err)
			}
			if p := re.(*pattern); p.uncertain() != tt.uncertain || re.String() != tt.source {
				t.Errorf("uncertain: %t, want %t; source %q", p.uncertain(), tt.uncertain, re.String())
			}
			for _, s := range tt.match {
				if !re.MatchString(s) {
					t.Errorf("%q doesn't match", s)
				}
			}
			for _, s := range tt.not {
				if re.MatchString(s) {
					t.Errorf("%q matches", s)
				}
			}
			if tt.uncertain && !re.MatchString("anything") {
				t.Error("an uncertain pattern doesn't match")
			}
		})
	}
}

// A pattern that can't be decided stands in the place of P.
func TestAnUncertainPatternRefusesNothing(t *testing.T) {
	text := []string{`"x"`, `"y"`}
	tests := map[string]struct {
		schema string
		fit    []string
	}{
		"as a pattern":                      {`{"pattern":"P"}`, text},
		"under not":                         {`{"not":{"pattern":"P"}}`, text},
		"under two nots":                    {`{"not":{"not":{"pattern":"P"}}}`, text},
		"under a not, through a reference":  {`{"not":{"$ref":"#/$defs/p"}}`, text},
		"in a condition":                    {`{"if":{"pattern":"P"},"then":{"type":"integer"}}`, text},
		"in a condition with else":          {`{"if":{"not":{"pattern":"P"}},"then":true,"else":{"type":"integer"}}`, text},
		"in two branches of a oneOf":        {`{"oneOf":[{"pattern":"P"},{"type":"string"}]}`, text},
		"in a oneOf beside an anyOf":        {`{"oneOf":[{"pattern":"P"},{"type":"string"}],"anyOf":[{"type":"string"}]}`, text},
		"as a key":                          {`{"patternProperties":{"P":{"type":"integer"}},"additionalProperties":false}`, []string{`{"x":"a"}`, `{"y":1}`}},
		"in a count of items":               {`{"contains":{"pattern":"P"},"maxContains":1}`, []string{`["x","y"]`}},
		"as the name of a key":              {`{"propertyNames":{"pattern":"P"}}`, []string{`{"x":1}`}},
		"as the name of a key, under a not": {`{"propertyNames":{"not":{"pattern":"P"}}}`, []string{`{"x":1}`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			schema := `{"properties":{"v":` + tt.schema + `},"$defs":{"p":{"pattern":"P"}}}`
			s := mustCompile(t, strings.ReplaceAll(schema, `"P"`, `"^(?!x)"`))
			for _, v := range tt.fit {
				if got, _ := s.Check([]byte(`{"v":` + v + `}`)); got != nil {
					t.Errorf("%s: %v", v, got)
				}
			}
		})
	}
}

func TestWhatStandsBesideAnUncertainPatternIsChecked(t *testing.T) {
	s := mustCompile(t, prop(`{"oneOf":[{"type":"string","pattern":"^(?!x)"},{"type":"integer"}],"not":{"const":"z"}}`))
	for arguments, want := range map[string]string{
		`{"v":true}`: "v must be string or integer, not boolean",
		`{"v":"z"}`:  "v is what the schema excludes (not)",
	} {
		if got, _ := s.Check([]byte(arguments)); len(got) != 1 || got[0].Text != want {
			t.Errorf("%s: %v, want %q", arguments, got, want)
		}
	}
}
