package search

import "math"

// scratch is the memory of one search, used again by later ones.
type scratch struct {
	score   []float32 // document -> sum over words
	cover   []float32 // document -> mass of the words it has
	name    []float32 // document -> idf of the words of its name that it has
	best    []float32 // document -> best sense of the present word
	touched []int32
	pinned  []int32
	isPin   map[int32]bool
	hits    []candidate
}

type candidate struct {
	doc   int32
	score float32
}

func newScratch(docs int) *scratch {
	return &scratch{
		score: make([]float32, docs),
		cover: make([]float32, docs),
		name:  make([]float32, docs),
		best:  make([]float32, docs),
		isPin: map[int32]bool{},
	}
}

// reset clears what the search touched, and nothing else.
func (s *scratch) reset() {
	for _, d := range s.touched {
		s.score[d], s.cover[d], s.name[d] = 0, 0, 0
	}
	s.touched, s.pinned, s.hits = s.touched[:0], s.pinned[:0], s.hits[:0]
	clear(s.isPin)
}

// addWord adds the best sense of w to every document that has one.
func (s *scratch) addWord(p *postings, w *wanted) {
	from := len(s.touched)
	for _, sense := range w.senses {
		at, to := p.span(sense.term)
		for ; at < to; at++ {
			if sense.namesOnly && p.in[at]&named == 0 {
				continue
			}
			d, v := p.doc[at], sense.weight*p.impact[at]
			if v > s.best[d] {
				if s.best[d] == 0 {
					s.touched = append(s.touched, d)
				}
				s.best[d] = v
			}
		}
	}
	kept := from
	for _, d := range s.touched[from:] {
		if s.score[d] == 0 {
			s.touched[kept] = d
			kept++
		}
		s.score[d] += s.best[d]
		s.cover[d] += w.mass
		s.best[d] = 0
	}
	s.touched = s.touched[:kept]
}

// lift is the factor by which a document's words count more or less than their
// sum, by how much of the query it has and how much of its name is asked for.
func (ix *Index) lift(s *scratch, q *parsed, doc int32) float32 {
	f := float32(1)
	if ix.tune.Coverage > 0 && q.mass > 0 {
		f *= float32(math.Pow(float64(min(1, s.cover[doc]/q.mass)), ix.tune.Coverage))
	}
	return f
}
