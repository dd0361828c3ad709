package text

import (
	"strings"
	"unicode/utf8"
)

// startRunes is how many first letters two forms of a word share at least, and
// mostEnding how many letters may follow what they share.
const (
	startRunes = 5
	mostEnding = 3
)

// startOf returns the first letters of word; false when it has fewer.
func startOf(word string) (string, bool) {
	n := 0
	for i := range word {
		if n == startRunes {
			return word[:i], true
		}
		n++
	}
	return word, n == startRunes
}

// OfForm returns the English for the words of the table that a folded word
// shares its beginning with, but for a short ending: forms that stemming leaves
// apart.
func (g *Glossary) OfForm(word string) []Translation {
	start, ok := startOf(word)
	if !ok {
		return nil
	}
	var best []Translation
	longest := 0
	for _, other := range g.byStart[start] {
		n := sharedStart(word, other)
		if n < longest || utf8.RuneCountInString(word[n:]) > mostEnding || utf8.RuneCountInString(other[n:]) > mostEnding {
			continue
		}
		if n > longest {
			best, longest = nil, n
		}
		best = append(best, g.byWord[other]...)
	}
	return best
}

// sharedStart is the length in bytes of what a and b both begin with, at a
// whole rune.
func sharedStart(a, b string) int {
	for i, r := range a {
		if !strings.HasPrefix(b[min(i, len(b)):], string(r)) {
			return i
		}
	}
	return len(a)
}

// lithuanianPrefixes make of one verb many, of like meaning to software: the
// action done, begun or done for oneself.
var lithuanianPrefixes = longestFirst(`at ap į iš nu pa par per pra pri su už ne atsi apsi įsi išsi nusi pasi persi prasi prisi susi užsi`)

// WithoutLithuanianPrefix returns the parts of a Lithuanian word behind what may be a
// verb's prefix.
func WithoutLithuanianPrefix(word string) []string {
	var out []string
	for _, p := range lithuanianPrefixes {
		if rest, ok := strings.CutPrefix(word, p); ok && utf8.RuneCountInString(rest) >= startRunes {
			out = append(out, rest)
		}
	}
	return out
}
