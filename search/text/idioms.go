package text

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed idioms.txt
var idiomsText string

// Idioms says what people mean who speak of their day and not of a tool: get rid of
// means delete, hungry has to do with restaurants. It holds one way only, which
// synonyms do not.
type Idioms struct {
	byFirst map[string][]idiom // stem of the first word -> idioms, longest first
}

// idiom are the stems of an idiom, and those of what it means.
type idiom struct {
	stems, meant []string
}

var idiomsOnce = sync.OnceValue(func() *Idioms { return readIdioms(idiomsText) })

// SharedIdioms returns the one table, which never changes.
func SharedIdioms() *Idioms { return idiomsOnce() }

func readIdioms(table string) *Idioms {
	t := &Idioms{byFirst: map[string][]idiom{}}
	for line := range strings.Lines(table) {
		said, meant, ok := strings.Cut(line, "|")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		i := idiom{stems: stemsOf(Words(nil, said))}
		for _, word := range strings.Fields(meant) {
			i.meant = append(i.meant, Stem(word))
		}
		t.byFirst[i.stems[0]] = append(t.byFirst[i.stems[0]], i)
	}
	for _, all := range t.byFirst {
		slices.SortStableFunc(all, func(a, b idiom) int { return len(b.stems) - len(a.stems) })
	}
	return t
}

func stemsOf(words []Word) []string {
	stems := make([]string, 0, len(words))
	for _, w := range words {
		if w.Kind != Whole {
			stems = append(stems, Stem(w.Text))
		}
	}
	return stems
}

// In calls found with the stems of each idiom in words, and those of what it means;
// of several that begin at one word with the longest, and with none inside it.
func (t *Idioms) In(words []Word, found func(said, meant []string)) {
	stems := stemsOf(words)
	for at := 0; at < len(stems); {
		step := 1
		for _, i := range t.byFirst[stems[at]] {
			if n := len(i.stems); n <= len(stems)-at && slices.Equal(i.stems, stems[at:at+n]) {
				found(i.stems, i.meant)
				step = n
				break
			}
		}
		at += step
	}
}
