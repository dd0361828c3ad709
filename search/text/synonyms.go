package text

import (
	_ "embed"
	"strings"
)

//go:embed synonyms.txt
var synonymsText string

var synonyms = groupStems(synonymsText)

// groupStems reads groups of words, one a line; lines that begin with # are notes.
func groupStems(list string) map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(list) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		group := strings.Fields(line)
		for i := range group {
			group[i] = Stem(group[i])
		}
		for _, a := range group {
			for _, b := range group {
				if a != b && !contains(m[a], b) {
					m[a] = append(m[a], b)
				}
			}
		}
	}
	return m
}

// Synonyms returns other stems that stand for the same in talk about software.
// The caller must not change the slice.
func Synonyms(stem string) []string { return synonyms[stem] }
