package text

import (
	"slices"
	"strings"
	"testing"
)

func TestGlossaryTableIsWhole(t *testing.T) {
	for n, line := range strings.Split(strings.TrimSpace(glossaryText), "\n") {
		if line[0] == '#' {
			continue
		}
		columns := strings.Split(line, "|")
		if len(columns) != 13 {
			t.Errorf("line %d has %d columns, want English and twelve languages", n+1, len(columns))
		}
		for i, column := range columns {
			if len(strings.Fields(column)) == 0 {
				t.Errorf("line %d has nothing in column %d", n+1, i)
			}
			if strings.ContainsAny(column, "_,;()") {
				t.Errorf("line %d column %d: words are parted by spaces alone", n+1, i)
			}
		}
		for _, word := range strings.Fields(columns[0]) {
			if IsStop(word) {
				t.Errorf("line %d translates to the stop word %q", n+1, word)
			}
		}
	}
}

func TestLithuanianTableIsWhole(t *testing.T) {
	for n, line := range strings.Split(strings.TrimSpace(lithuanianText), "\n") {
		if line[0] == '#' {
			continue
		}
		english, lithuanian, found := strings.Cut(line, " | ")
		if !found || lithuanian == "" || strings.ContainsAny(line, "_,;()") || strings.Count(line, "|") != 1 {
			t.Errorf("line %d is not English and Lithuanian words, parted by spaces alone", n+1)
		}
		for _, word := range strings.Fields(english) {
			if IsStop(word) {
				t.Errorf("line %d translates to the stop word %q", n+1, word)
			}
		}
		for _, word := range strings.Fields(lithuanian) {
			if IsQueryStop(word) {
				t.Errorf("line %d translates %q, which is no word to look for", n+1, word)
			}
		}
	}
}

// TestGlossaryKnowsOtherForms: a form of a word that the table does not have is
// found by its stem.
func TestGlossaryKnowsOtherForms(t *testing.T) {
	g := SharedGlossary()
	for _, c := range []struct{ name, word, english string }{
		{"Lithuanian", "laiškų", "email"},
		{"German", "dateien", "file"},
		{"Spanish", "facturas", "invoice"},
		{"French", "réunions", "meeting"},
		{"Polish, without a stemmer", "kalendarz", "calendar"},
		{"Portuguese", "comentários", "comment"},
		{"Russian", "файлов", "file"},
		{"Turkish", "takvime", "calendar"},
		{"Arabic", "الملفات", "file"},
		{"accents left out", "saskaita", "invoice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			stems := append(OtherStems(nil, c.word), Stem(c.word), Fold(c.word))
			if !slices.ContainsFunc(stems, func(s string) bool { return isTranslation(g.OfStem(s), Stem(c.english)) }) {
				t.Errorf("%q, by its stems %q, is not %q", c.word, stems, c.english)
			}
		})
	}
}

func TestGlossaryFindsWordsWithoutBorders(t *testing.T) {
	g := SharedGlossary()
	for _, c := range []struct {
		name, text string
		want, not  string
	}{
		{"Japanese", "新しいブランチを作成してください", "branch", ""},
		{"Chinese", "帮我查看明天的天气", "weather", ""},
		{"Hindi", "एक नई फ़ाइल बनाएं", "file", ""},
		{"a word inside a longer word is not meant", "表示", "show", "table"},
		{"English is left alone", "create a file", "", "file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			g.In(Fold(c.text), func(_ string, all []Translation) {
				for _, t := range all {
					got = append(got, t.Stem)
				}
			})
			if c.want != "" && !slices.Contains(got, Stem(c.want)) {
				t.Errorf("%q holds %q, want %q among them", c.text, got, Stem(c.want))
			}
			if c.not != "" && slices.Contains(got, Stem(c.not)) {
				t.Errorf("%q holds %q, which is not meant", c.text, c.not)
			}
		})
	}
}

func TestGlossaryOfWordTakesTheSpellingOnly(t *testing.T) {
	g := SharedGlossary()
	if got := g.OfWord("commande"); !isTranslation(got, Stem("order")) {
		t.Errorf("commande is %v, want order", got)
	}
	if got := g.OfWord("commands"); got != nil {
		t.Errorf("commands is %v, want nothing", got)
	}
}

func BenchmarkReadGlossary(b *testing.B) {
	for b.Loop() {
		readGlossary(glossaryText + lithuanianText)
	}
}

func isTranslation(all []Translation, stem string) bool {
	return slices.ContainsFunc(all, func(t Translation) bool { return t.Stem == stem })
}

// TestGlossaryKnowsFormsThatStemmingLeavesApart: an ending that no stemmer takes
// off, and a Lithuanian verb behind a prefix.
func TestGlossaryKnowsFormsThatStemmingLeavesApart(t *testing.T) {
	g := SharedGlossary()
	for _, c := range []struct{ name, word, english string }{
		{"a Polish case", "kalendarzami", "calendar"},
		{"a Lithuanian participle", "atšauktas", "cancel"},
		{"a Turkish suffix", "fiyatlar", "price"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := g.OfForm(Fold(c.word)); !isTranslation(got, Stem(c.english)) {
				t.Errorf("%q is %v, want %q among them", c.word, got, c.english)
			}
		})
	}
	for _, word := range []string{"kaip", "atšvęskime", "zzzzzzzz", "kalendorininkystė", ""} {
		if got := g.OfForm(Fold(word)); got != nil {
			t.Errorf("%q is %v, want nothing: it shares too little with any word", word, got)
		}
	}
}

func TestWithoutLithuanianPrefix(t *testing.T) {
	for _, c := range []struct{ name, word, want string }{
		{"a verb done", "nukopijuok", "kopijuok"},
		{"done for oneself", "pasitikrinti", "tikrinti"},
		{"too little is left", "nupirk", ""},
		{"no prefix", "rasti", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := WithoutLithuanianPrefix(c.word)
			if c.want == "" && len(got) > 0 || c.want != "" && !slices.Contains(got, c.want) {
				t.Errorf("behind a prefix of %q there are %q, want %q", c.word, got, c.want)
			}
		})
	}
}
