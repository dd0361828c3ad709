package argcheck

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// wordsOf checks the arguments and returns what their texts cost.
func wordsOf(t *testing.T, s *Schema, arguments string) (words, []Problem) {
	t.Helper()
	doc, err := decode([]byte(arguments), maxDepth)
	if err != nil || !s.graph.affordable(s.root, doc) {
		t.Fatalf("these arguments aren't checked at all: %v", err)
	}
	r := newReport(s.graph, doc)
	problems := r.problems(validate(s.root, doc))
	return r.words, problems
}

func TestTheWordsOfManyFaultsCostNoMoreThanThoseOfFew(t *testing.T) {
	for _, closing := range []string{"additionalProperties", "unevaluatedProperties"} {
		for _, properties := range []int{0, 40, 3000} {
			schema, few := strangers(properties, 100)
			_, many := strangers(properties, 20_000)
			s := mustCompile(t, strings.Replace(schema, "additionalProperties", closing, 1))
			small, _ := wordsOf(t, s, few)
			large, problems := wordsOf(t, s, many)
			if small.told != large.told || small.gathered != large.gathered || small.compared != large.compared {
				t.Errorf("%s of %d: 100 keys cost %d, %d, %d; 20,000 cost %d, %d, %d", closing, properties,
					small.told, small.gathered, small.compared, large.told, large.gathered, large.compared)
			}
			if large.told != maxProblems || large.gathered > properties+1 || large.compared > maxProblems*properties {
				t.Errorf("%s of %d costs %d, %d, %d", closing, properties, large.told, large.gathered, large.compared)
			}
			if last := problems[len(problems)-1].Text; last != "and 19970 more" {
				t.Errorf("the last problem is %q", last)
			}
		}
	}
}

func TestTheWordsAreBoundedWhateverTheyAreAbout(t *testing.T) {
	schema, _ := strangers(3000, 0)
	list := func(n int, format string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(format, i))
		}
		return strings.Join(all, ",")
	}
	long := list(20_000, `"listed_value_%06d"`)
	tests := map[string]struct{ schema, arguments string }{
		"an unknown key in each of many items": {prop(`{"items":` + schema + `}`), `{"v":[` + list(2000, `{"unexpected_%06d":0}`) + `]}`},
		"many values beside a long enum":       {prop(`{"items":{"enum":[` + long + `]}}`), `{"v":[` + list(10, `"listed_value_x%05d"`) + `]}`},
		"many values of a wrong type beside a long enum": {
			prop(`{"items":{"type":"string","enum":[` + long + `]}}`), `{"v":[` + list(90_000, `%d`) + `]}`,
		},
		"many values beside branches of long enums": {
			prop(`{"items":{"anyOf":[{"type":"string","enum":[` + long + `]},{"type":["string","null"],"enum":[` + long + `]}]}}`), `{"v":[` + list(30_000, `%d`) + `]}`,
		},
		"many missing keys, each like many that were sent": {
			`{"type":"object","required":[` + list(3000, `"property_name_%06d"`) + `]}`, `{` + list(9000, `"property_nama_%06d":0`) + `}`,
		},
		"many missing keys among very many that were sent": {
			`{"type":"object","required":[` + list(3000, `"property_name_%06d"`) + `]}`, `{` + list(100_000, `"property_nama_%06d":0`) + `}`,
		},
		"many schemas of many keys at one place": {
			`{"type":"object","$defs":{"many":{"properties":{` + list(1000, `"known_%06d":true`) + `}}},"allOf":[` +
				list(1000, `{"$ref":"#/$defs/many","title":"%d","unevaluatedProperties":false}`) + `]}`, `{"unknown":1}`,
		},
		"many keys that may not be": {
			`{"type":"object","propertyNames":{"maxLength":3}}`, `{` + list(50_000, `"name_%06d":0`) + `}`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w, problems := wordsOf(t, mustCompile(t, tt.schema), tt.arguments)
			if len(problems) == 0 || w.told > maxSchemaObjects || w.compared > maxCompared+maxProblems {
				t.Errorf("%d problems: told %d, gathered %d, compared %d", len(problems), w.told, w.gathered, w.compared)
			}
			for _, p := range problems {
				if len(p.Text) > 1000 {
					t.Errorf("a text of %d bytes: %.200s", len(p.Text), p.Text)
				}
			}
			t.Logf("told %d, gathered %d, compared %d: %.150s", w.told, w.gathered, w.compared, problems[0].Text)
		})
	}
}

func TestTheFirstFaultsAreThoseOfAllInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	tokens := []string{"", "1", "01", "9", "10", "1a", "-1", "a", "b", "ab", "é"}
	for range 2000 {
		var faults, all []fault
		for range 1 + random.IntN(12) {
			f := fault{}
			for range random.IntN(3) {
				f.at = append(f.at, tokens[random.IntN(len(tokens))])
			}
			for range random.IntN(4) {
				f.keys = append(f.keys, tokens[random.IntN(len(tokens))])
			}
			faults = append(faults, f)
			for i := range f.number() {
				all = append(all, f.single(i))
			}
		}
		slices.SortStableFunc(all, compareFaults)
		places := slices.CompactFunc(slices.Clone(all), func(a, b fault) bool { return compareFaults(a, b) == 0 })
		want := all
		if len(places) > 5 {
			want = all[:slices.IndexFunc(all, func(f fault) bool { return compareFaults(f, places[4]) > 0 })]
		}
		got := firstOf(faults, 5)
		if !slices.EqualFunc(got, want, func(a, b fault) bool { return slices.Equal(a.place(), b.place()) }) {
			t.Fatalf("first %v, want %v", got, want)
		}
	}
}
