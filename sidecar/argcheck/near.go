package argcheck

import (
	"strings"
	"unicode/utf8"
)

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
	found, any := "", false
	for _, c := range candidates {
		if c == key {
			return "", false
		}
		if any && c == found || !isTypo(key, c) {
			continue
		}
		if any {
			return "", false
		}
		found, any = c, true
	}
	return found, any
}

func isTypo(key, candidate string) bool {
	limit := tolerance(utf8.RuneCountInString(candidate))
	return limit > 0 && within(key, candidate, limit)
}

// tolerance is how many edits a name of n runes forgives.
func tolerance(n int) int {
	if n < 4 || n > nearLength {
		return 0
	}
	return min(nearEdits, max(1, n/5))
}

// within reports whether a becomes b by at most limit edits.
func within(a, b string, limit int) bool {
	if len(a) > 4*(nearLength+nearEdits) {
		return false
	}
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d > limit || -d > limit {
		return false
	}
	return distance(x, y) <= limit
}

// distance is the unrestricted Damerau-Levenshtein distance: swapped
// neighbours may be edited again, so "ca" is 2 from "abc".
func distance(a, b []rune) int {
	far := len(a) + len(b)
	rows := make([][]int, len(a)+2) // shifted by one: row and column 0 hold far
	for i := range rows {
		rows[i] = make([]int, len(b)+2)
		rows[i][0] = far
		if i > 0 {
			rows[i][1] = i - 1
		}
	}
	for j := range rows[0] {
		rows[0][j] = far
		if j > 0 {
			rows[1][j] = j - 1
		}
	}
	lastRow := map[rune]int{} // the last row whose rune of a was this one
	for i := 1; i <= len(a); i++ {
		lastMatch := 0 // the last column of this row where the runes are equal
		for j := 1; j <= len(b); j++ {
			row, col := lastRow[b[j-1]], lastMatch
			change := 1
			if a[i-1] == b[j-1] {
				change, lastMatch = 0, j
			}
			rows[i+1][j+1] = min(
				rows[i][j]+change,
				rows[i+1][j]+1,
				rows[i][j+1]+1,
				rows[row][col]+(i-row-1)+1+(j-col-1),
			)
		}
		lastRow[a[i-1]] = i
	}
	return rows[len(a)+1][len(b)+1]
}

// nearKey is Near for keys of arguments, and also knows a key that is the
// candidate in another style (userId for user_id). It only ever words a hint.
func nearKey(key string, candidates []string) (string, bool) {
	found, any := "", false
	for _, c := range candidates {
		if c != key && folded(c) == folded(key) {
			if any && c != found {
				return "", false
			}
			found, any = c, true
		}
	}
	if any {
		return found, true
	}
	return Near(key, candidates)
}

// folded is a name without case and separators.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. ", r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
}
