package text

import (
	"slices"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
	"unicode"
)

// latin are the stemmers that a word in Latin letters may belong to, besides
// English.
var latin = []func(string) string{
	Lithuanian,
	snowball(german.Stem), snowball(french.Stem), snowball(spanish.Stem),
	snowball(portuguese.Stem), snowball(italian.Stem), snowball(romanian.Stem),
	snowball(dutch.Stem), snowball(swedish.Stem), snowball(danish.Stem),
	snowball(norwegian.Stem), snowball(finnish.Stem), snowball(hungarian.Stem),
	snowball(turkish.Stem), snowball(irish.Stem),
}

func snowball(stem func(*snowballstem.Env) bool) func(string) string {
	return func(word string) string {
		env := snowballstem.NewEnv(word)
		stem(env)
		return env.Current()
	}
}

// Stem returns the index term of a word as Words gives it: its stem in the one
// language its script stands for here (Latin: English; Cyrillic: Russian;
// Arabic; Tamil), folded. Words of other scripts, and words with digits, are
// only folded.
func Stem(word string) string {
	first, _ := utf8.DecodeRuneInString(word)
	switch {
	case first < utf8.RuneSelf || unicode.Is(unicode.Latin, first):
		return stemEnglish(Fold(word))
	case unicode.Is(unicode.Cyrillic, first):
		return Fold(snowball(russian.Stem)(word))
	case unicode.Is(unicode.Arabic, first):
		return Fold(snowball(arabic.Stem)(word))
	case unicode.Is(unicode.Tamil, first):
		return Fold(snowball(tamil.Stem)(word))
	}
	return Fold(word)
}

func stemEnglish(word string) string {
	if len(word) < 3 || hasDigit(word) {
		return word
	}
	return snowball(english.Stem)(word)
}

func hasDigit(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= '0' && s[i] <= '9' {
			return true
		}
	}
	return false
}

// minOtherStem is the shortest stem, in runes, that OtherStems gives: shorter
// ones of fifteen languages fall together by chance.
const minOtherStem = 4

// StemIn is a stem of a word, folded, and the languages whose stemmers give it.
type StemIn struct {
	Stem string
	Of   Languages
}

// StemsIn returns the distinct stems that a word in Latin letters has in the
// languages other than English, Lithuanian first; none for a word of another script
// and one with digits.
func StemsIn(word string) []StemIn {
	first, _ := utf8.DecodeRuneInString(word)
	if first >= utf8.RuneSelf && !unicode.Is(unicode.Latin, first) || hasDigit(word) || word == "" {
		return nil
	}
	out := make([]StemIn, 0, 8)
	for i, stem := range latin {
		s := Fold(stem(word))
		at := slices.IndexFunc(out, func(have StemIn) bool { return have.Stem == s })
		if at < 0 {
			out = append(out, StemIn{s, latinLanguages[i]})
			continue
		}
		out[at].Of |= latinLanguages[i]
	}
	return out
}

// OtherStems appends to dst the distinct stems that a word in Latin letters has
// in the languages other than English, folded, without Stem(word) itself.
func OtherStems(dst []string, word string) []string {
	return Other(dst, Stem(word), StemsIn(word))
}

// Other appends to dst those of a word's stems that are long enough to tell words
// apart and are not main.
func Other(dst []string, main string, stems []StemIn) []string {
	for _, s := range stems {
		if s.Stem != main && utf8.RuneCountInString(s.Stem) >= minOtherStem {
			dst = append(dst, s.Stem)
		}
	}
	return dst
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}
