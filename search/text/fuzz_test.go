package text

import (
	"testing"
	"unicode/utf8"
)

// FuzzTokens: whatever the bytes, words are valid, lower case, in NFKC and not
// too long; folding twice is folding once; the counts of parts hold; no stemmer
// panics.
func FuzzTokens(f *testing.F) {
	for _, seed := range []string{
		"", "createPullRequest k8s PDFs e-mail", "İıßŁ ﬁ ½ ㎏", "天気ｶﾞ한국ไทย", "\xff\xc3(", "a\u0301\u0301\u0301",
		"sąskaitų-faktūrų", "Ёлка й", "ﷺ", "\u0345ͅ", "A\u030A B\u0327", "x\u200dy", "ᾳ ẞ ŉ",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := Fold(s)
		if again := Fold(folded); again != folded {
			t.Errorf("Fold(%q) = %q, folded again %q", s, folded, again)
		}
		words := Words(nil, s)
		for i, w := range words {
			checkWord(t, s, w)
			if w.Parts > len(words)-i-1 {
				t.Fatalf("%q: word %d has %d parts of %d words", s, i, w.Parts, len(words))
			}
			for _, p := range words[i+1 : i+1+w.Parts] {
				if p.Kind != Part {
					t.Errorf("%q: %q is no part of %q", s, p.Text, w.Text)
				}
			}
		}
		NameKey(s)
	})
}

func checkWord(t *testing.T, s string, w Word) {
	t.Helper()
	if w.Text == "" || !utf8.ValidString(w.Text) || len(w.Text) > 4*maxWordBytes {
		t.Errorf("Words(%q) has %q", s, w.Text)
	}
	stem := Stem(w.Text)
	if !utf8.ValidString(stem) {
		t.Errorf("Stem(%q) = %q", w.Text, stem)
	}
	for _, other := range OtherStems(nil, w.Text) {
		if !utf8.ValidString(other) || utf8.RuneCountInString(other) < minOtherStem {
			t.Errorf("OtherStems(%q) has %q", w.Text, other)
		}
	}
}
