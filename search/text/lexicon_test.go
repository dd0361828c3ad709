package text

import (
	"slices"
	"strings"
	"testing"
)

// mostLexicon is how large the file may be, in bytes.
const mostLexicon = 1_500_000

// TestLexiconIsWhole walks through the file: keys in order, each found again, and
// each translation a word that asks for something.
func TestLexiconIsWhole(t *testing.T) {
	if len(lexiconFile) > mostLexicon || !strings.HasPrefix(lexiconFile, lexiconMagic) {
		t.Fatalf("the lexicon has %d bytes and begins with %q, want at most %d and %q", len(lexiconFile), lexiconFile[:4], mostLexicon, lexiconMagic)
	}
	l := SharedLexicon()
	before, keys := "", 0
	for block := range l.starts {
		l.walk(block, func(bytes []byte, all string) bool {
			key := string(bytes)
			keys++
			if key <= before {
				t.Errorf("%q stands after %q", key, before)
			}
			if Fold(key) != key {
				t.Errorf("%q is not folded: no look-up would find it", key)
			}
			found := 0
			l.ofKey(key, ^Languages(0), func(tr Translation) {
				found++
				if tr.Likely <= 0 || tr.Likely > 1 || tr.Of == 0 || tr.Stem == "" {
					t.Errorf("%q is %+v", key, tr)
				}
			})
			if found != int(all[0]) || found == 0 {
				t.Errorf("%q has %d translations, of which a look-up finds %d", key, all[0], found)
			}
			before = key
			return true
		})
	}
	if keys < 50_000 {
		t.Errorf("the lexicon has %d words", keys)
	}
}

func TestLexiconKnowsWordsOfManyLanguages(t *testing.T) {
	l := SharedLexicon()
	for _, c := range []struct{ name, word, english string }{
		{"Lithuanian", "ataskaitas", "report"},
		{"German", "verschlüsselung", "encryption"},
		{"Spanish", "contraseñas", "password"},
		{"French", "téléchargement", "download"},
		{"Polish, without a stemmer", "urządzeniami", "device"},
		{"Portuguese", "navegador", "browser"},
		{"Russian", "устройства", "device"},
		{"Turkish", "tarayıcı", "browser"},
		{"Arabic", "الخادم", "server"},
		{"Hindi", "डाउनलोड", "download"},
		{"Czech", "nastavení", "setting"},
		{"Dutch", "instellingen", "setting"},
		{"Swedish", "lösenord", "password"},
		{"Italian", "aggiornamento", "update"},
		{"Ukrainian", "пристрою", "device"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			l.OfWord(c.word, StemsIn(c.word), func(tr Translation) { got = append(got, tr.Stem) })
			if !slices.Contains(got, Stem(c.english)) {
				t.Errorf("%q is %q, want %q among them", c.word, got, Stem(c.english))
			}
		})
	}
}

func TestLexiconFindsWordsWithoutBorders(t *testing.T) {
	l := SharedLexicon()
	for _, c := range []struct{ name, text, english string }{
		{"Japanese", "証明書を見せて", "certificate"},
		{"Japanese, borrowed", "新しいプロジェクト", "project"},
		{"Chinese", "列出所有变量", "variable"},
		{"Korean", "프로젝트를 보여줘", "project"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			l.In(Fold(c.text), func(_ string, all []Translation) {
				for _, tr := range all {
					got = append(got, tr.Stem)
				}
			})
			if !slices.Contains(got, Stem(c.english)) {
				t.Errorf("%q has %q in it, want %q among them", c.text, got, Stem(c.english))
			}
		})
	}
	l.In("plain english", func(word string, _ []Translation) { t.Errorf("%q was found in English", word) })
}

func TestLexiconKnowsFormsThatStemmingLeavesApart(t *testing.T) {
	l := SharedLexicon()
	for _, c := range []struct{ name, word, english string }{
		{"a Lithuanian request", "sinchronizuok", "synchronize"},
		{"a Turkish suffix", "tarayıcıda", "browser"},
		{"too long an ending", "tarayıcılarımızdan", ""},
		{"too short", "los", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			l.OfForm(Fold(c.word), func(tr Translation) { got = append(got, tr.Stem) })
			if c.english == "" && len(got) > 0 || c.english != "" && !slices.Contains(got, Stem(c.english)) {
				t.Errorf("%q is %q, want %q", c.word, got, c.english)
			}
		})
	}
}

func TestLexiconKnowsNoNonsense(t *testing.T) {
	for _, word := range []string{"", "x", "zzzzqqqq", "\xff", "ъъъъ", strings.Repeat("a", 300)} {
		SharedLexicon().OfWord(word, StemsIn(word), func(tr Translation) { t.Errorf("%q is %v", word, tr) })
	}
}

// TestALongTextWithoutBordersIsReadInParts: what one search may cost is bounded.
func TestALongTextWithoutBordersIsReadInParts(t *testing.T) {
	found := 0
	SharedLexicon().In(strings.Repeat("项目", mostUnspaced), func(string, []Translation) { found++ })
	if found == 0 || found > mostUnspaced {
		t.Errorf("%d words were found, want some and at most %d", found, mostUnspaced)
	}
}

func BenchmarkLexiconOfWord(b *testing.B) {
	l := SharedLexicon()
	stems := StemsIn("slaptažodžius")
	for b.Loop() {
		l.OfWord("slaptažodžius", stems, func(Translation) {})
	}
}

func BenchmarkReadLexicon(b *testing.B) {
	for b.Loop() {
		readLexicon(lexiconFile)
	}
}

func BenchmarkStemsIn(b *testing.B) {
	for b.Loop() {
		StemsIn("slaptažodžius")
	}
}

func BenchmarkLexiconOfForm(b *testing.B) {
	l := SharedLexicon()
	for b.Loop() {
		l.OfForm("konfiguruokite", func(Translation) {})
	}
}
