package search

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"
)

// postings lists, for each term, the documents that have it, in order, and how
// often in which field. What that comes to is worked out when a search first asks
// for the term: it depends on all documents, while most lists stay as they are
// when a few documents change.
type postings struct {
	lists   []list
	idf     []float32 // term -> inverse document frequency; 0: no document has it
	weighed []atomic.Pointer[weights]
	scale   scale
	lengths [][fields]int32 // document -> words by field
	names   [][]int32       // document -> distinct terms of its name
}

// list are the documents that have a term.
type list struct {
	docs   []int32
	counts [][fields]uint8
}

// weights are what the places of a list count.
type weights struct {
	impact []float32  // place -> BM25F part of the score: idf x saturated weight
	in     []fieldSet // place -> fields that have the term
	main   []field    // place -> field that gave most
}

// of returns the documents of a term and what it counts in each.
func (p *postings) of(term int32) ([]int32, *weights) {
	docs := p.lists[term].docs
	if w := p.weighed[term].Load(); w != nil {
		return docs, w
	}
	w := p.weigh(term)
	p.weighed[term].Store(w) // whoever else stores one stores the same
	return docs, w
}

func (p *postings) weigh(term int32) *weights {
	l := &p.lists[term]
	n := len(l.docs)
	w := &weights{impact: make([]float32, n), in: make([]fieldSet, n), main: make([]field, n)}
	for at, doc := range l.docs {
		weight, in, main := p.scale.weigh(&l.counts[at], &p.lengths[doc])
		w.in[at], w.main[at] = in, main
		w.impact[at] = float32(float64(p.idf[term]) * weight / (p.scale.tune.K1 + weight))
	}
	return w
}

// find returns the place of doc among the documents of a term, or -1.
func (l *list) find(doc int32) int {
	if at, ok := slices.BinarySearch(l.docs, doc); ok {
		return at
	}
	return -1
}

// idf is the weight of a term that n of total documents have: Robertson and
// Spärck Jones's, with the one inside the logarithm that keeps it positive.
func idf(total, n int) float64 {
	return math.Log(1 + (float64(total)-float64(n)+.5)/(float64(n)+.5))
}

// postings are those of the base with what changed.
func (b *builder) postings() postings {
	before, c := &b.base.posts, &b.changes
	p := postings{lists: make([]list, len(b.lex.stems)), lengths: make([][fields]int32, len(c.from)), names: make([][]int32, len(c.from))}
	for doc, from := range c.from {
		if from >= 0 {
			p.lengths[doc], p.names[doc] = before.lengths[from], before.names[from]
		}
	}
	for i, r := range b.read {
		p.lengths[c.added[i]] = r.lengths
	}
	copy(p.lists, before.lists)
	b.relist(p.lists)
	for i := range b.entries {
		if e := &b.entries[i]; e.count[fieldName] > 0 {
			p.names[e.doc] = append(p.names[e.doc], e.term)
		}
	}
	p.scale = newScale(p.lengths, b.tune)
	p.idf = make([]float32, len(p.lists))
	byCount := make([]float32, len(c.from)+1)
	for t := range p.lists {
		n := len(p.lists[t].docs)
		if n > 0 && byCount[n] == 0 {
			byCount[n] = float32(idf(len(c.from), n))
		}
		p.idf[t] = byCount[n]
	}
	p.weighed = make([]atomic.Pointer[weights], len(p.lists))
	return p
}

// change is what becomes of a term's list.
type change struct {
	term           int32
	added, dropped []entry
}

// relist makes anew the lists of terms that a changed document has, unless it
// has them as it had before, and gives the documents of the others the places
// that they have now.
func (b *builder) relist(lists []list) {
	added, dropped := groupedByTerm(b.entries, len(lists)), groupedByTerm(b.dropped, len(lists))
	var changed []change
	total := 0
	for _, t := range b.dirty {
		c := change{t, added(t), dropped(t)}
		if !b.changes.moved {
			c.cancel()
		}
		if len(c.added)+len(c.dropped) > 0 {
			changed = append(changed, c)
			total += len(c.added) + len(lists[t].docs)
		}
	}
	if b.changes.moved {
		b.renumber(lists)
	}
	w := listWriter{changes: &b.changes, docs: make([]int32, 0, total), counts: make([][fields]uint8, 0, total)}
	for _, c := range changed {
		lists[c.term] = w.write(&lists[c.term], c.added, c.dropped)
	}
}

// cancel takes out the documents that have as much of the term as before.
func (c *change) cancel() {
	stays := func(in []entry) func(entry) bool {
		return func(e entry) bool {
			at, ok := slices.BinarySearchFunc(in, e.doc, func(o entry, doc int32) int { return cmp.Compare(o.doc, doc) })
			return !ok || in[at].count != e.count
		}
	}
	c.added, c.dropped = filtered(c.added, stays(c.dropped)), filtered(c.dropped, stays(c.added))
}

func filtered(entries []entry, keep func(entry) bool) []entry {
	var out []entry
	for _, e := range entries {
		if keep(e) {
			out = append(out, e)
		}
	}
	return out
}

// renumber gives the documents of the lists that no changed document is in the
// places that they have now.
func (b *builder) renumber(lists []list) {
	total := 0
	for t := range lists {
		if !b.isDirty[t] {
			total += len(lists[t].docs)
		}
	}
	all := make([]int32, total)
	for t := range lists {
		if b.isDirty[t] {
			continue
		}
		n := len(lists[t].docs)
		for i, d := range lists[t].docs {
			all[i] = b.changes.to[d]
		}
		lists[t].docs, all = all[:n:n], all[n:]
	}
}

// groupedByTerm returns a function that gives the entries of a term, in order.
func groupedByTerm(entries []entry, terms int) func(term int32) []entry {
	begin := make([]int32, terms+1)
	for i := range entries {
		begin[entries[i].term+1]++
	}
	for t := range terms {
		begin[t+1] += begin[t]
	}
	sorted := make([]entry, len(entries))
	next := slices.Clone(begin)
	for i := range entries {
		t := entries[i].term
		sorted[next[t]] = entries[i]
		next[t]++
	}
	return func(term int32) []entry { return sorted[begin[term]:begin[term+1]] }
}

// listWriter writes lists one behind the other.
type listWriter struct {
	changes *changes
	docs    []int32
	counts  [][fields]uint8
}

// write gives what stays of a list, with what was added between it.
func (w *listWriter) write(l *list, added, dropped []entry) list {
	from, at := len(w.docs), 0
	for len(added)+len(dropped) > 0 {
		if len(dropped) == 0 || len(added) > 0 && w.before(added[0].doc) <= dropped[0].doc {
			at = w.copy(l, at, w.before(added[0].doc))
			w.docs, w.counts = append(w.docs, added[0].doc), append(w.counts, added[0].count)
			added = added[1:]
			continue
		}
		at = w.copy(l, at, dropped[0].doc) + 1
		dropped = dropped[1:]
	}
	w.copy(l, at, int32(len(w.changes.to)))
	return list{w.docs[from:len(w.docs):len(w.docs)], w.counts[from:len(w.counts):len(w.counts)]}
}

// before is the place in the other index that a new document comes before. Where
// nothing moved that is its own: a document in it may have been replaced by
// another with as much of the term, whose place in the list stays (cancel).
func (w *listWriter) before(doc int32) int32 {
	if w.changes.moved {
		return ^w.changes.from[doc]
	}
	return doc
}

// copy takes over places of a list until one of a document that is not before
// another, and returns that.
func (w *listWriter) copy(l *list, at int, before int32) int {
	n, _ := slices.BinarySearch(l.docs[at:], before)
	w.counts = append(w.counts, l.counts[at:at+n]...)
	if !w.changes.moved {
		w.docs = append(w.docs, l.docs[at:at+n]...)
		return at + n
	}
	for _, d := range l.docs[at : at+n] {
		w.docs = append(w.docs, w.changes.to[d])
	}
	return at + n
}

// scale turns counts into BM25F's weighted, length-normalised frequency.
type scale struct {
	tune    tuning
	average [fields]float64
}

func newScale(lengths [][fields]int32, tune tuning) scale {
	s := scale{tune: tune}
	var having [fields]int
	for i := range lengths {
		for f, n := range lengths[i] {
			if n > 0 {
				s.average[f] += float64(n)
				having[f]++
			}
		}
	}
	for f, n := range having {
		if n > 0 {
			s.average[f] /= float64(n)
		}
	}
	return s
}

// weigh sums weight x count / (1 - b + b x length / average) over the fields.
func (s *scale) weigh(count *[fields]uint8, length *[fields]int32) (sum float64, in fieldSet, main field) {
	most := 0.0
	for f, n := range count {
		if n == 0 {
			continue
		}
		in |= 1 << f
		norm := 1.0
		if s.average[f] > 0 {
			norm = 1 - s.tune.B[f] + s.tune.B[f]*float64(length[f])/s.average[f]
		}
		w := s.tune.Weight[f] * float64(n) / norm
		sum += w
		if w > most {
			most, main = w, field(f)
		}
	}
	return sum, in, main
}

// nameMasses sums, for each document, the idf of the distinct words of its name.
func (p *postings) nameMasses() []float32 {
	masses := make([]float32, len(p.names))
	for doc, terms := range p.names {
		for _, t := range terms {
			masses[doc] += p.idf[t]
		}
	}
	return masses
}
