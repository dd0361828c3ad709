package measure_test

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/search"
	"mcp-toolsearch/search/measure"
)

// alphabet has tools named by one letter, each told by the letters that find it.
func alphabet(told map[string]string) []search.Document {
	var docs []search.Document
	for _, name := range slices.Sorted(maps.Keys(told)) {
		docs = append(docs, search.Document{Name: name, Description: told[name]})
	}
	return docs
}

func TestFiguresWorkedByHand(t *testing.T) {
	docs := alphabet(map[string]string{
		"t1": "kiwi", "t2": "kiwi melon", "t3": "melon", "t4": "melon grape grape grape", "t5": "unrelated", "t6": "plum",
	})
	questions := []measure.Question{
		{ID: "first", Lang: "en", Query: "plum", Relevant: []string{"t6"}},                     // place 1, recall 1
		{ID: "second", Lang: "en", Query: "kiwi", Relevant: []string{"t2"}},                    // place 2, recall 1
		{ID: "half", Lang: "lt", Query: "kiwi", Relevant: []string{"t1", "t5"}},                // place 1, recall 1/2
		{ID: "none", Lang: "lt", Query: "qqzzqq", Relevant: []string{"t1"}},                    // not found
		{ID: "no such tool", Lang: "lt", Query: "plum", Relevant: []string{"t99", "t6", "t6"}}, // a name twice counts once: recall 1/2
	}
	r := measure.Run(docs, questions, measure.Options{K: []int{1, 2}})
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s = %g, want %g", what, got, want)
		}
	}
	near("n", float64(r.All.N), 5)
	near("hit@1", r.All.Hit[1], 3./5)
	near("hit@2", r.All.Hit[2], 4./5)
	near("recall@5", r.All.Recall5, (1+1+.5+0+.5)/5)
	near("mrr", r.All.MRR, (1+.5+1+0+1)/5)
	near("hit@1 in English", r.ByLang["en"].Hit[1], 1./2)
	near("mrr in Lithuanian", r.ByLang["lt"].MRR, 2./3)
	worst := r.Worst(2)
	if len(worst) != 2 || worst[0].Question.ID != "none" || worst[1].Question.ID != "half" {
		t.Errorf("worst are %v", worst)
	}
	if r.P50 <= 0 || r.P99 < r.P50 || r.Build <= 0 {
		t.Errorf("times %v %v %v", r.P50, r.P99, r.Build)
	}
}

func TestTheReportHasTheKeysOfItsDocument(t *testing.T) {
	r := measure.Run(alphabet(map[string]string{"a": "kiwi"}), []measure.Question{{ID: "1", Lang: "en", Query: "kiwi", Relevant: []string{"a"}}}, measure.Options{})
	r.P50, r.P99, r.Build = 1500*time.Nanosecond, 2*time.Microsecond, 3*time.Millisecond
	got, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	const figures = `"hit@1":1,"hit@10":1,"hit@5":1,"mrr":1,"n":1,"recall@5":1`
	want := `{"build_ms":3,"by_lang":{"en":{` + figures + `}},` + figures + `,"search_p50_us":1.5,"search_p99_us":2}`
	if string(got) != want {
		t.Errorf("report %s, want %s", got, want)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "search.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range regexp.MustCompile(`"([a-z@_0-9]+)":`).FindAllStringSubmatch(want, -1) {
		if key[1] != "en" && !strings.Contains(string(page), "`"+key[1]+"`") {
			t.Errorf("docs/search.md says nothing about the key %s", key[1])
		}
	}
}

func TestNoQuestionsIsNoMistake(t *testing.T) {
	r := measure.Run(nil, nil, measure.Options{})
	if r.All.N != 0 || r.P99 != 0 || len(r.Worst(3)) != 0 {
		t.Errorf("report %+v", r)
	}
}

func TestALineThatCantBeReadIsNamed(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no JSON", "\n{\"query\":\"a\",\"relevant\":[\"b\"]}\n{", "line 3: not a question"},
		{"no query", `{"relevant":["a"]}`, `line 1: a question needs "query"`},
		{"nothing relevant", `{"query":"a","relevant":[]}`, `line 1: a question needs "query"`},
		{"another type", `{"query":7,"relevant":["a"]}`, "line 1: not a question"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := measure.ReadQuestions(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
	got, err := measure.ReadQuestions(strings.NewReader("\n{\"id\":\"x\",\"lang\":\"en\",\"query\":\"a\",\"relevant\":[\"b\"],\"note\":1}\n\n"))
	if err != nil || len(got) != 1 || got[0].ID != "x" || got[0].Relevant[0] != "b" {
		t.Errorf("%+v, %v", got, err)
	}
}

// FuzzReadQuestions: whatever the bytes, questions that are read can be asked.
func FuzzReadQuestions(f *testing.F) {
	f.Add([]byte(`{"query":"a","relevant":["b"]}`))
	f.Add([]byte("{\"query\":\"\xff\",\"relevant\":[\"\"]}\n\n["))
	f.Fuzz(func(t *testing.T, data []byte) {
		questions, err := measure.ReadQuestions(strings.NewReader(string(data)))
		if err != nil {
			return
		}
		for _, q := range questions {
			if q.Query == "" || len(q.Relevant) == 0 {
				t.Errorf("%+v was read", q)
			}
		}
	})
}
