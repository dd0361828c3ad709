package text

import (
	_ "embed"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
)

//go:embed glossary.txt
var glossaryText string

//go:embed glossary-lt.txt
var lithuanianText string

// Glossary translates what people of other languages ask of software into
// English stems: verbs and nouns of work and everyday life, no product and no catalog's
// words. It is no dictionary; it makes the commonest requests findable without
// vectors.
type Glossary struct {
	byWord  map[string][]Translation // foreign word, folded -> English
	byStem  map[string][]Translation // stem of a foreign word -> English
	byStart map[string][]string      // first letters of a foreign word, folded -> such words
	spells  []spelling               // words of scripts that are looked for in the text
}

// Translation is what a word is in English.
type Translation struct {
	// Stem is an English stem, Word the word as the table has it.
	Stem, Word string
	// Of are the languages in which the word means that; none: whatever the query's.
	Of Languages
	// Likely is how likely it is, 0 to 1; 0 when nothing is known of that.
	Likely float32
}

// spelling is a word that has no borders of its own, or no stemmer.
type spelling struct {
	word    string
	english []Translation
}

// glossaryOnce reads the table when it is first asked for: it takes tens of
// milliseconds, which a process that never searches does not pay.
var glossaryOnce = sync.OnceValue(func() *Glossary { return readGlossary(glossaryText + lithuanianText) })

// SharedGlossary returns the one glossary, which never changes.
func SharedGlossary() *Glossary { return glossaryOnce() }

// stemmerOf are the stemmers of the Latin columns of the table; nil for those
// that Stem or the text itself decides.
var stemmerOf = []func(string) string{
	latin[0], latin[1], latin[3], latin[2], nil, latin[4], nil, latin[12],
}

// firstUnspaced is the first column that is looked for in the text.
const firstUnspaced = 8

// arabicColumn has a stemmer by its script.
const arabicColumn = 10

func readGlossary(table string) *Glossary {
	g := &Glossary{byWord: map[string][]Translation{}, byStem: map[string][]Translation{}, byStart: map[string][]string{}}
	for _, line := range strings.Split(table, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		columns := strings.Split(line, "|")
		var english []Translation
		for _, word := range strings.Fields(columns[0]) {
			english = append(english, Translation{Stem: Stem(word), Word: word})
		}
		for i, column := range columns[1:] {
			for _, word := range strings.Fields(column) {
				g.add(i, word, english)
			}
		}
	}
	sort.SliceStable(g.spells, func(i, j int) bool { return len(g.spells[i].word) > len(g.spells[j].word) })
	return g
}

func (g *Glossary) add(column int, word string, english []Translation) {
	word = Lower(Normal(word))
	if column >= firstUnspaced && column != arabicColumn {
		g.spells = append(g.spells, spelling{Fold(word), english})
		return
	}
	lang := Languages(1) << column
	folded := Fold(word)
	if start, ok := startOf(folded); ok && len(g.byWord[folded]) == 0 {
		g.byStart[start] = append(g.byStart[start], folded)
	}
	put(g.byWord, folded, english, lang)
	stems := []string{Stem(word), folded}
	if column < len(stemmerOf) && stemmerOf[column] != nil {
		stems = append(stems, Fold(stemmerOf[column](word)))
	}
	for i, stem := range stems {
		if contains(stems[:i], stem) || len(stem) < 3 {
			continue
		}
		put(g.byStem, stem, english, lang)
	}
}

// put lists english under key, for one more language.
func put(m map[string][]Translation, key string, english []Translation, lang Languages) {
	for _, e := range english {
		e.Of = lang
		at := slices.IndexFunc(m[key], func(t Translation) bool { return t.Stem == e.Stem })
		if at < 0 {
			m[key] = append(m[key], e)
			continue
		}
		m[key][at].Of |= e.Of
	}
}

// OfWord returns the English for a folded word exactly as the table has it.
func (g *Glossary) OfWord(word string) []Translation { return g.byWord[word] }

// OfStem returns the English for a stem that Stem or OtherStems gave.
func (g *Glossary) OfStem(stem string) []Translation { return g.byStem[stem] }

// In calls found with the English of each word of a script without
// spaces, or of Hindi, that stands in text and in no longer such word; text
// folded.
func (g *Glossary) In(text string, found func(word string, english []Translation)) (rest string) {
	if !strings.ContainsFunc(text, hasNoBorders) {
		return text
	}
	for _, s := range g.spells {
		if strings.Contains(text, s.word) {
			text = strings.ReplaceAll(text, s.word, " ")
			found(s.word, s.english)
		}
	}
	return text
}

// hasNoBorders reports the scripts whose words In looks for.
func hasNoBorders(r rune) bool {
	return r >= 0x0900 && (unicode.Is(unicode.Devanagari, r) || isUnspaced(r))
}
