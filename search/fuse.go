package search

import (
	"math"
	"strings"

	"mcp-toolsearch/search/text"
)

// fusion turns what words and vectors say of a document into one score.
type fusion struct {
	words   float32 // what a lexical score is multiplied with
	meaning float32 // what a standard deviation above the mean is multiplied with
	like    likeness
	dense   bool
	floor   float32 // cosine from which a document without a word may be shown
	asking  asking
}

// fuse weighs the two sides for one query. Words count the more, the more of
// the query the index knows.
func (ix *Index) fuse(s *scratch, q *parsed, query string, keep func(int) bool) fusion {
	best := float32(0)
	for _, d := range s.touched {
		if keep(int(d)) {
			best = max(best, s.score[d]*ix.lift(s, d))
		}
	}
	f := fusion{words: 1, asking: ix.asked(query, q)}
	if q.nonsense {
		return f
	}
	asked := query
	if !ix.tune.KeepValues {
		asked = text.WithoutValues(query)
	}
	gloss := ""
	if len(q.english) > q.plain {
		gloss = strings.Join(q.english, " ")
	}
	f.like, f.dense = ix.vectors.compare(asked, gloss, ix.tune.Gloss, s.cosine)
	if !f.dense {
		return f
	}
	share := ix.tune.Least + (ix.tune.Lexical-ix.tune.Least)*math.Sqrt(q.covered)
	if best > 0 {
		f.words = float32(share) / best
	}
	f.meaning = float32((1 - share) / (ix.tune.Spread * f.like.std))
	f.floor = float32(ix.tune.Floor)
	if len(q.words) == 0 {
		f.floor = float32(ix.tune.FloorAlone)
	}
	return f
}

// ofMeaning is the vectors' part of a document's score: nothing below the mean.
func (f *fusion) ofMeaning(d int32) float32 {
	if !f.dense {
		return 0
	}
	return max(0, f.like.cosine[d]-float32(f.like.mean)) * f.meaning
}
