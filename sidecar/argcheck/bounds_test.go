package argcheck

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// bound is far above what any of these takes on a slow machine, and far below
// what they would take without bounds.
const bound = 10 * time.Second

// doubling is n definitions of which each applies the next one twice.
func doubling(n int, with string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(fmt.Sprintf(`"d%d":`, i) + strings.ReplaceAll(with, "NEXT", fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)) + ",")
	}
	return fmt.Sprintf(`{"type":"object","properties":{"v":{"$ref":"#/$defs/d0"}},"$defs":{%s"d%d":{"type":"string"}}}`, b.String(), n)
}

func TestHostileSchemasEndSoon(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 150) + `1` + strings.Repeat(`}`, 150)
	wide := `{"v":[` + strings.Repeat(`"x",`, 300_000) + `"x"]}`
	tests := map[string]struct{ schema, arguments string }{
		"branches in branches":             {doubling(20, `{"anyOf":[NEXT,NEXT]}`), `{"v":1}`},
		"branches in branches, all wanted": {doubling(20, `{"allOf":[NEXT,NEXT]}`), `{"v":"{}"}`},
		"branches in nots":                 {doubling(20, `{"not":{"oneOf":[NEXT,NEXT]}}`), `{"v":1}`},
		"branches at every level of the arguments": {
			`{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}]}},"required":["z"]}`, deep,
		},
		"branches for every item":        {strings.Replace(doubling(8, `{"anyOf":[NEXT,NEXT]}`), `{"v":{"$ref":"#/$defs/d0"}}`, `{"v":{"items":{"$ref":"#/$defs/d0"}}}`, 1), `{"v":[` + strings.Repeat("1,", 5000) + `1]}`},
		"many items":                     {prop(`{"items":{"type":"integer"}}`), wide},
		"many items against a long enum": {prop(`{"items":{"enum":[` + strings.Repeat(`"y",`, 20_000) + `"z"]}}`), wide},
		"a large pattern on a long text": {prop(`{"pattern":"^(a?b?c?){300}$"}`), `{"v":"` + strings.Repeat("abc", 500_000) + `"}`},
		"many large patterns":            {prop(`{"allOf":[` + strings.Repeat(`{"pattern":"(x{500}){2}y"},`, 900) + `{"pattern":"((((x{9}){9}){9}){9}){9}"}]}`), `{"v":"xxx"}`},
		"numbers with a million digits":  {prop(`{"items":{"type":"integer","multipleOf":7,"maximum":1e999999999}}`), `{"v":[` + strings.Repeat("9", 1_000_000) + `,1e-999999999,1e999999999]}`},
		"references to every level": {
			func() string {
				var refs strings.Builder
				for i := range 1500 {
					fmt.Fprintf(&refs, `{"$ref":"#/x/%d"},`, i)
				}
				return `{"x":[` + strings.Repeat(`{},`, 1500) + `{}],"properties":{"v":{"allOf":[` + refs.String() + `{}]}}}`
			}(), `{"v":1}`,
		},
		"a large const again and again": {
			`{"properties":{"v":{"allOf":[` + strings.Repeat(`{"$ref":"#/$defs/c"},`, 2000) + `{}]}},"$defs":{"c":{"const":[` + strings.Repeat("1,", 200_000) + `1]}}}`,
			`{"v":[` + strings.Repeat("1,", 200_000) + `1]}`,
		},
		"unique items again and again": {
			prop(`{"allOf":[` + strings.Repeat(`{"uniqueItems":true},`, 2000) + `{}]}`),
			`{"v":[[` + strings.Repeat("1,", 200_000) + `1],[` + strings.Repeat("1,", 200_000) + `2]]}`,
		},
		"many resources": {
			func() string {
				var defs strings.Builder
				for i := range 1200 {
					fmt.Fprintf(&defs, `"d%d":{"$id":"r%d","$anchor":"a"},`, i, i)
				}
				return `{"$defs":{` + defs.String() + `"z":{}}}`
			}(), `{"v":1}`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			s, err := Compile([]byte(tt.schema))
			if err != nil {
				t.Logf("not compiled: %v", err)
			}
			compiled := time.Since(start)
			problems, _ := s.Check([]byte(tt.arguments))
			checked := time.Since(start)
			out, paths := s.Repair([]byte(tt.arguments))
			took := time.Since(start)
			t.Logf("compile %v, check %v (%d problems), repair %v", compiled, checked-compiled, len(problems), took-checked)
			if took > bound {
				t.Errorf("took %v", took)
			}
			if len(paths) > 0 || string(out) != tt.arguments {
				t.Errorf("repaired %q", paths)
			}
		})
	}
}

func TestWhatIsTooDearToCheckIsLetThrough(t *testing.T) {
	s := mustCompile(t, doubling(18, `{"anyOf":[NEXT,NEXT]}`))
	if got, checked := s.Check([]byte(`{"v":1}`)); got != nil || checked {
		t.Errorf("problems %v", got)
	}
	small := mustCompile(t, doubling(4, `{"anyOf":[NEXT,NEXT]}`))
	if got, checked := small.Check([]byte(`{"v":1}`)); !checked || len(got) != 1 || got[0].Text != "v must be string, not number" {
		t.Errorf("problems %v", got)
	}
}

func TestTheMeterCountsAtLeastWhatTheLibraryDoes(t *testing.T) {
	// Each level of the arguments doubles the work.
	s := mustCompile(t, `{"type":"object","properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`)
	cost := func(depth int) int {
		doc, err := decode([]byte(strings.Repeat(`{"a":`, depth)+`{}`+strings.Repeat(`}`, depth)), maxDepth)
		if err != nil {
			t.Fatal(err)
		}
		m := meter{graph: s.graph, left: maxWork}
		m.apply(s.root, doc)
		return maxWork - m.left
	}
	for depth := 1; depth < 12; depth++ {
		if got := cost(depth); got < 1<<depth || got > 16<<depth {
			t.Errorf("depth %d costs %d", depth, got)
		}
	}
	if got := cost(60); got < maxWork {
		t.Errorf("depth 60 costs %d: the meter stopped early", got)
	}
}
