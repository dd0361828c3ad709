package search

import (
	"sync"

	"mcp-toolsearch/search/text"
)

// Options tunes an Index; the zero value searches by words alone.
type Options struct {
	// Embedder makes the vectors; nil: words alone.
	Embedder Embedder
	// Cache remembers what reading documents cost; nil: every build reads all.
	Cache *Cache
	// Base is an index of much the same documents in much the same order, like the
	// one before a listing was repeated: what did not change is taken from it, and
	// not changed in it. nil, or one with another embedder: nothing is. It makes no
	// difference to what is found.
	Base *Index
}

// Index is an immutable search index, safe for concurrent use.
type Index struct {
	docs     []Document
	names    []string
	sources  []int32 // document -> number of its source; 0: none
	pinned   []bool
	own      []string // document -> its name without the source in it; "": the source is not
	byName   []int32  // documents in the order of their names
	order    []int32  // document -> its place in byName
	lex      lexicon
	posts    postings
	exact    nameTable
	verbs    []text.Verb // document -> the verb by which it changes something; 0: none
	vectors  matrix
	meanings meanings
	nameMass []float32 // document -> summed idf of the distinct words of its name
	tune     tuning
	glossary *text.Glossary
	said     *text.Idioms
	lexicon  *text.Lexicon
	pool     sync.Pool // *scratch
	// worn is how many documents were changed since all was built anew: numbers of
	// words that are gone are not given again.
	worn  int
	bytes int64
}

// Build indexes docs, on all cores. Positions in docs are the Doc numbers of
// hits. Equal docs give equal indexes. It takes about 20 microseconds a document,
// and several times that for one that is embedded; documents that o.Cache
// remembers cost a twentieth of it, and those that o.Base has next to nothing.
// The index keeps docs: nothing of them may be changed afterwards.
func Build(docs []Document, o Options) *Index { return build(docs, o, defaultTuning()) }

func build(docs []Document, o Options, tune tuning) *Index {
	base, c := basis(docs, o, tune)
	b := newBuilder(base, c, o, tune)
	b.countWords()
	ix := &Index{docs: docs, tune: tune, glossary: text.SharedGlossary(), said: text.SharedIdioms(), lexicon: text.SharedLexicon(), worn: base.worn + len(c.added) + len(c.gone)}
	if len(base.docs) == 0 {
		ix.worn = 0
	}
	ix.name(base, c)
	b.settle()
	ix.lex = b.lex
	ix.posts = b.postings()
	ix.nameMass = ix.posts.nameMasses()
	ix.verbs = base.verbsOf(c, b.read)
	ix.vectors = base.vectors.next(c, b.read, o.Embedder)
	if ix.vectors.embedder != nil {
		ix.meanings = base.meanings.next(&ix.lex, b.dirty, ix.vectors.dim)
	}
	n := len(docs)
	ix.pool.New = func() any { return newScratch(n) }
	ix.bytes = ix.size()
	return ix
}

// basis is the index to build on, which is an empty one when little would be
// left of it, and what changes.
func basis(docs []Document, o Options, tune tuning) (*Index, changes) {
	if base := o.Base; base != nil && base.tune == tune && sameEmbedder(base.vectors.embedder, o.Embedder) {
		c := changesOf(base, docs)
		if changed := len(c.added) + len(c.gone); 4*changed <= len(docs) && 2*(base.worn+changed) <= len(docs) {
			return base, c
		}
	}
	empty := &Index{}
	return empty, changesOf(empty, docs)
}

func sameEmbedder(a, b Embedder) bool {
	if a == nil || b == nil {
		return a == nil && (b == nil || b.Dim() > maxDim)
	}
	return a.Name() == b.Name() && a.Dim() == b.Dim()
}

// name fills what an index knows of its documents by themselves.
func (ix *Index) name(base *Index, c changes) {
	n := len(ix.docs)
	ix.names, ix.pinned, ix.own, ix.sources = make([]string, n), make([]bool, n), make([]string, n), make([]int32, n)
	numbers := map[string]int32{"": 0}
	for i := range ix.docs {
		d := &ix.docs[i]
		ix.names[i], ix.pinned[i] = d.Name, d.Pinned
		if i > 0 && d.Source == ix.docs[i-1].Source {
			ix.sources[i] = ix.sources[i-1]
			continue
		}
		number, ok := numbers[d.Source]
		if !ok {
			number = int32(len(numbers))
			numbers[d.Source] = number
		}
		ix.sources[i] = number
	}
	for i, from := range c.from {
		if from >= 0 {
			ix.own[i] = base.own[from]
		} else {
			ix.own[i] = ownName(&ix.docs[i])
		}
	}
	ix.byName = mergeSorted(c.carried(base.byName), c.added, ix.nameBefore)
	ix.order = make([]int32, n)
	for place, doc := range ix.byName {
		ix.order[doc] = int32(place)
	}
	ix.exact = base.exact.next(&c, base.names, ix.names)
}

// nameBefore orders documents by name; equal names keep the order of the documents.
func (ix *Index) nameBefore(a, b int32) bool {
	if ix.names[a] != ix.names[b] {
		return ix.names[a] < ix.names[b]
	}
	return a < b
}
