package search

import (
	"cmp"
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"
)

// meanings are the vectors of an index's words, for words that it doesn't have:
// the nearest ones are what such a word most likely stands for here, in whatever
// language it is.
type meanings struct {
	vectors []vector // term -> vector; none for what is no word
	codes   []uint64 // term -> signs of its vector's values, wide numbers a term
	wide    int
}

// isTerm reports whether a word has a meaning that is worth comparing: numbers
// and single letters have none.
func isTerm(word string) bool {
	if utf8.RuneCountInString(word) < 2 || len(word) < 3 {
		return false
	}
	for i := 0; i < len(word); i++ {
		if word[i] >= '0' && word[i] <= '9' {
			return false
		}
	}
	return true
}

// next are the meanings of the words of a lexicon in which the dirty ones may
// have changed.
func (m *meanings) next(l *lexicon, dirty []int32, dim int) meanings {
	wide := (dim + 63) / 64
	out := meanings{vectors: make([]vector, len(l.stems)), codes: make([]uint64, wide*len(l.stems)), wide: wide}
	copy(out.vectors, m.vectors)
	copy(out.codes, m.codes)
	for _, t := range dirty {
		code := out.codes[int(t)*wide : (int(t)+1)*wide]
		clear(code)
		out.vectors[t] = vector{}
		if f := l.shortest(t); f != nil {
			out.vectors[t] = f.vector
		}
		for i, x := range out.vectors[t].values {
			if x > 0 {
				code[i/64] |= 1 << (i % 64)
			}
		}
	}
	return out
}

// mayBeNear is the share of values whose signs may differ between two vectors
// that are looked at closer: at random it is a half, at a cosine of .35 it is .39,
// each give or take .03.
const mayBeNear = .44

// relative is a term and how near it is.
type relative struct {
	term   int32
	cosine float32
}

// nearest returns up to most terms whose cosine to q is at least from, nearest
// first.
func (m *meanings) nearest(q question, from float32, most int, surface []string) []relative {
	code := make([]uint64, m.wide)
	for i, x := range q.values {
		if x > 0 {
			code[i/64] |= 1 << (i % 64)
		}
	}
	limit := int(mayBeNear * float64(len(q.values)))
	var best []relative
	for t := range m.vectors {
		differ := 0
		for i, c := range m.codes[t*m.wide : (t+1)*m.wide] {
			differ += bits.OnesCount64(c ^ code[i])
		}
		v := &m.vectors[t]
		if differ > limit || v.values == nil {
			continue
		}
		if c := float32(dot(v.values, q.values)) * q.unit * v.unit; c >= from {
			best = append(best, relative{int32(t), c})
		}
	}
	slices.SortFunc(best, func(a, b relative) int {
		return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(surface[a.term], surface[b.term]))
	})
	return best[:min(most, len(best))]
}

// maxRelated bounds the unknown words of a query that are compared with all
// words of the index.
const maxRelated = 32

// related adds the terms whose meaning is nearest to that of a word that the
// index doesn't have.
func (p *parser) related(senses []sense, word string, weight float32) []sense {
	ix, tune := p.ix, &p.ix.tune
	if ix.vectors.embedder == nil || tune.Related == 0 || len(p.strange) > maxRelated || !isTerm(word) {
		return senses
	}
	if p.vector == nil {
		p.vector = make([]float32, ix.vectors.dim)
	}
	ix.vectors.embedder.Embed(p.vector, word)
	q := quantiseQuestion(p.vector)
	if q.values == nil {
		return senses
	}
	for _, r := range ix.meanings.nearest(q, float32(tune.RelatedFrom), tune.RelatedTerms, ix.lex.surface) {
		senses = addSense(senses, sense{term: r.term, weight: weight * float32(tune.Related) * min(1, r.cosine), distant: true})
	}
	return senses
}

// tokenCounter is an Embedder that says of how many tokens it makes a vector.
// Words of a language it knows are few tokens; letters in a row are many.
type tokenCounter interface{ Tokens(text string) int }

// wordLike reports whether the unknown words of a query may be words of some
// language. Scripts whose words are short in themselves count as that.
func (p *parser) wordLike() bool {
	counter, ok := p.ix.vectors.embedder.(tokenCounter)
	if !ok {
		return true
	}
	letters, tokens := 0, 0
	for _, word := range p.strange {
		first, _ := utf8.DecodeRuneInString(word)
		if !unicode.In(first, unicode.Latin, unicode.Cyrillic, unicode.Greek) {
			return true
		}
		letters += utf8.RuneCountInString(word)
		tokens += counter.Tokens(word)
	}
	return float64(letters) >= p.ix.tune.WordLike*float64(tokens)
}
