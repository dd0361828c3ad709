package search

import (
	"container/heap"
	"slices"
	"strings"

	"mcp-toolsearch/search/text"
)

// candidate is a document on its way to a hit.
type candidate struct {
	doc   int32
	score float32 // what it is shown with
	key   float32 // what it is ordered by: the operator's pins count for more
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
	if a.key != b.key {
		return a.key > b.key
	}
	return ix.order[a.doc] < ix.order[b.doc]
}

// rank returns the documents that the query names, then the best of the other
// kept ones, at most limit together unless there are more named ones than that.
func (ix *Index) rank(s *scratch, q *parsed, f *fusion, keep func(doc int) bool, limit int) []candidate {
	named := make([]candidate, 0, len(s.pinned))
	for _, d := range s.pinned {
		named = append(named, ix.candidate(s, f, d))
	}
	slices.SortFunc(named, func(a, b candidate) int { return ix.comparePins(q, a, b) })
	room := limit - len(named)
	if room <= 0 {
		return named
	}
	s.page = ix.gather(s, f, keep, s.page[:0])
	return append(named, ix.spread(s.page, room)...)
}

// gather lists the documents that may be shown besides the named ones.
func (ix *Index) gather(s *scratch, f *fusion, keep func(doc int) bool, all []candidate) []candidate {
	for _, d := range s.touched {
		if !s.isPin[d] && keep(int(d)) {
			all = append(all, ix.candidate(s, f, d))
		}
	}
	if !f.dense {
		return all
	}
	for d, c := range f.like.cosine {
		if c >= f.floor && s.score[d] == 0 && !s.isPin[int32(d)] && keep(d) {
			all = append(all, ix.candidate(s, f, int32(d)))
		}
	}
	return all
}

// candidate is what words and vectors give a document together.
func (ix *Index) candidate(s *scratch, f *fusion, d int32) candidate {
	score := (s.score[d]*ix.lift(s, d)*f.words + f.ofMeaning(d)) * ix.fitting(&f.asking, d)
	c := candidate{doc: d, score: score, key: score}
	if ix.pinned[d] {
		c.key *= PinReach
	}
	return c
}

// spread picks the best n: of those that are as good as the best one left, one
// whose source was picked least, so that no source fills a page alone where
// others offer the same.
func (ix *Index) spread(all []candidate, n int) []candidate {
	best := page{ix: ix}
	for _, c := range all {
		best.offer(c, n)
	}
	near := best.items
	if len(all) > n {
		floor := best.items[0].key * (1 - twinAlike)
		near = nil
		for _, c := range all {
			if c.key >= floor {
				near = append(near, c)
			}
		}
	}
	slices.SortFunc(near, ix.compare)
	return ix.pick(near, n)
}

// By how much of its score a hit may come too late so that another source has
// its turn: any hit, and one that says of itself what the other says.
const (
	alike     = .005
	twinAlike = .1
)

// pick takes n of the sorted candidates.
func (ix *Index) pick(sorted []candidate, n int) []candidate {
	picked := make([]candidate, 0, min(n, len(sorted)))
	taken := make([]bool, len(sorted))
	had := map[int32]int{}
	first := 0
	for len(picked) < cap(picked) {
		for taken[first] {
			first++
		}
		best := sorted[first]
		choice, least := first, had[ix.sources[best.doc]]
		for i := first + 1; i < len(sorted) && least > 0 && sorted[i].key >= best.key*(1-twinAlike); i++ {
			c := sorted[i]
			if n := had[ix.sources[c.doc]]; !taken[i] && n < least && (c.key >= best.key*(1-alike) || ix.twins(c.doc, best.doc)) {
				choice, least = i, n
			}
		}
		taken[choice] = true
		picked = append(picked, sorted[choice])
		if source := ix.sources[sorted[choice].doc]; source != 0 {
			had[source]++
		}
	}
	return picked
}

// twins reports two documents with the same description, or the same name but
// for the source in it.
func (ix *Index) twins(a, b int32) bool {
	told, own := ix.docs[a].Description, ix.own[a]
	return told != "" && told == ix.docs[b].Description || own != "" && own == ix.own[b]
}

// ownName is a document's name without its source before it; "" when that isn't
// there.
func ownName(d *Document) string {
	own, found := strings.CutPrefix(d.Name, d.Source)
	if !found || d.Source == "" {
		return ""
	}
	return "." + text.NameKey(own)
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
