package text

import (
	"unicode"
	"unicode/utf8"
)

// Kind tells how a word stands in its text.
type Kind uint8

const (
	// Plain is a word between white space or separators.
	Plain Kind = iota
	// Whole is a compound written as one: github from GitHub, email from e-mail.
	// Its parts follow as words of their own.
	Whole
	// Part is a piece of a Whole: git and hub.
	Part
	// Bigram is two neighbouring characters of a script without spaces (or the
	// one character, where it stands alone).
	Bigram
)

// Word is one word of a text, in lower case and NFKC, diacritics kept (stemmers
// of other languages need them).
type Word struct {
	Text string
	Kind Kind
	// Parts is how many of the words after a Whole are its pieces.
	Parts int
}

// maxWordBytes bounds a word: longer runs are data (base64, hashes), not words.
const maxWordBytes = 64

// Words appends the words of s to dst in order. Separators are everything that
// is neither letter, digit nor mark; _ - . / are among them. Inside a piece,
// words also end at a change from lower to upper case and between letters and
// digits; the piece as a whole is then a word too.
func Words(dst []Word, s string) []Word {
	s = Normal(s)
	start := -1
	for i, r := range s {
		if isWordRune(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start < 0 {
			continue
		}
		dst = piece(hyphenated(dst, s, start, i), s[start:i])
		start = -1
	}
	if start >= 0 {
		dst = piece(dst, s[start:])
	}
	return dst
}

// hyphenated adds the joined form of a two-piece hyphenated word that begins at
// s[start:hyphen], before its pieces are read: e-mail is then also email.
func hyphenated(dst []Word, s string, start, hyphen int) []Word {
	if s[hyphen] != '-' || start > 0 && s[start-1] == '-' {
		return dst
	}
	end := hyphen + 1
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		if !isWordRune(r) {
			break
		}
		end += size
	}
	if end == hyphen+1 || end < len(s) && (s[end] == '-' || s[end] == '_') {
		return dst
	}
	if start > 0 && s[start-1] == '_' || end-start > maxWordBytes {
		return dst
	}
	joined := s[start:hyphen] + s[hyphen+1:end]
	for _, r := range joined {
		if !unicode.IsLetter(r) || isUnspaced(r) {
			return dst
		}
	}
	return append(dst, Word{Text: Lower(joined), Kind: Whole})
}

// piece appends the words of one run of letters, digits and marks.
func piece(dst []Word, run string) []Word {
	from := 0
	unspaced := false
	for i, r := range run {
		u := isUnspaced(r) || unspaced && unicode.IsMark(r)
		if u == unspaced {
			continue
		}
		dst = spacedOrNot(dst, run[from:i], unspaced)
		from, unspaced = i, u
	}
	return spacedOrNot(dst, run[from:], unspaced)
}

func spacedOrNot(dst []Word, run string, unspaced bool) []Word {
	if run == "" {
		return dst
	}
	if unspaced {
		return bigrams(dst, run)
	}
	return compound(dst, run)
}

func bigrams(dst []Word, run string) []Word {
	run = Lower(run)
	_, first := utf8.DecodeRuneInString(run)
	if first == len(run) {
		return append(dst, Word{Text: run, Kind: Bigram})
	}
	for from, mid := 0, first; mid < len(run); {
		_, size := utf8.DecodeRuneInString(run[mid:])
		dst = append(dst, Word{Text: run[from : mid+size], Kind: Bigram})
		from, mid = mid, mid+size
	}
	return dst
}

// compound appends run, and its parts when it has borders inside.
func compound(dst []Word, run string) []Word {
	if len(run) > maxWordBytes {
		return dst
	}
	at := len(dst)
	dst = append(dst, Word{Text: Lower(run)})
	from := 0
	for border := nextBorder(run, 0); border > 0; border = nextBorder(run, from) {
		dst = part(dst, run[from:border])
		from = border
	}
	if from == 0 {
		return dst
	}
	dst = part(dst, run[from:])
	dst[at].Kind, dst[at].Parts = Whole, len(dst)-at-1
	if dst[at].Parts == 0 {
		dst[at].Kind = Plain
	}
	return dst
}

// part appends a piece of a compound; single characters (the s of k8s) say
// nothing by themselves.
func part(dst []Word, s string) []Word {
	if utf8.RuneCountInString(s) < 2 {
		return dst
	}
	return append(dst, Word{Text: Lower(s), Kind: Part})
}

// class of a rune as far as borders inside a run go.
type class uint8

const (
	other class = iota
	lower
	upper
	digit
)

func classOf(r rune) class {
	switch {
	case unicode.IsDigit(r):
		return digit
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLower(r):
		return lower
	}
	return other
}

// nextBorder returns the first border in run after from, or -1: aB, A|Bc, a|1,
// 1|a. A plural s after capitals (PDFs, IDs) makes no border.
func nextBorder(run string, from int) int {
	prev, prevAt := other, -1
	for i, r := range run[from:] {
		i += from
		c := classOf(r)
		if unicode.IsMark(r) {
			continue
		}
		if prevAt >= 0 {
			switch {
			case prev == lower && c == upper,
				(prev == digit) != (c == digit):
				return i
			case prev == upper && c == lower && prevAt > from && run[i:] != "s":
				return prevAt
			}
		}
		prev, prevAt = c, i
	}
	return -1
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// isUnspaced reports scripts that put no space between words, and Hangul,
// whose spaced units carry their particles with them. The sound mark ー belongs
// to two scripts and is in no table of one.
func isUnspaced(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return r == 'ー' || r == '々' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// MayBeForeign reports a text with Latin letters that English does not have.
func MayBeForeign(s string) bool {
	if isASCII(s) {
		return false
	}
	for _, r := range s {
		if r >= utf8.RuneSelf && unicode.Is(unicode.Latin, r) {
			return true
		}
	}
	return false
}
