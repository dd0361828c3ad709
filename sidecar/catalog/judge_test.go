package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-toolsearch/search"
)

func judged(t *testing.T, o Options, definitions ...string) *body {
	t.Helper()
	s := NewStore(o)
	defer s.Close()
	return build(compared(raw(definitions...), nil), s.builds.rules, search.Options{}, nil)
}

func TestWhichDoorAToolRunsThrough(t *testing.T) {
	const noHints = ""
	for name, tc := range map[string]struct {
		annotations string // raw, "" = no annotations
		tool        string
		want        Access
		annotated   bool
	}{
		"a read-only tool is a read":                                      {`{"readOnlyHint":true}`, "plain", Read, true},
		"a read-only tool that says it doesn't destroy is a read":         {`{"readOnlyHint":true,"destructiveHint":false}`, "plain", Read, true},
		"a tool without annotations is a write":                           {noHints, "plain", Write, false},
		"a tool with empty annotations is a write":                        {`{}`, "plain", Write, false},
		"a tool whose annotations are null is a write":                    {`null`, "plain", Write, false},
		"a tool that says false is a write":                               {`{"readOnlyHint":false}`, "plain", Write, true},
		"a tool that says both is a write":                                {`{"readOnlyHint":true,"destructiveHint":true}`, "plain", Write, true},
		"a hint that is text is a write":                                  {`{"readOnlyHint":"true"}`, "plain", Write, false},
		"a hint that is a number is a write":                              {`{"readOnlyHint":1}`, "plain", Write, false},
		"a destructive hint of the wrong type counts as destructive":      {`{"readOnlyHint":true,"destructiveHint":"false"}`, "plain", Write, true},
		"a destructive hint of null is unsaid":                            {`{"readOnlyHint":true,"destructiveHint":null}`, "plain", Read, true},
		"a hint in other letters is none":                                 {`{"readonlyhint":true}`, "plain", Write, false},
		"annotations that are a list are a write":                         {`[true]`, "plain", Write, false},
		"the write list wins over the hint":                               {`{"readOnlyHint":true}`, "w_x", Write, true},
		"the write list crosses slashes":                                  {`{"readOnlyHint":true}`, "w_a/b/c", Write, true},
		"the read list lifts a tool without annotations":                  {noHints, "r_x", Read, false},
		"the read list crosses slashes":                                   {noHints, "r_a/b", Read, false},
		"the read list lifts a tool that only says it doesn't destroy":    {`{"destructiveHint":false}`, "r_x", Read, false},
		"the read list lifts a hint of null":                              {`{"readOnlyHint":null}`, "r_x", Read, false},
		"the read list doesn't lift a tool that says false":               {`{"readOnlyHint":false}`, "r_x", Write, true},
		"the read list doesn't lift a destructive tool":                   {`{"destructiveHint":true}`, "r_x", Write, false},
		"the read list doesn't lift a tool that says both":                {`{"readOnlyHint":true,"destructiveHint":true}`, "r_x", Write, true},
		"the read list doesn't lift a hint of the wrong type":             {`{"readOnlyHint":"true"}`, "r_x", Write, false},
		"the read list doesn't lift a destructive hint of the wrong type": {`{"destructiveHint":0}`, "r_x", Write, false},
		"the read list doesn't lift annotations that can't be read":       {`"none"`, "r_x", Write, false},
		"the write list wins over the read list":                          {noHints, "r_w", Write, false},
	} {
		t.Run(name, func(t *testing.T) {
			annotations := ""
			if tc.annotations != "" {
				annotations = `,"annotations":` + tc.annotations
			}
			b := judged(t, Options{ReadTools: []string{"r_*"}, WriteTools: []string{"w_*", "*_w"}},
				fmt.Sprintf(`{"name":%q,"inputSchema":{}%s}`, tc.tool, annotations))
			got := b.byName[tc.tool]
			if got.Access != tc.want || got.Annotated != tc.annotated {
				t.Errorf("access %v, annotated %v, want %v, %v", got.Access, got.Annotated, tc.want, tc.annotated)
			}
		})
	}
}

// TestARenamedToolStaysInTheWriteList: two servers have x, and our merge lists the second one's under another name.
func TestARenamedToolStaysInTheWriteList(t *testing.T) {
	b := judged(t, Options{WriteTools: []string{"x"}, ReadTools: []string{"y"}},
		`{"name":"b__x","inputSchema":{},"annotations":{"readOnlyHint":true},"_meta":{"mcp-toolsearch/source":"b","mcp-toolsearch/name":"x"}}`,
		`{"name":"b__y","inputSchema":{},"_meta":{"mcp-toolsearch/source":"b","mcp-toolsearch/name":"y"}}`,
		`{"name":"b__z","inputSchema":{},"annotations":{"readOnlyHint":true},"_meta":{"mcp-toolsearch/source":"b","mcp-toolsearch/name":"z"}}`)
	for name, want := range map[string]Access{"b__x": Write, "b__y": Write, "b__z": Read} {
		if got := b.byName[name]; got.Access != want || got.Source != "b" {
			t.Errorf("%s of %q is a %v, want %v", name, got.Source, got.Access, want)
		}
	}
}

func TestABrokenWritePatternMakesEverythingAWrite(t *testing.T) {
	const reader = `{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":true}}`
	if b := judged(t, Options{WriteTools: []string{"[a-"}}, reader); b.byName["a"].Access != Write {
		t.Errorf("a broken write pattern left a tool a read")
	}
	if b := judged(t, Options{ReadTools: []string{"[b-", "x"}}, reader, `{"name":"x","inputSchema":{}}`); b.byName["x"].Access != Read || b.byName["a"].Access != Read {
		t.Errorf("a broken read pattern spoiled the others")
	}
	for _, bad := range []string{"[a-", "", `\`} {
		if CheckGlob(bad) == nil {
			t.Errorf("%q passes as a pattern", bad)
		}
	}
	if err := CheckGlob("mail_*"); err != nil {
		t.Error(err)
	}
}

func TestWhichSourceAToolBelongsTo(t *testing.T) {
	for name, tc := range map[string]struct {
		separator string
		tools     [][]byte
		want      []string
	}{
		"our own merge knows":                       {"", [][]byte{merged("mail_find", "post"), merged("mail_send", "post"), merged("x__y", "z")}, []string{"post", "post", "z"}},
		"our own merge wins over a separator":       {"_", [][]byte{merged("mail_find", "post")}, []string{"post"}},
		"what the merge names isn't counted":        {"", [][]byte{merged("mail_find", "post"), named("mail_send")[0]}, []string{"post", ""}},
		"two underscores part a source off":         {"", named("git_hub__get_issue", "git_hub__x"), []string{"git_hub", "git_hub"}},
		"even when a tool is alone":                 {"", named("mail__find"), []string{"mail"}},
		"else a first part that two tools share":    {"", named("mail_find", "mail-send", "mail.purge", "mail/x"), []string{"mail", "mail", "mail", "mail"}},
		"a first part of one tool is no source":     {"", named("mail_find", "clock_now", "clock_set"), []string{"", "clock", "clock"}},
		"a tool with two underscores doesn't share": {"", named("a__x", "a_y"), []string{"a", ""}},
		"a name without separators has none":        {"", named("ping", "pong"), []string{"", ""}},
		"a separator at the start parts nothing":    {"", named("_a", "_b", "__c"), []string{"", "", ""}},
		"a separator of the operator overrides":     {"::", named("git_hub::get", "a__b", "mail_find", "mail_send"), []string{"git_hub", "", "", ""}},
		"a separator of the operator parts first":   {".", named("a.b.c", "a__b.c"), []string{"a", "a__b"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := build(compared(tc.tools, nil), rules{separator: tc.separator}, search.Options{}, nil)
			var got []string
			for _, tool := range b.tools {
				got = append(got, tool.Source)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	b := build(compared(named("b_1", "b_2", "a_1", "a_2", "a_3", "alone"), nil), rules{}, search.Options{}, nil)
	if diff := cmp.Diff([]Source{{"a", 3}, {"b", 2}}, b.sources); diff != "" {
		t.Errorf("sources -want +got:\n%s", diff)
	}
}

// merged is a tool as our own merge of several servers lists it.
func merged(name, source string) []byte {
	return fmt.Appendf(nil, `{"name":%q,"inputSchema":{"type":"object"},"_meta":{"other":1,"mcp-toolsearch/source":%q}}`, name, source)
}

func TestWhatIsKeptOfATool(t *testing.T) {
	const definition = `{"x":9007199254740993,"name":"mail_find","title":"Find","description":"Find \u006dail.",` +
		`"inputSchema":{"type":"object","required":["q","n"],"properties":{"q":{"type":"string","x-mcp-header":"Query"}}},"outputSchema":{"type":"array"}}`
	b := judged(t, Options{}, definition, `{"name":"mail_read","inputSchema":{},"outputSchema":null,"annotations":{"title":"Read"}}`)
	got := b.byName["mail_find"]
	if string(got.Definition) != definition || string(got.OutputSchema) != `{"type":"array"}` || got.Title != "Find" ||
		got.Description != "Find mail." || got.Source != "mail" || len(got.ParamHeaders) != 1 || got.ParamHeaders[0].Name != "Query" {
		t.Errorf("tool = %+v", got)
	}
	if diff := cmp.Diff([]string{"q", "n"}, got.Required); diff != "" {
		t.Errorf("required -want +got:\n%s", diff)
	}
	if other := b.byName["mail_read"]; other.OutputSchema != nil || other.Title != "Read" {
		t.Errorf("tool = %+v", other)
	}
	if s, err := got.Schema(); err != nil || s == nil {
		t.Errorf("schema = %v, %v", s, err)
	}
}

func TestBadToolsAreDroppedAndCounted(t *testing.T) {
	b := judged(t, Options{},
		`{"name":"good","inputSchema":{"type":"object"},"description":"first"}`,
		`{"name":"good","inputSchema":{"type":"object"},"description":"second"}`,
		`{"name":"no_schema"}`, `{"name":"schema_true","inputSchema":true}`, `{"name":"","inputSchema":{}}`, `{"name":7,"inputSchema":{}}`,
		`{"inputSchema":{}}`, `7`, `"x"`, `null`, `[]`, `{"name":"a","name":"b","inputSchema":{}}`, `{"name":"twice","inputSchema":{"type":1,"type":2}}`,
		`{"name":"hint_twice","inputSchema":{},"annotations":{"readOnlyHint":false,"readOnlyHint":true}}`,
		`{"name":"bad_header","inputSchema":{"type":"object","properties":{"q":{"type":"string","x-mcp-header":"no token"}}}}`,
		`{"name":"half_\ud83d","inputSchema":{}}`, "{\"name\":\"bytes_\xff\",\"inputSchema\":{}}",
		`{"name":"deep","inputSchema":`+strings.Repeat(`{"a":`, 20_000)+`1`+strings.Repeat(`}`, 20_000)+`}`,
		`{"name":"odd","title":1,"description":{},"inputSchema":{}}`, `{"name":"whole_\ud83d\ude00\ufffd","inputSchema":{}}`)
	if got := names(&Catalog{body: b}); got != "good odd whole_😀\ufffd" {
		t.Errorf("tools = %q", got)
	}
	if b.byName["good"].Description != "first" {
		t.Errorf("the first of two tools of one name didn't win")
	}
	if diff := cmp.Diff(Dropped{Malformed: 15, Repeated: 1, BadHeaders: 1}, b.dropped); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestARepeatedNameIsAWriteWhenOneOfThemIs(t *testing.T) {
	read := `{"name":"peek","inputSchema":{},"annotations":{"readOnlyHint":true}}`
	write := `{"name":"peek","inputSchema":{},"annotations":{"readOnlyHint":false}}`
	unsaid := `{"name":"peek","inputSchema":{}}`
	twice := `{"name":"peek","inputSchema":{},"annotations":{"readOnlyHint":true},"annotations":{"readOnlyHint":false}}`
	named := `{"name":"other","inputSchema":{},"n\u0061me":"peek"}`
	headers := `{"name":"peek","inputSchema":{"properties":{"a":{"type":"object","x-mcp-header":"A"}}},"annotations":{"readOnlyHint":false}}`
	tests := map[string]struct {
		tools []string
		want  Access
	}{
		"two reads are a read":                     {[]string{read, read}, Read},
		"a read before a write is a write":         {[]string{read, write}, Write},
		"a read before one that says nothing, too": {[]string{read, unsaid}, Write},
		"a write before a read is a write":         {[]string{write, read}, Write},
		"a write among reads is a write":           {[]string{read, write, read}, Write},
		"one that can't be read, before a read":    {[]string{twice, read}, Write},
		"one that can't be read, behind a read":    {[]string{read, twice}, Write},
		"one without a schema":                     {[]string{read, `{"name":"peek"}`}, Write},
		"one that has two names":                   {[]string{read, named}, Write},
		"a write that is left out for its headers": {[]string{headers, read}, Write},
		"a malformed one of another name":          {[]string{read, `{"name":"other"}`}, Read},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := judged(t, Options{}, tt.tools...).byName["peek"].Access; got != tt.want {
				t.Errorf("access = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestWhatOfASchemaIsSearchable(t *testing.T) {
	const schema = `{"$defs":{"T":{"properties":{"hidden":{}}}},"properties":{
		"team":{"type":"string","description":"Which team","enum":["red","blue",3]},
		"open":true,
		"filter":{"properties":{"since":{"description":"From when","properties":{"year":{"properties":{"tooDeep":{}}}}}}},
		"rows":{"type":"array","items":{"properties":{"cell":{}}}},
		"by":{"$ref":"#/$defs/T"}}}`
	d, ok := parseTool([]byte(`{"name":"x","inputSchema":` + schema + `}`))
	if !ok {
		t.Fatal("refused")
	}
	want := []param{{Name: "team", Description: "Which team", Enum: []string{"red", "blue"}}, {Name: "open"}, {Name: "filter"},
		{Name: "since", Description: "From when"}, {Name: "year"}, {Name: "rows"}, {Name: "cell"}, {Name: "by"}}
	if diff := cmp.Diff(want, d.params); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// FuzzParseTool: whatever an upstream calls a tool is refused or judged; only
// one that says so is a read.
func FuzzParseTool(f *testing.F) {
	f.Add([]byte(`{"name":"a","inputSchema":{"properties":{"q":{"enum":["x"]}},"required":["q"]},"annotations":{"readOnlyHint":true}}`))
	f.Add([]byte(`{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":"true","destructiveHint":null}}`))
	f.Add([]byte(`{"name":"a","inputSchema":{"items":[],"properties":[]},"annotations":[]}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, definition []byte) {
		b := build(compared([][]byte{definition}, nil), rules{}, search.Options{}, nil)
		for _, tool := range b.tools {
			if tool.Name == "" || string(tool.Definition) != string(definition) {
				t.Errorf("tool %+v", tool)
			}
			if tool.Access == Read && !tool.Annotated {
				t.Errorf("a tool is a read and didn't say so")
			}
		}
		if len(b.tools)+b.dropped.Malformed+b.dropped.BadHeaders != 1 {
			t.Errorf("a tool got lost")
		}
	})
}
