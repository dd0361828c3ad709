package search

import (
	"container/heap"
	"slices"
)

// candidate is a document on its way to a hit.
type candidate struct {
	doc   int32
	score float32
}

// page keeps the best candidates seen, the worst of them on top.
type page struct {
	ix    *Index
	items []candidate
}

func (p *page) Len() int           { return len(p.items) }
func (p *page) Less(i, j int) bool { return p.ix.before(p.items[j], p.items[i]) }
func (p *page) Swap(i, j int)      { p.items[i], p.items[j] = p.items[j], p.items[i] }
func (p *page) Push(x any)         { p.items = append(p.items, x.(candidate)) }
func (p *page) Pop() any {
	last := p.items[len(p.items)-1]
	p.items = p.items[:len(p.items)-1]
	return last
}

// offer takes c in when it is among the best n.
func (p *page) offer(c candidate, n int) {
	if len(p.items) < n {
		heap.Push(p, c)
		return
	}
	if n > 0 && p.ix.before(c, p.items[0]) {
		p.items[0] = c
		heap.Fix(p, 0)
	}
}

// before orders by score, then by name.
func (ix *Index) before(a, b candidate) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	return ix.order[a.doc] < ix.order[b.doc]
}

// rank returns the pinned documents, then the best of the other kept ones, at
// most limit together unless there are more pinned ones than that.
func (ix *Index) rank(s *scratch, q *parsed, f *fusion, keep func(doc int) bool, limit int) []candidate {
	pins := make([]candidate, 0, len(s.pinned))
	for _, d := range s.pinned {
		pins = append(pins, candidate{d, ix.score(s, f, d)})
	}
	slices.SortFunc(pins, func(a, b candidate) int { return ix.comparePins(q, a, b) })
	p := page{ix: ix, items: s.page[:0]}
	room := limit - len(pins)
	for _, d := range s.touched {
		if s.isPin[d] || !keep(int(d)) {
			continue
		}
		p.offer(candidate{d, ix.score(s, f, d)}, room)
	}
	if f.dense {
		for d, c := range f.like.cosine {
			if c >= f.floor && s.score[d] == 0 && !s.isPin[int32(d)] && keep(d) {
				p.offer(candidate{int32(d), f.ofMeaning(int32(d))}, room)
			}
		}
	}
	s.page = p.items
	slices.SortFunc(p.items, ix.compare)
	return append(pins, p.items...)
}

// score is what words and vectors give a document together.
func (ix *Index) score(s *scratch, f *fusion, d int32) float32 {
	return s.score[d]*ix.lift(s, d)*f.words + f.ofMeaning(d)
}

func (ix *Index) compare(a, b candidate) int {
	switch {
	case ix.before(a, b):
		return -1
	case ix.before(b, a):
		return 1
	}
	return 0
}

// comparePins puts a name that the query spells letter by letter before one
// that is only equal to it after folding.
func (ix *Index) comparePins(q *parsed, a, b candidate) int {
	spelled := func(c candidate) bool { return q.spelled[ix.names[c.doc]] }
	if x, y := spelled(a), spelled(b); x != y {
		if x {
			return -1
		}
		return 1
	}
	return ix.compare(a, b)
}
