package search

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"unicode/utf8"

	"mcp-toolsearch/search/text"
)

// MaxNear is the greatest number of near names or near terms given.
const MaxNear = 5

// near is a string that resembles another, by a likeness from 0 to 1.
type near struct {
	text  string
	alike float64
}

// Near returns up to MaxNear distinct names near an unknown name, best first:
// those a few letters from it and those that share its rarer words. A name that
// equals it after folding is near as well.
func (ix *Index) Near(name string) []string {
	name = cut(name, maxEditBytes)
	key := text.NameKey(name)
	if key == "" {
		return nil
	}
	shared := ix.sharedWords(name)
	set := letterSet(key)
	var found []near
	for known, docs := range ix.exact.byKey {
		spelt := spelling(key, set, known)
		for _, d := range docs {
			if alike := max(spelt, shared[d]); alike >= minAlike {
				found = append(found, near{ix.names[d], alike})
			}
		}
	}
	return nearest(found)
}

// minAlike is the likeness under which a name is another name.
const minAlike = .3

// spelling is the share of letters that stay when key is typed as known: 0 when
// more than a third of them change.
func spelling(key string, set uint32, known string) float64 {
	longer := max(len(key), len(known))
	most := min(4, longer/3)
	if abs(len(key)-len(known)) > most || bits.OnesCount32(set^letterSet(known)) > 2*most {
		return 0
	}
	d := edits(key, known, most)
	if d > most {
		return 0
	}
	return 1 - float64(d)/float64(longer)
}

// sharedWords gives, for the documents with a word of name in their own names,
// the idf of the shared words over that of the words of either (Jaccard). A
// word that no document has stands for those it may be a typo of.
func (ix *Index) sharedWords(name string) map[int32]float64 {
	words := map[string]bool{}
	for _, w := range text.Words(nil, name) {
		if w.Kind != text.Whole {
			words[w.Text] = true
		}
	}
	shared := map[int32]float64{}
	total := 0.0
	for _, word := range slices.Sorted(maps.Keys(words)) {
		terms := ix.termsOf(word)
		weight := idf(len(ix.names), len(ix.names)/2)
		for _, t := range terms {
			weight = max(weight, float64(ix.posts.idf[t]))
		}
		total += weight
		for _, d := range ix.docsNamedWith(terms) {
			shared[d] += weight
		}
	}
	for d, both := range shared {
		shared[d] = both / max(total+float64(ix.nameMass[d])-both, both)
	}
	return shared
}

// termsOf returns the term of a word, or those it may be a typo of.
func (ix *Index) termsOf(word string) []int32 {
	if t, ok := ix.lex.terms[text.Stem(word)]; ok {
		return []int32{t}
	}
	var terms []int32
	folded := text.Fold(word)
	if most := allowedEdits(folded); most > 0 {
		ix.lex.typos(folded, most, func(t int32, _ int) { terms = append(terms, t) })
	}
	return terms
}

// docsNamedWith returns the documents, each once, that have any of terms in
// their names.
func (ix *Index) docsNamedWith(terms []int32) []int32 {
	var docs []int32
	for _, t := range terms {
		list := &ix.posts.lists[t]
		for at, doc := range list.docs {
			if list.counts[at][fieldName] > 0 {
				docs = append(docs, doc)
			}
		}
	}
	slices.Sort(docs)
	return slices.Compact(docs)
}

// nearest sorts by likeness, then by text, and returns the first distinct ones.
func nearest(found []near) []string {
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(b.alike, a.alike), cmp.Compare(a.text, b.text))
	})
	var out []string
	for _, n := range found {
		if len(out) == MaxNear {
			break
		}
		if !slices.Contains(out, n.text) {
			out = append(out, n.text)
		}
	}
	return out
}

// nearTerms returns words of the index near the unknown words of a query: those
// within a third of their letters, and those that begin alike.
func (ix *Index) nearTerms(unknown []string) []string {
	var found []near
	for _, word := range unknown[:min(len(unknown), maxNearWords)] {
		length := utf8.RuneCountInString(word)
		most := max(1, length/3)
		if length < 3 {
			continue
		}
		ix.lex.typos(word, most, func(t int32, edits int) {
			found = append(found, near{ix.lex.surface[t], 1 - float64(edits)/float64(length)})
		})
	}
	return nearest(found)
}

// maxNearWords bounds the work for a query that is all nonsense.
const maxNearWords = 8
