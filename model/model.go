package model

import (
	"math"
	"sync"
)

// Model turns texts into vectors. It is immutable and safe for concurrent use.
type Model struct {
	name    string
	dim     int
	tokens  tokenizer
	rows    rows
	scratch sync.Pool
}

// tokenizer cuts a text into token ids; those that count as unknown are left out.
type tokenizer interface {
	ids(text string, s *scratch) []int32
}

// rows makes a vector out of the rows of a table that belong to the tokens. There is at least one id.
type rows interface {
	mean(dst []float32, ids []int32, s *scratch)
}

// scratch is what one embedding needs and the next can use again.
type scratch struct {
	ids   []int32
	steps []step
	text  []byte
	run   rewriter
	whole []part
	parts []part
	next  []part
	cuts  []cut
	wide  []float64
}

// Dim is the number of values of a vector.
func (m *Model) Dim() int { return m.dim }

// Name tells models apart in logs: the name given to Packed, or the last part of the folder given to Load.
func (m *Model) Name() string { return m.name }

// Embed writes the vector of text into dst, which must have Dim values: of length 1 (a loaded model whose config.json
// doesn't say "normalize": true keeps the mean's length), or all zeros when no token of the text is known. Invalid UTF-8
// counts as U+FFFD. It allocates nothing once the model has seen a text as long.
func (m *Model) Embed(dst []float32, text string) {
	s, _ := m.scratch.Get().(*scratch)
	if s == nil {
		s = &scratch{}
	}
	defer m.scratch.Put(s)
	m.embed(dst, text, s)
}

func (m *Model) embed(dst []float32, text string, s *scratch) {
	clear(dst)
	s.ids = m.tokens.ids(replaceInvalid(text), s)
	if len(s.ids) > 0 {
		m.rows.mean(dst[:m.dim], s.ids, s)
	}
}

// normalise makes v one long; a zero vector stays one.
func normalise(v []float32) {
	var square float64
	for _, x := range v {
		square += float64(float64(x) * float64(x))
	}
	if square == 0 {
		return
	}
	scale := float32(1 / math.Sqrt(square))
	for i := range v {
		v[i] *= scale
	}
}

func dropUnknown(ids []int32, unk int32) []int32 {
	kept := ids[:0]
	for _, id := range ids {
		if id != unk {
			kept = append(kept, id)
		}
	}
	return kept
}
