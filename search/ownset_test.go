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

// ownSets are the files of questions of the project's own catalog. What people
// ask in a tool's words, or near them, is held to floors; the oblique questions,
// which have no word of the tool, are there to be watched.
var ownSets = []struct {
	file, label string
	vectors     bool
	floors      map[string]float64 // language -> least Recall@5
}{
	{"questions", "words and vectors", true, map[string]float64{"en": .91, "lt": .785}},
	{"questions", "words alone", false, map[string]float64{"en": .91, "lt": .715}},
	{"oblique", "words and vectors", true, nil},
	{"oblique", "words alone", false, nil},
}

// TestOwnSetGoldens keeps what each question of the project's own evaluation
// set finds: a ranking change is then a diff of names to discuss, and the stats
// file says what it is worth. Floors hold Recall@5 whatever is accepted.
func TestOwnSetGoldens(t *testing.T) {
	docs := documents(t, "testdata/eval/tools.jsonl")
	var stats, table strings.Builder
	table.WriteString("| Recall@5, 500 made-up tools | English | Lithuanian |\n|---|---|---|\n")
	for _, set := range ownSets {
		var e Embedder
		if set.vectors {
			e = embedded(t)
		}
		ix := Build(docs, Options{Embedder: e})
		questions := readLines[evalQuestion](t, "testdata/eval/"+set.file+".jsonl")
		byLang := measure(ix, questions)
		for _, lang := range languages(byLang) {
			name := fmt.Sprintf("%s-%s-%s.txt", set.file, strings.ReplaceAll(set.label, " ", "-"), lang)
			golden(t, name, answers(ix, questions, lang))
			f := byLang[lang]
			fmt.Fprintf(&stats, "%s, %s: %s n %d hit@1 %.3f hit@5 %.3f recall@5 %.3f mrr %.3f\n", set.file, set.label, lang, f.n,
				f.share(f.hit1), f.share(f.hit5), f.share(f.recall5), f.share(f.rank))
			if got := f.share(f.recall5); got < set.floors[lang] {
				t.Errorf("%s, %s: Recall@5 in %q is %.3f, the floor is %.3f: a ranking change that costs this much is not one to accept",
					set.file, set.label, lang, got, set.floors[lang])
			}
		}
		fmt.Fprintf(&table, "| %s, %s | %.2f | %.2f |\n", set.file, set.label, byLang["en"].share(byLang["en"].recall5), byLang["lt"].share(byLang["lt"].recall5))
	}
	golden(t, "stats.txt", stats.String())
	for _, page := range []string{"README.md", "docs/search.md"} {
		tableIn(t, filepath.Join("..", page), table.String())
	}
	t.Log("\n" + stats.String())
}

func languages(byLang map[string]*figures) []string {
	langs := make([]string, 0, len(byLang))
	for lang := range byLang {
		langs = append(langs, lang)
	}
	sort.Strings(langs)
	return langs
}

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

// tableIn holds the table between a page's marks to be what was measured, or
// writes it under -update.
func tableIn(t *testing.T, path, table string) {
	t.Helper()
	const begin, end = "<!-- recall -->\n", "<!-- /recall -->"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), begin)
	old, after, closed := strings.Cut(rest, end)
	switch {
	case !found || !closed:
		t.Errorf("%s has no place between %q and %q for the table of recall", path, begin, end)
	case old == table:
	case *update:
		if err := os.WriteFile(path, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s has another table of recall than what is measured; run go test ./search -run OwnSet -update:\n%s", path, cmp.Diff(old, table))
	}
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
