package search

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// entry is one term in one document while the index is built.
type entry struct {
	term, doc int32
	count     [fields]uint8
}

// builder puts readings together.
type builder struct {
	spelled map[string]int32 // spelling -> term
	terms   map[string]int32 // stem -> term
	surface []string         // term -> its shortest spelling
	// shortest has the word of each surface.
	shortest []*wordForm
	foreign  map[string][]int32 // stem in another language -> terms
	listed   map[string]bool    // spellings that foreign has
	entries  []entry
	slot     []int32 // term -> its entry in the present document
	single   []bool  // term -> stands somewhere as more than the whole of a compound
	from     int     // first entry of the present document
	lengths  [][fields]int32
}

func newBuilder(docs int) *builder {
	return &builder{
		spelled: make(map[string]int32, 4096),
		terms:   make(map[string]int32, 4096),
		foreign: map[string][]int32{},
		listed:  map[string]bool{},
		entries: make([]entry, 0, docs*32),
		lengths: make([][fields]int32, docs),
	}
}

func (b *builder) add(doc int32, r *reading) {
	b.from = len(b.entries)
	b.lengths[doc] = r.lengths
	for i := range r.words {
		w := &r.words[i]
		t := b.term(w.word)
		b.count(doc, t, &w.count)
		if w.single {
			b.single[t] = true
		}
		if w.foreign {
			b.addForeign(w.word, t)
		}
	}
}

func (b *builder) count(doc, term int32, count *[fields]uint8) {
	at := int(b.slot[term]) - 1
	if at < b.from || at >= len(b.entries) || b.entries[at].term != term {
		b.entries = append(b.entries, entry{term: term, doc: doc, count: *count})
		b.slot[term] = int32(len(b.entries))
		return
	}
	for f, n := range count {
		sum := &b.entries[at].count[f]
		*sum = uint8(min(255, int(*sum)+int(n)))
	}
}

// term returns the number of a word's term, made when it is new.
func (b *builder) term(w *wordForm) int32 {
	if t, ok := b.spelled[w.text]; ok {
		return t
	}
	t, ok := b.terms[w.stem]
	if !ok {
		t = int32(len(b.surface))
		b.terms[w.stem] = t
		b.surface = append(b.surface, w.text)
		b.shortest = append(b.shortest, w)
		b.slot = append(b.slot, 0)
		b.single = append(b.single, false)
	}
	if len(w.text) < len(b.surface[t]) {
		b.surface[t], b.shortest[t] = w.text, w
	}
	b.spelled[w.text] = t
	return t
}

// addForeign lists a term under the stems its word has in other languages, so
// that two endings of a word meet that English stemming leaves apart.
func (b *builder) addForeign(w *wordForm, term int32) {
	if b.listed[w.text] {
		return
	}
	b.listed[w.text] = true
	for _, s := range w.others {
		list := b.foreign[s]
		if !hasTerm(list, term) && len(list) < maxForeign {
			b.foreign[s] = append(list, term)
		}
	}
}

// maxForeign bounds the terms under one stem.
const maxForeign = 16

func hasTerm(list []int32, term int32) bool {
	for _, t := range list {
		if t == term {
			return true
		}
	}
	return false
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
