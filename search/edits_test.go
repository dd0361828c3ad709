package search

import (
	"math/rand/v2"
	"testing"
)

func TestEditsCountsOneStepForAnInsertionDeletionChangeOrSwap(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		most, want int
	}{
		{"equal words", "branch", "branch", 2, 0},
		{"a letter left out", "brnch", "branch", 2, 1},
		{"a letter too many", "brannch", "branch", 2, 1},
		{"a wrong letter", "brench", "branch", 2, 1},
		{"two letters swapped", "barnch", "branch", 2, 1},
		{"runes and not bytes are counted", "šaka", "saka", 2, 1},
		{"too far is most plus one", "branch", "calendar", 2, 3},
		{"an empty word is as far as the other is long", "", "abc", 4, 3},
		{"two empty words are equal", "", "", 0, 0},
		{"no edit allowed", "a", "b", 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := edits(c.a, c.b, c.most); got != c.want {
				t.Errorf("edits(%q, %q, %d) = %d, want %d", c.a, c.b, c.most, got, c.want)
			}
		})
	}
}

// TestEditsEqualTheWholeTable compares the banded table with the whole one.
func TestEditsEqualTheWholeTable(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	word := func() string {
		b := make([]byte, r.IntN(9))
		for i := range b {
			b[i] = "abc"[r.IntN(3)]
		}
		return string(b)
	}
	for range 20_000 {
		a, b, most := word(), word(), r.IntN(6)
		want := min(wholeTable(a, b), most+1)
		if got := edits(a, b, most); got != want {
			t.Fatalf("edits(%q, %q, %d) = %d, want %d", a, b, most, got, want)
		}
	}
}

func wholeTable(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
