package search

import "math"

// postings lists, for each term, the documents that have it, in order. One flat
// array a property keeps a search inside a few cache lines.
type postings struct {
	start  []int32    // term -> first place; start[term+1] is the end
	doc    []int32    // place -> document
	impact []float32  // place -> BM25F part of the score: idf x saturated weight
	in     []fieldSet // place -> fields that have the term
	main   []field    // place -> field that gave most
	idf    []float32  // term -> inverse document frequency
}

func (p *postings) span(term int32) (from, to int32) { return p.start[term], p.start[term+1] }

// find returns the place of doc among the postings of term, or -1.
func (p *postings) find(term, doc int32) int32 {
	from, to := p.span(term)
	for from < to {
		mid := from + (to-from)/2
		if p.doc[mid] < doc {
			from = mid + 1
		} else {
			to = mid
		}
	}
	if from < p.start[term+1] && p.doc[from] == doc {
		return from
	}
	return -1
}

// idf is the weight of a term that n of total documents have: Robertson and
// Spärck Jones's, with the one inside the logarithm that keeps it positive.
func idf(total, n int) float64 {
	return math.Log(1 + (float64(total)-float64(n)+.5)/(float64(n)+.5))
}

// postings turns the entries, which are in document order, into term order.
func (b *builder) postings(docs int, tune tuning) postings {
	terms := len(b.surface)
	p := postings{
		start:  make([]int32, terms+1),
		doc:    make([]int32, len(b.entries)),
		impact: make([]float32, len(b.entries)),
		in:     make([]fieldSet, len(b.entries)),
		main:   make([]field, len(b.entries)),
		idf:    make([]float32, terms),
	}
	for i := range b.entries {
		p.start[b.entries[i].term+1]++
	}
	for t := range terms {
		p.idf[t] = float32(idf(docs, int(p.start[t+1])))
		p.start[t+1] += p.start[t]
	}
	next := make([]int32, terms)
	copy(next, p.start)
	scale := newScale(b.lengths, tune)
	for i := range b.entries {
		e := &b.entries[i]
		at := next[e.term]
		next[e.term]++
		weight, in, main := scale.weigh(e, &b.lengths[e.doc])
		p.doc[at], p.in[at], p.main[at] = e.doc, in, main
		p.impact[at] = float32(float64(p.idf[e.term]) * weight / (tune.K1 + weight))
	}
	return p
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
func (s *scale) weigh(e *entry, length *[fields]int32) (sum float64, in fieldSet, main field) {
	most := 0.0
	for f, n := range e.count {
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

// nameMass sums, for each document, the idf of the distinct words of its name.
func (p *postings) nameMass(docs int) []float32 {
	mass := make([]float32, docs)
	for t := range p.idf {
		from, to := p.span(int32(t))
		for at := from; at < to; at++ {
			if p.in[at].has(fieldName) {
				mass[p.doc[at]] += p.idf[t]
			}
		}
	}
	return mass
}
