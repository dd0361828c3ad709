package model

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// unigram splits a normalised text into the pieces whose scores sum highest: Viterbi search over a Unigram language
// model (Kudo 2018, "Subword Regularization", section 3.2), with the details of the reference implementation: a
// character without a piece costs ten below the lowest score, neighbouring ones are one unknown piece, and of equal
// paths the one found first stays.
type unigram struct {
	trie    *trie
	scores  []float64
	unk     int32   // id of unknown pieces; noPiece when the vocabulary has none
	unknown float64 // score of a character without a piece
	bytes   []int32 // with byte fallback: the ids of <0x00> to <0xFF>, or noPiece
}

const unknownPenalty = 10

func newUnigram(pieces []string, scores []float64, unk int32, byteFallback bool) *unigram {
	u := &unigram{trie: newTrie(pieces), scores: scores, unk: unk, unknown: -unknownPenalty}
	if len(scores) > 0 {
		u.unknown += slices.Min(scores)
	}
	if byteFallback {
		u.bytes = make([]int32, 256)
		for b := range u.bytes {
			u.bytes[b] = u.trie.find(fmt.Appendf(nil, "<0x%02X>", b))
		}
	}
	return u
}

// step is the best way to reach a byte offset.
type step struct {
	score float64
	start int32 // where its last piece starts; -1: not reached
	piece int32
}

// split appends the piece ids of text to ids.
func (u *unigram) split(ids []int32, text []byte, s *scratch) []int32 {
	s.steps = slices.Grow(s.steps[:0], len(text)+1)[:len(text)+1]
	for i := range s.steps {
		s.steps[i] = step{start: -1}
	}
	for at := 0; at < len(text); {
		_, width := utf8.DecodeRune(text[at:])
		u.reach(text, at, width, s.steps)
		at += width
	}
	begin := len(ids)
	for at := int32(len(text)); at > 0; {
		last := s.steps[at]
		if last.piece != u.unk {
			ids = append(ids, last.piece)
			at = last.start
			continue
		}
		end := at
		for at > 0 && s.steps[at].piece == u.unk {
			at = s.steps[at].start
		}
		ids = u.appendUnknown(ids, text[at:end])
	}
	slices.Reverse(ids[begin:])
	return ids
}

// reach offers every piece that starts at an offset to the offsets where it ends.
func (u *unigram) reach(text []byte, at, width int, steps []step) {
	base := steps[at].score
	single := false
	for node, end := uint32(0), at; end < len(text); {
		if node = u.trie.child(node, text[end]); node == 0 {
			break
		}
		end++
		id := u.trie.piece[node]
		if id == noPiece {
			continue
		}
		single = single || end-at == width
		offer(&steps[end], step{score: base + u.scores[id], start: int32(at), piece: id})
	}
	if !single {
		offer(&steps[at+width], step{score: base + u.unknown, start: int32(at), piece: u.unk})
	}
}

func offer(s *step, better step) {
	if s.start < 0 || better.score > s.score {
		*s = better
	}
}

// appendUnknown appends what stands for a run of unknown characters, in reverse.
func (u *unigram) appendUnknown(ids []int32, run []byte) []int32 {
	if id := u.trie.find(run); id != noPiece {
		return append(ids, id)
	}
	if u.bytes == nil || slices.ContainsFunc(run, func(b byte) bool { return u.bytes[b] == noPiece }) {
		return append(ids, u.unk)
	}
	for _, b := range slices.Backward(run) {
		ids = append(ids, u.bytes[b])
	}
	return ids
}

// finite tells whether a score or a table's value is a number.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
