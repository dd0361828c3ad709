package search

// scratch is the memory of one search, used again by later ones. Between
// searches all of it but the cosines is zero.
type scratch struct {
	score   []float32 // document -> sum over words
	name    []float32 // document -> idf of the words of its name that were asked for
	cosine  []float32 // document -> likeness to the query; written anew by each search
	best    []float32 // document -> best sense of the present word
	inName  []float32 // document -> idf of the best sense that its name has
	touched []int32   // documents with a score
	pinned  []int32   // documents named exactly
	isPin   map[int32]bool
	page    []candidate
}

func newScratch(docs int) *scratch {
	all := make([]float32, 5*docs)
	return &scratch{
		score:  all[:docs],
		name:   all[docs : 2*docs],
		best:   all[2*docs : 3*docs],
		inName: all[3*docs : 4*docs],
		cosine: all[4*docs:],
		isPin:  map[int32]bool{},
	}
}

// reset clears what the search touched, and nothing else.
func (s *scratch) reset() {
	for _, d := range s.touched {
		s.score[d], s.name[d] = 0, 0
	}
	s.touched, s.pinned, s.page = s.touched[:0], s.pinned[:0], s.page[:0]
	clear(s.isPin)
}

// addWord adds the best sense of w to every document that has one.
func (s *scratch) addWord(p *postings, w *wanted) {
	from := len(s.touched)
	for _, sense := range w.senses {
		s.addSense(p, sense)
	}
	kept := from
	for _, d := range s.touched[from:] {
		if s.score[d] == 0 {
			s.touched[kept] = d
			kept++
		}
		s.score[d] += s.best[d]
		s.name[d] += s.inName[d]
		s.best[d], s.inName[d] = 0, 0
	}
	s.touched = s.touched[:kept]
}

func (s *scratch) addSense(p *postings, sense sense) {
	mass := sense.weight * p.idf[sense.term]
	docs, weights := p.of(sense.term)
	for at, d := range docs {
		in := weights.in[at]
		if sense.namesOnly && in&named == 0 {
			continue
		}
		v := sense.weight * weights.impact[at]
		if v <= 0 {
			continue
		}
		if s.best[d] == 0 {
			s.touched = append(s.touched, d)
		}
		s.best[d] = max(s.best[d], v)
		if in.has(fieldName) {
			s.inName[d] = max(s.inName[d], mass)
		}
	}
}

// lift is the factor by which a document's words count for more than their sum:
// the more of its name was asked for, the more it is the tool itself and not a
// relative of it.
func (ix *Index) lift(s *scratch, doc int32) float32 {
	mass := ix.nameMass[doc]
	if mass == 0 {
		return 1
	}
	return 1 + float32(ix.tune.NameBonus)*min(1, s.name[doc]/mass)
}
