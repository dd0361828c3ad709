package search

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestOwnSetGoldens keeps what each question of the project's own evaluation
// set finds: a ranking change is then a diff of names to discuss, and the stats
// file says what it is worth. Floors hold Recall@5 whatever is accepted.
func TestOwnSetGoldens(t *testing.T) {
	ix := Build(documents(t, "testdata/eval/tools.jsonl"), Options{})
	questions := readLines[evalQuestion](t, "testdata/eval/questions.jsonl")
	byLang := measure(ix, questions)
	langs := make([]string, 0, len(byLang))
	for lang := range byLang {
		langs = append(langs, lang)
	}
	sort.Strings(langs)
	var stats strings.Builder
	for _, lang := range langs {
		golden(t, "questions-"+lang+".txt", answers(ix, questions, lang))
		f := byLang[lang]
		fmt.Fprintf(&stats, "%s n %d hit@1 %.3f hit@5 %.3f recall@5 %.3f mrr %.3f\n", lang, f.n,
			f.share(f.hit1), f.share(f.hit5), f.share(f.recall5), f.share(f.rank))
	}
	golden(t, "stats.txt", stats.String())
	t.Log("\n" + stats.String())
	for lang, floor := range ownFloors {
		f := byLang[lang]
		if f == nil {
			t.Errorf("no question in %q", lang)
			continue
		}
		if got := f.share(f.recall5); got < floor {
			t.Errorf("Recall@5 in %q is %.3f, the floor is %.3f: a ranking change that costs this much is not one to accept", lang, got, floor)
		}
	}
}

// ownFloors are the least Recall@5 by language, words alone.
var ownFloors = map[string]float64{"en": .66, "lt": .35}

// answers writes a block a question: where its first relevant tool stands, how
// much of them is among the first five, and these five, relevant ones marked.
func answers(ix *Index, questions []evalQuestion, lang string) string {
	var b strings.Builder
	for _, q := range questions {
		if q.Lang != lang {
			continue
		}
		names := ask(ix, q.Query)
		var f figures
		f.count(names, q.Relevant)
		first := "-"
		if f.rank > 0 {
			first = fmt.Sprintf("%.0f", 1/f.rank)
		}
		fmt.Fprintf(&b, "%s first %s recall@5 %.2f | %s\n", q.ID, first, f.recall5, q.Query)
		for _, name := range names[:min(5, len(names))] {
			fmt.Fprintf(&b, "\t%s%s\n", mark(name, q.Relevant), name)
		}
	}
	return b.String()
}

func mark(name string, relevant []string) string {
	for _, r := range relevant {
		if r == name {
			return "* "
		}
	}
	return "  "
}

// golden compares got with a file, or writes it under -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("read a golden file: %v; run go test ./search -run OwnSet -update", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s changed (-want +got); if it is meant, run go test ./search -run OwnSet -update and discuss the diff:\n%s", name, diff)
	}
}
