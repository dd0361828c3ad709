package argcheck

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"abc", "abd", 1}, {"abc", "ab", 1}, {"abc", "abcd", 1}, {"abc", "acb", 1},
		{"ca", "abc", 2},        // the restricted form of the distance would say 3
		{"a cat", "an abct", 3}, // the restricted form: 4
		{"kitten", "sitting", 3}, {"teh", "the", 1}, {"abcdef", "badcfe", 3},
		{"žąsis", "zasis", 2}, {"日本語", "日語本", 1}, {"aaaa", "bbbb", 4},
	}
	for _, tt := range tests {
		if got := distance([]rune(tt.a), []rune(tt.b)); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := distance([]rune(tt.b), []rune(tt.a)); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}

// distance is the unrestricted Damerau-Levenshtein distance by the book, to
// hold within against.
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

func TestWithinIsTheDistance(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	name := func() []rune {
		runes := make([]rune, random.IntN(9))
		for i := range runes {
			runes[i] = rune('a' + random.IntN(3)) // few letters, many near names
		}
		return runes
	}
	near := 0
	for range 200_000 {
		a, b := name(), name()
		want := distance(a, b)
		for limit := range nearEdits + 2 {
			if got := within(a, b, limit); got != (want <= limit) {
				t.Fatalf("within(%q, %q, %d) = %t, the distance is %d", string(a), string(b), limit, got, want)
			}
		}
		if want <= nearEdits {
			near++
		}
	}
	if near < 1000 {
		t.Errorf("only %d of the pairs were near", near)
	}
}

func TestNear(t *testing.T) {
	long := strings.Repeat("k", 20)
	tests := map[string]struct {
		key        string
		candidates string
		want       string
	}{
		"one edit of a name of four":                  {"tean", "team kind", "team"},
		"one edit of a name of three is too much":     {"tea", "ten", ""},
		"two neighbours swapped are one edit":         {"taem", "team", "team"},
		"two edits of a name of nine are too much":    {"gt_isue", "get_issue", ""},
		"two edits of a name of ten":                  {"get_isus", "get_issues", "get_issues"},
		"three edits of a long name are too much":     {long[:17] + "xyz", long, ""},
		"two edits of a long name":                    {long[:18] + "xy", long, long},
		"two near candidates are none":                {"get_issuez", "get_issues get_issue1", ""},
		"a candidate named twice is one":              {"tean", "team team", "team"},
		"the name itself is no typo":                  {"team", "team teams", ""},
		"nothing is near":                             {"colour", "shape size", ""},
		"no candidates":                               {"colour", "", ""},
		"runes count, not bytes":                      {"žąsys", "žąsis", "žąsis"},
		"a letter more":                               {"colour", "color", "color"},
		"an empty key":                                {"", "team", ""},
		"a key far longer than any name":              {strings.Repeat("x", 1<<20), "team", ""},
		"a candidate far longer than any name":        {strings.Repeat("x", 300), strings.Repeat("x", 301), ""},
		"another case is an edit for every letter":    {"TEAM", "team", ""},
		"the length that counts is the candidate's":   {"abcd", "abc", ""},
		"one edit of five":                            {"abcdx", "abcde", "abcde"},
		"the other candidate is out of its own reach": {"abcdefghi", "abcdefghij abcdefgxyz", "abcdefghij"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := Near(tt.key, strings.Fields(tt.candidates))
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("Near = %q, %t; want %q", got, ok, tt.want)
			}
		})
	}
}

func TestANearKeyKnowsAnotherStyle(t *testing.T) {
	tests := map[string]struct{ key, candidates, want string }{
		"camel case for snake case":   {"userId", "user_id team", "user_id"},
		"snake case for camel case":   {"user_id", "userId", "userId"},
		"a dash for an underscore":    {"page-size", "page_size", "page_size"},
		"another case":                {"TEAM", "team", "team"},
		"two of the same are none":    {"userid", "user_id userId", ""},
		"a typo, as Near knows it":    {"usr_id", "user_id", "user_id"},
		"the style goes before typos": {"user_ID", "user_id user_IP", "user_id"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWords()
			got, ok := namesOf(strings.Fields(tt.candidates)).near(tt.key, &w)
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("near = %q, %t; want %q", got, ok, tt.want)
			}
		})
	}
}
