package search

import "reflect"

// What memory is counted by, in bytes: the runtime's own is a little more, because it rounds up.
const (
	mapped = 2 // how many times its content a map takes
	header = 24
)

// size is what a value of a type takes by itself.
func size[T any]() int64 { return int64(reflect.TypeFor[T]().Size()) }

// held is what a slice takes, without what its elements point at.
func held[T any](s []T) int64 { return int64(cap(s)) * size[T]() }

// Bytes estimates the memory that the index takes, without the documents' own texts. What it shares with the one that
// it was built on counts in both.
func (ix *Index) Bytes() int64 { return ix.bytes }

func (ix *Index) size() int64 {
	n := held(ix.docs) + held(ix.names) + held(ix.sources) + held(ix.pinned) + held(ix.own) + held(ix.byName) + held(ix.order) + held(ix.verbs) + held(ix.nameMass)
	n += mapped*int64(len(ix.exact.byKey))*(16+header+4) + held(ix.exact.keys)
	for _, key := range ix.exact.keys {
		n += int64(len(key))
	}
	return n + ix.lex.size() + ix.posts.size() + ix.vectors.size() + held(ix.meanings.vectors) + held(ix.meanings.codes)
}

func (l *lexicon) size() int64 {
	n := mapped*20*int64(len(l.terms)+len(l.spelled)) + held(l.surface) + held(l.letters) + held(l.stems) + held(l.first) + held(l.spellings)
	for i := range l.spellings {
		if f := l.spellings[i].form; f != nil {
			n += f.size()
		}
	}
	for _, list := range l.grams {
		n += mapped*(4+header) + held(list)
	}
	for stem, list := range l.foreign {
		n += mapped*(16+header) + held(list) + int64(len(stem))
	}
	return n
}

func (p *postings) size() int64 {
	n := held(p.lists) + held(p.idf) + held(p.weighed) + held(p.lengths) + held(p.names)
	for i := range p.lists {
		n += held(p.lists[i].docs) + held(p.lists[i].counts)
	}
	for _, terms := range p.names {
		n += held(terms)
	}
	return n
}

func (m *matrix) size() int64 {
	n := held(m.pages) + held(m.unit) + held(m.docAt) + held(m.slotOf)
	for _, page := range m.pages {
		n += int64(len(page)) * 8 // pages that were made together are one array
	}
	return n
}

// size is what a spelling takes; its text and its stem are at most one string each.
func (f *wordForm) size() int64 {
	n := size[wordForm]() + int64(len(f.text)+len(f.stem)) + held(f.others) + held(f.vector.values) + 16
	for _, stem := range f.others {
		n += int64(len(stem))
	}
	return n
}

// remembered is what a reading takes in a Cache, with those of its words that were met in it first.
func (r *reading) remembered() int64 {
	return mapped*(size[contentKey]()+8) + size[cached]() + size[reading]() + held(r.words) + held(r.vector.values) + r.fresh
}
