package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normal returns s in NFKC with invalid UTF-8 as U+FFFD. Case is kept, because
// the borders inside a camelCase name are still to be found.
func Normal(s string) string {
	if isASCII(s) {
		return s
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return norm.NFKC.String(s)
}

// Fold returns s in NFKC, lower case, without diacritics: the form in which
// words and names are compared. Marks are taken off where they are spelling
// aids (Latin, Greek, Arabic, Hebrew; the Cyrillic ё) and kept where they are
// vowels or consonants of their own (Indic scripts, Thai, kana, the Cyrillic й).
// Fold(Fold(s)) equals Fold(s).
func Fold(s string) string {
	if isLowerASCII(s) {
		return s
	}
	if folded, ok := foldLatin(s); ok {
		return folded
	}
	return foldAny(s)
}

func foldAny(s string) string { return foldMarks(Lower(Normal(s))) }

// latinEnd is behind the Latin letters that one rune stands for whole: none of
// them joins the one before it, so that a word of them is folded rune by rune.
const latinEnd = 0x0250

// latinFolds are the folded runes before latinEnd.
var latinFolds = sync.OnceValue(func() *[latinEnd]string {
	var all [latinEnd]string
	for r := range all {
		all[r] = foldAny(string(rune(r)))
	}
	return &all
})

// foldLatin folds what has no other runes than those before latinEnd.
func foldLatin(s string) (string, bool) {
	var room [maxWordBytes]byte
	out, folds := room[:0], latinFolds()
	for _, r := range s {
		if r >= latinEnd {
			return "", false
		}
		out = append(out, folds[r]...)
	}
	return string(out), true
}

// Lower is strings.ToLower without the dot that it leaves on the Turkish İ.
func Lower(s string) string {
	if isLowerASCII(s) {
		return s
	}
	s = strings.ToLower(s)
	if strings.Contains(s, "i\u0307") {
		s = strings.ReplaceAll(s, "i\u0307", "i")
	}
	return s
}

// foldMarks takes diacritics off a lower-case string.
func foldMarks(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	strip := false
	for _, r := range norm.NFD.String(s) {
		if r < utf8.RuneSelf { // most letters of a Latin word, once taken apart
			strip = true
			b.WriteByte(byte(r))
			continue
		}
		if unicode.Is(unicode.Mn, r) {
			if !strip && !isPointing(r) {
				b.WriteRune(r)
			}
			continue
		}
		strip = unicode.In(r, unicode.Latin, unicode.Greek)
		if plain, ok := plainLetters[r]; ok {
			b.WriteString(plain)
			continue
		}
		b.WriteRune(r)
	}
	return strings.ReplaceAll(norm.NFC.String(b.String()), "ё", "е")
}

// isPointing reports Arabic short vowels and Hebrew points, which readers of
// these scripts leave out.
func isPointing(r rune) bool {
	return r >= 0x064B && r <= 0x0652 || r == 0x0670 || r >= 0x0591 && r <= 0x05C7
}

// plainLetters are letters that canonical decomposition leaves whole, and
// those that only differ by position in the word.
var plainLetters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d",
	'þ': "th", 'ı': "i", 'ħ': "h", 'ŧ': "t", 'ĸ': "k", 'ŋ': "n", 'ſ': "s",
	'ς': "σ", 'ـ': "",
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isLowerASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return true
}

// NameKey is the form in which two spellings of one tool name are equal:
// folded, with - . / and white space as _ . Borders inside camelCase do not
// count: getUser and get_user are two names.
func NameKey(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r == '/' || unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, Fold(name))
}
