package argcheck

import "unicode/utf8"

const (
	nearEdits  = 2
	nearLength = 256 // longer names have no near names: the work would be theirs to choose
)

// Near returns the single candidate that key is clearly a typo of: it differs
// by at most 2 edits (insert, delete, change a rune, swap two neighbours:
// Damerau-Levenshtein) and by at most 20 % of the candidate's length, though
// 1 edit is enough for any candidate of 4 runes or more. It returns false
// when no candidate is that near, when more than one is, and when key is a
// candidate itself.
func Near(key string, candidates []string) (string, bool) {
	if len(key) > 4*(nearLength+nearEdits) {
		return "", false
	}
	runes := []rune(key)
	found, any := "", false
	for _, c := range candidates {
		if c == key {
			return "", false
		}
		if any && c == found || !isTypo(runes, c) {
			continue
		}
		if any {
			return "", false
		}
		found, any = c, true
	}
	return found, any
}

func isTypo(key []rune, candidate string) bool {
	n := utf8.RuneCountInString(candidate)
	limit := tolerance(n)
	if d := len(key) - n; limit == 0 || d > limit || -d > limit {
		return false
	}
	return within(key, []rune(candidate), limit)
}

// tolerance is how many edits a name of n runes forgives.
func tolerance(n int) int {
	if n < 4 || n > nearLength {
		return 0
	}
	return min(nearEdits, max(1, n/5))
}

// within reports whether a becomes b by at most limit edits, by the
// unrestricted Damerau-Levenshtein distance: swapped neighbours may be edited
// again, so "ca" is 2 from "abc". Equal ends cost nothing; what is left must
// begin with an edit, so a few comparisons decide instead of a table.
func within(a, b []rune, limit int) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	switch d := len(a) - len(b); {
	case d > limit || -d > limit:
		return false
	case len(a) == 0 || len(b) == 0:
		return true
	case limit == 0:
		return false
	}
	return within(a[1:], b[1:], limit-1) || within(a[1:], b, limit-1) || within(a, b[1:], limit-1) || swapped(a, b, limit)
}

// swapped is within when the first runes are those of a swap, with edits
// between the two.
func swapped(a, b []rune, limit int) bool {
	for i := 1; i <= limit && i < len(a); i++ {
		for j := 1; i+j-1 <= limit && j < len(b); j++ {
			if a[0] == b[j] && a[i] == b[0] && within(a[i+1:], b[j+1:], limit-(i+j-1)) {
				return true
			}
		}
	}
	return false
}
