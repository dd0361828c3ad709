package servers

import (
	"strings"
)

// near is the known word that an unknown one is likely meant to be; "" if none
// is close: the same letters but for case and separators, or at most two
// letters away and a third of its length.
func near(word string, known []string) string {
	flat := func(s string) string {
		return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
	}
	best, least := "", 3
	for _, k := range known {
		d := distance(flat(word), flat(k))
		if d < least && d*3 <= len(flat(k)) {
			best, least = k, d
		}
	}
	return best
}

// distance counts the letters to insert, remove, change or swap with their
// neighbour (optimal string alignment).
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
