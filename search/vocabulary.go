package search

import (
	"cmp"
	"maps"
	"slices"

	"mcp-toolsearch/search/text"
)

// variant is one way to write a term, and in how many documents it counts.
type variant struct {
	form *wordForm
	term int32
	next int32 // another spelling of the term; -1: none
	docs int32 // documents that have it
	// Of these, those where it stands as more than the whole of a compound, where
	// it names the document, and where it stands in a foreign text.
	single, named, foreign int32
}

// count takes in a word of a document, or with -1 takes it out.
func (s *variant) count(w *readWord, by int32) {
	s.docs += by
	if w.single {
		s.single += by
	}
	for f := range w.count {
		if w.count[f] > 0 && named.has(field(f)) {
			s.named += by
			break
		}
	}
	if !w.foreign {
		return
	}
	s.foreign += by
	if !s.form.foreign {
		s.form = w.word
	}
}

// copied is a lexicon whose arrays can be changed; its maps can't.
func (l *lexicon) copied() lexicon {
	out := *l
	out.surface, out.letters = roomy(l.surface), roomy(l.letters)
	out.stems, out.first, out.spellings = roomy(l.stems), roomy(l.first), roomy(l.spellings)
	return out
}

// roomy is a copy with room for some more.
func roomy[T any](s []T) []T { return append(make([]T, 0, len(s)+64), s...) }

func cloned[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return maps.Clone(m)
}

func (l *lexicon) newTerm(stem string) int32 {
	t := int32(len(l.stems))
	l.terms[stem] = t
	l.stems, l.first = append(l.stems, stem), append(l.first, -1)
	l.surface, l.letters = append(l.surface, ""), append(l.letters, 0)
	return t
}

func (l *lexicon) newSpelling(w *wordForm, term int32) int32 {
	n := int32(len(l.spellings))
	l.spelled[w.text] = n
	l.spellings = append(l.spellings, variant{form: w, term: term, next: l.first[term]})
	l.first[term] = n
	return n
}

// hasUnused says whether no document has one of a term's spellings any more.
func (l *lexicon) hasUnused(term int32) bool {
	for n := l.first[term]; n >= 0; n = l.spellings[n].next {
		if l.spellings[n].docs == 0 {
			return true
		}
	}
	return false
}

// dropUnused forgets such spellings, and a term that has no other.
func (l *lexicon) dropUnused(term int32) {
	last := &l.first[term]
	for n := *last; n >= 0; n = *last {
		if s := &l.spellings[n]; s.docs == 0 {
			delete(l.spelled, s.form.text)
			*last, s.form = s.next, nil
			continue
		}
		last = &l.spellings[n].next
	}
	if l.first[term] < 0 {
		delete(l.terms, l.stems[term])
	}
}

// shortest is the shortest spelling of a term, of equally long ones the first in
// the order of letters, so that it doesn't depend on the order of documents; nil
// when there is none.
func (l *lexicon) shortest(term int32) *wordForm {
	var best *wordForm
	for n := l.first[term]; n >= 0; n = l.spellings[n].next {
		f := l.spellings[n].form
		if best == nil || cmp.Or(cmp.Compare(len(f.text), len(best.text)), cmp.Compare(f.text, best.text)) < 0 {
			best = f
		}
	}
	return best
}

// respell sets what is known of a term by its shortest spelling; a term without
// a document has an empty one, by which no search finds it.
func (l *lexicon) respell(term int32) {
	l.surface[term], l.letters[term] = "", 0
	if f := l.shortest(term); f != nil {
		l.surface[term] = text.Fold(f.text)
		l.letters[term] = letterSet(l.surface[term])
	}
}

// compare orders terms by spelling, whatever their numbers: these are given in
// the order in which words were met.
func (l *lexicon) compare(a, b int32) int {
	return cmp.Or(cmp.Compare(l.surface[a], l.surface[b]), cmp.Compare(l.stems[a], l.stems[b]))
}

// listing is where a term is listed: under the parts of its spelling when it
// stands in a name, and under stems that its words have in other languages.
type listing struct {
	surface string
	inNames bool
	foreign []string
}

func (l *lexicon) listed(term int32) listing {
	if int(term) >= len(l.first) {
		return listing{}
	}
	out := listing{surface: l.surface[term]}
	single, named := false, false
	for n := l.first[term]; n >= 0; n = l.spellings[n].next {
		s := &l.spellings[n]
		single, named = single || s.single > 0, named || s.named > 0
		if s.foreign > 0 {
			out.foreign = append(out.foreign, s.form.others...)
		}
	}
	out.inNames = single && named
	slices.Sort(out.foreign)
	out.foreign = slices.Compact(out.foreign)
	return out
}

func (a *listing) equal(b *listing) bool {
	return a.surface == b.surface && a.inNames == b.inNames && slices.Equal(a.foreign, b.foreign)
}

func (a *listing) eachGram(do func(gram uint32)) {
	if !a.inNames {
		return
	}
	for i := 0; i+3 <= len(a.surface); i++ {
		do(gram(a.surface, i))
	}
}

// relisting are changes to sorted lists of terms.
type relisting[K comparable] struct{ drops, adds map[K][]int32 }

func newRelisting[K comparable]() relisting[K] {
	return relisting[K]{drops: map[K][]int32{}, adds: map[K][]int32{}}
}

func (r *relisting[K]) drop(key K, term int32) { r.drops[key] = withLast(r.drops[key], term) }
func (r *relisting[K]) add(key K, term int32)  { r.adds[key] = withLast(r.adds[key], term) }

// withLast appends term unless it is the last already.
func withLast(list []int32, term int32) []int32 {
	if n := len(list); n > 0 && list[n-1] == term {
		return list
	}
	return append(list, term)
}

// apply returns the changed lists; those of before stay as they are. What was
// added came in the order of compare.
func (r *relisting[K]) apply(before map[K][]int32, compare func(a, b int32) int) map[K][]int32 {
	if len(before) == 0 {
		return r.adds
	}
	if len(r.drops)+len(r.adds) == 0 {
		return before
	}
	now := maps.Clone(before)
	for key, gone := range r.drops {
		list := slices.DeleteFunc(slices.Clone(now[key]), func(t int32) bool { return slices.Contains(gone, t) })
		if len(list) == 0 {
			delete(now, key)
			continue
		}
		now[key] = list
	}
	for key, more := range r.adds {
		now[key] = mergeSorted(now[key], more, func(a, b int32) bool { return compare(a, b) < 0 })
	}
	return now
}
