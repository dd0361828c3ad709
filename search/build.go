package search

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// entry is one term in one document while the index is built.
type entry struct {
	term, doc int32
	count     [fields]uint8
}

// builder makes what an index knows of words and vectors out of that of another
// one and of the readings of what changes. It never changes the other one.
type builder struct {
	base    *Index
	changes changes
	tune    tuning
	lex     lexicon
	read    []*reading // of changes.added
	lost    []*reading // of changes.gone
	dirty   []int32    // terms that a changed document has
	isDirty []bool     // by term
	entries []entry    // of changes.added
	dropped []entry    // of changes.gone
	slot    []int32    // term -> its entry in the present document
	owned   bool       // lex.terms and lex.spelled are no other index's
}

func newBuilder(base *Index, c changes, o Options, tune tuning) *builder {
	b := &builder{base: base, changes: c, tune: tune, lex: base.lex.copied()}
	pick := func(docs []Document, numbers []int32) []Document {
		some := make([]Document, len(numbers))
		for i, n := range numbers {
			some[i] = docs[n]
		}
		return some
	}
	b.lost = readings(pick(base.docs, c.gone), o, tune)
	b.read = readings(pick(c.docs, c.added), o, tune)
	b.isDirty, b.slot = make([]bool, len(b.lex.stems)), make([]int32, len(b.lex.stems))
	return b
}

// countWords takes the words of what is gone out of the vocabulary, and those of
// what is new in.
func (b *builder) countWords() {
	for i, r := range b.lost {
		from := len(b.dropped)
		for j := range r.words {
			w := &r.words[j]
			s := &b.lex.spellings[b.lex.spelled[w.word.text]]
			s.count(w, -1)
			b.touch(s.term)
			b.dropped = b.enter(b.dropped, from, entry{s.term, b.changes.gone[i], w.count})
		}
	}
	words := 0
	for _, r := range b.read {
		words += len(r.words)
	}
	b.entries = make([]entry, 0, words)
	for i, r := range b.read {
		from := len(b.entries)
		for j := range r.words {
			w := &r.words[j]
			n := b.spelling(w.word)
			b.lex.spellings[n].count(w, 1)
			term := b.lex.spellings[n].term
			b.touch(term)
			b.entries = b.enter(b.entries, from, entry{term, b.changes.added[i], w.count})
		}
	}
}

func (b *builder) touch(term int32) {
	if !b.isDirty[term] {
		b.isDirty[term] = true
		b.dirty = append(b.dirty, term)
	}
}

// enter adds an entry to those of its document, which begin at from: one a term,
// however many spellings of it the document has.
func (b *builder) enter(entries []entry, from int, e entry) []entry {
	at := int(b.slot[e.term]) - 1
	if at < from || at >= len(entries) || entries[at].term != e.term {
		b.slot[e.term] = int32(len(entries) + 1)
		return append(entries, e)
	}
	for f, n := range e.count {
		sum := &entries[at].count[f]
		*sum = uint8(min(255, int(*sum)+int(n)))
	}
	return entries
}

// spelling returns the number of a word, made when it is new.
func (b *builder) spelling(w *wordForm) int32 {
	if n, ok := b.lex.spelled[w.text]; ok {
		return n
	}
	b.own()
	term, ok := b.lex.terms[w.stem]
	if !ok {
		term = b.lex.newTerm(w.stem)
		b.isDirty, b.slot = append(b.isDirty, false), append(b.slot, 0)
	}
	return b.lex.newSpelling(w, term)
}

// own makes the maps of words the builder's before they are changed.
func (b *builder) own() {
	if !b.owned {
		b.owned = true
		b.lex.terms, b.lex.spelled = cloned(b.lex.terms), cloned(b.lex.spelled)
	}
}

// settle gives every dirty term its spelling, and lists it where it is looked
// for by parts and by stems of other languages.
func (b *builder) settle() {
	for _, t := range b.dirty {
		if b.lex.hasUnused(t) {
			b.own()
			b.lex.dropUnused(t)
		}
		b.lex.respell(t)
	}
	slices.SortFunc(b.dirty, b.lex.compare)
	grams, foreign := newRelisting[uint32](), newRelisting[string]()
	for _, t := range b.dirty {
		before, now := b.base.lex.listed(t), b.lex.listed(t)
		if before.equal(&now) {
			continue
		}
		before.eachGram(func(g uint32) { grams.drop(g, t) })
		now.eachGram(func(g uint32) { grams.add(g, t) })
		for _, s := range before.foreign {
			foreign.drop(s, t)
		}
		for _, s := range now.foreign {
			foreign.add(s, t)
		}
	}
	b.lex.grams = grams.apply(b.lex.grams, b.lex.compare)
	b.lex.foreign = foreign.apply(b.lex.foreign, b.lex.compare)
}

// readings reads docs on all cores, each distinct one once for as long as cache
// keeps it; nil cache: anew. Their order is that of docs, whoever read them.
func readings(docs []Document, o Options, tune tuning) []*reading {
	out := make([]*reading, len(docs))
	var next atomic.Int64
	work := func() {
		var r *reader
		for {
			from := int(next.Add(readAtATime)) - readAtATime
			if from >= len(docs) {
				return
			}
			for i := from; i < min(from+readAtATime, len(docs)); i++ {
				out[i] = o.Cache.reading(&docs[i], o.Embedder, func() *reading {
					if r == nil {
						r = newReader(o.Embedder, tune)
					}
					return r.read(&docs[i])
				})
			}
		}
	}
	workers := min(runtime.GOMAXPROCS(0), (len(docs)+readAtATime-1)/readAtATime)
	if workers <= 1 {
		work()
		return out
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(work)
	}
	wg.Wait()
	return out
}

// readAtATime is how many documents a core takes at once.
const readAtATime = 16
