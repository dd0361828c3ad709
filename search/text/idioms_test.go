package text

import (
	"slices"
	"strings"
	"testing"
)

func TestIdiomTableIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for n, line := range strings.Split(strings.TrimSpace(idiomsText), "\n") {
		if line[0] == '#' {
			continue
		}
		said, meant, found := strings.Cut(line, " | ")
		if !found || said == "" || meant == "" || strings.ContainsAny(line, "_,;()") || strings.Count(line, "|") != 1 {
			t.Errorf("line %d is not an idiom and what it means, words parted by spaces alone", n+1)
		}
		if seen[said] {
			t.Errorf("line %d: %q is there twice", n+1, said)
		}
		seen[said] = true
		for _, word := range strings.Fields(meant) {
			if IsStop(word) {
				t.Errorf("line %d means the stop word %q", n+1, word)
			}
		}
		if !strings.Contains(said, " ") && IsQueryStop(said) {
			t.Errorf("line %d: %q alone is no word to look for", n+1, said)
		}
	}
}

func TestIdiomsAreFoundInARequest(t *testing.T) {
	for _, c := range []struct{ request, said, meant string }{
		{"please get rid of the old branch", "get rid of", "delete"},
		{"Get Rid Of it", "get rid of", "delete"},
		{"I am hungry", "hungry", "restaurant"},
		{"who has access to the wiki", "who has access", "permission"},
		{"get the rid of", "", ""},
		{"", "", ""},
	} {
		found := map[string][]string{}
		SharedIdioms().In(Words(nil, c.request), func(said, meant []string) { found[strings.Join(said, " ")] = meant })
		want := strings.Join(stemsOf(Words(nil, c.said)), " ")
		if c.said == "" {
			if len(found) > 0 {
				t.Errorf("%q holds %v", c.request, found)
			}
			continue
		}
		if !slices.Contains(found[want], Stem(c.meant)) {
			t.Errorf("%q holds %v, want %q for %q", c.request, found, c.meant, c.said)
		}
	}
}
