package search

import (
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"testing"
)

// floors are what Hit@1 and Hit@5 must not fall below: the figures reached when
// ranking was last changed, minus .02.
type floors struct{ hit1, hit5 float64 }

var publicSets = []struct {
	tools, questions string
	english, other   floors
}{
	{"catalog-real", "queries-real-wide", floors{.40, .76}, floors{.34, .612}},
	{"catalog-real", "queries-real-plain", floors{.78, .913}, floors{.602, .869}},
	{"catalog-real", "queries-real-keyword", floors{.867, .964}, floors{}},
	{"catalog-real", "queries-real-multilingual", floors{.125, .286}, floors{.144, .349}},
	{"livemcpbench-tools", "livemcpbench-queries", floors{.363, .629}, floors{}},
	{"metatool-tools", "metatool-queries", floors{.445, .64}, floors{}},
	{"sealtools-tools", "sealtools-queries", floors{.914, .968}, floors{}},
}

// evalDir finds the public evaluation sets: SHARED_EVAL, else the folder beside
// the repository that the README of the data describes.
func evalDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("SHARED_EVAL")
	if dir == "" {
		_, file, _, _ := runtime.Caller(0)
		repo := filepath.Dir(filepath.Dir(file))
		dir = filepath.Join(repo, "..", "shared", "eval")
	}
	if _, err := os.Stat(filepath.Join(dir, "catalog-real.jsonl")); err != nil {
		t.Skipf("the public evaluation sets are not in %s; set SHARED_EVAL to their folder to run this", dir)
	}
	return dir
}

// TestPublicEvaluationSetsStayAboveFloors prints and guards ranking quality on
// the sets that are not part of this repository.
func TestPublicEvaluationSetsStayAboveFloors(t *testing.T) {
	dir := evalDir(t)
	for _, set := range publicSets {
		t.Run(set.questions, func(t *testing.T) {
			ix := Build(documents(t, filepath.Join(dir, set.tools+".jsonl")), Options{})
			byLang := measure(ix, readLines[evalQuestion](t, filepath.Join(dir, set.questions+".jsonl")))
			english, other := report(t, byLang)
			guard(t, "English", english, set.english)
			if len(byLang) > 1 {
				guard(t, "mean of the other languages", other, set.other)
			}
		})
	}
}

// report logs a line a language and returns English and the mean of the rest.
func report(t *testing.T, byLang map[string]*figures) (english, other floors) {
	t.Helper()
	langs := make([]string, 0, len(byLang))
	for lang := range byLang {
		langs = append(langs, lang)
	}
	sort.Strings(langs)
	for _, lang := range langs {
		f := byLang[lang]
		t.Logf("%s: n %d, Hit@1 %.3f, Hit@5 %.3f, Recall@5 %.3f, MRR %.3f", lang, f.n,
			f.share(f.hit1), f.share(f.hit5), f.share(f.recall5), f.share(f.rank))
		if lang == "en" {
			english = floors{f.share(f.hit1), f.share(f.hit5)}
			continue
		}
		others := float64(len(langs) - 1)
		other.hit1 += f.share(f.hit1) / others
		other.hit5 += f.share(f.hit5) / others
	}
	return english, other
}

func guard(t *testing.T, who string, got, want floors) {
	t.Helper()
	t.Logf("%s: Hit@1 %.3f (floor %.3f), Hit@5 %.3f (floor %.3f)", who, got.hit1, want.hit1, got.hit5, want.hit5)
	if got.hit1 < want.hit1 || got.hit5 < want.hit5 {
		t.Errorf("%s fell below its floor: find out which questions lost before lowering it", who)
	}
}
