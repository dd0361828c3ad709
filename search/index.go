package search

import (
	"sort"
	"sync"

	"mcp-toolsearch/search/text"
)

// Options tunes an Index; the zero value searches by words alone.
type Options struct {
	// Embedder makes the vectors; nil: words alone.
	Embedder Embedder
	// Cache remembers what reading documents cost; nil: every build reads all.
	Cache *Cache
}

// Index is an immutable search index, safe for concurrent use.
type Index struct {
	names    []string
	sources  []int32 // document -> number of its source; 0: none
	pinned   []bool
	twin     []twin
	order    []int32 // document -> place among all names, sorted
	lex      lexicon
	posts    postings
	exact    nameTable
	vectors  matrix
	meanings meanings
	nameMass []float32 // document -> summed idf of the distinct words of its name
	tune     tuning
	glossary *text.Glossary
	pool     sync.Pool // *scratch
}

// Build indexes docs, on all cores. Positions in docs are the Doc numbers of
// hits. Equal docs give equal indexes. It takes about 20 microseconds a document,
// and several times that for one that is embedded; documents that o.Cache
// remembers cost next to nothing.
func Build(docs []Document, o Options) *Index { return build(docs, o, defaultTuning()) }

func build(docs []Document, o Options, tune tuning) *Index {
	read := readings(docs, o, tune)
	b := newBuilder(len(docs))
	for i, r := range read {
		b.add(int32(i), r)
	}
	ix := &Index{names: make([]string, len(docs)), tune: tune, glossary: text.SharedGlossary()}
	ix.sources, ix.pinned = make([]int32, len(docs)), make([]bool, len(docs))
	numbers := map[string]int32{"": 0}
	for i := range docs {
		ix.names[i], ix.pinned[i] = docs[i].Name, docs[i].Pinned
		n, ok := numbers[docs[i].Source]
		if !ok {
			n = int32(len(numbers))
			numbers[docs[i].Source] = n
		}
		ix.sources[i] = n
	}
	ix.order = placesByName(ix.names)
	ix.posts = b.postings(len(docs), tune)
	ix.lex = b.lexicon(ix.posts)
	ix.exact = newNameTable(ix.names)
	ix.nameMass = ix.posts.nameMass(len(docs))
	ix.vectors = newMatrix(read, o.Embedder)
	if ix.vectors.embedder != nil {
		ix.meanings = newMeanings(b.shortest, ix.vectors.dim)
	}
	ix.twin = twinsOf(docs)
	ix.pool.New = func() any { return newScratch(len(docs)) }
	return ix
}

// placesByName gives each document its place in the order of names; equal names
// keep the order of the documents.
func placesByName(names []string) []int32 {
	byName := make([]int32, len(names))
	for i := range byName {
		byName[i] = int32(i)
	}
	sort.SliceStable(byName, func(i, j int) bool { return names[byName[i]] < names[byName[j]] })
	place := make([]int32, len(names))
	for p, doc := range byName {
		place[doc] = int32(p)
	}
	return place
}
