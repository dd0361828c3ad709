package model

import "unicode/utf8"

// rewriter holds a text that is rewritten step by step. When traced it also knows, for each byte, the offset in the
// text at the beginning that it came from: Metaspace's scheme "first" asks whether a part starts where the text did.
type rewriter struct {
	text, out     []byte
	from, outFrom []int32
	traced        bool
	found         []match // room for a normalizer's matches
}

// reset starts with a text that begins at an offset of the whole.
func (w *rewriter) reset(text string, offset int) {
	w.text, w.out = append(w.text[:0], text...), w.out[:0]
	w.from, w.outFrom = w.from[:0], w.outFrom[:0]
	if !w.traced {
		return
	}
	for at := 0; at < len(text); {
		_, size := utf8.DecodeRuneInString(text[at:])
		for range size {
			w.from = append(w.from, int32(offset+at))
		}
		at += size
	}
}

// put writes a character that comes from the one at an offset of the text.
func (w *rewriter) put(r rune, at int) {
	had := len(w.out)
	w.out = utf8.AppendRune(w.out, r)
	w.trace(len(w.out)-had, at)
}

// putAll writes a text that comes from the character at an offset of the text.
func (w *rewriter) putAll(s string, at int) {
	w.out = append(w.out, s...)
	w.trace(len(s), at)
}

func (w *rewriter) trace(n, at int) {
	if !w.traced {
		return
	}
	for range n {
		w.outFrom = append(w.outFrom, w.from[at])
	}
}

// keep copies a stretch of the text.
func (w *rewriter) keep(lo, hi int) {
	w.out = append(w.out, w.text[lo:hi]...)
	if w.traced {
		w.outFrom = append(w.outFrom, w.from[lo:hi]...)
	}
}

// done makes what was written the text.
func (w *rewriter) done() {
	w.text, w.out = w.out, w.text[:0]
	w.from, w.outFrom = w.outFrom, w.from[:0]
}

// part is a stretch of a rewriter's text that is still to be cut, or a token that was found whole.
type part struct {
	lo, hi int
	token  int32 // noPiece: still to be cut
}

// cut is a stretch of a part; match tells whether the pattern to cut at matched it.
type cut struct {
	lo, hi int
	match  bool
}

// appendMerged turns the cuts of one part into parts.
func appendMerged(parts []part, cuts []cut, how behaviour) []part {
	for i := 0; i < len(cuts); i++ {
		c := cuts[i]
		p := part{c.lo, c.hi, noPiece}
		before := i > 0 && cuts[i-1].match
		switch {
		case how == removed && c.match:
			continue
		case how == mergedWithNext && c.match && i+1 < len(cuts) && !cuts[i+1].match:
			i++
			p.hi = cuts[i].hi
		case how == mergedWithPrevious && c.match && i > 0 && !before,
			how == contiguous && i > 0 && c.match == before:
			parts[len(parts)-1].hi = c.hi
			continue
		}
		parts = append(parts, p)
	}
	return parts
}

// behaviour says what happens to the stretches that a pattern matched.
type behaviour int

const (
	removed behaviour = iota
	isolated
	mergedWithPrevious
	mergedWithNext
	contiguous
)
