package model

import (
	"unicode"
	"unicode/utf8"
)

// preTokenizer cuts the parts of a text that aren't tokens yet.
type preTokenizer interface {
	cut(s *scratch)
}

// steps are several pre-tokenizers, one after the other.
type steps []preTokenizer

func (p steps) cut(s *scratch) {
	for _, one := range p {
		one.cut(s)
	}
}

// scheme says which parts of a text get a mark in front.
type scheme int

const (
	always scheme = iota
	first         // the part that starts where the text does
	never
)

// metaspace marks the starts of words: the mark takes the place of every space, and stands in front.
type metaspace struct {
	mark   string
	scheme scheme
	split  bool
}

func (p metaspace) cut(s *scratch) {
	w := &s.run
	s.next = s.next[:0]
	for _, old := range s.parts {
		lo := len(w.out)
		p.mark1(w, old)
		s.next = append(s.next, part{lo, len(w.out), old.token})
	}
	w.done()
	s.parts, s.next = s.next, s.parts
	if p.split {
		mark, _ := utf8.DecodeRuneInString(p.mark)
		runePattern{func(r rune) bool { return r == mark }, mergedWithNext}.cut(s)
	}
}

// mark1 writes one part anew.
func (p metaspace) mark1(w *rewriter, old part) {
	if old.token != noPiece {
		return
	}
	text := w.text[old.lo:old.hi]
	starts := text[0] == ' ' || len(text) >= len(p.mark) && string(text[:len(p.mark)]) == p.mark
	if !starts && (p.scheme == always || p.scheme == first && w.from[old.lo] == 0) {
		w.putAll(p.mark, old.lo)
	}
	at := old.lo
	for i, c := range text {
		if c == ' ' {
			w.keep(at, old.lo+i)
			w.putAll(p.mark, old.lo+i)
			at = old.lo + i + 1
		}
	}
	w.keep(at, old.hi)
}

// runePattern cuts at single characters.
type runePattern struct {
	match func(rune) bool
	how   behaviour
}

func (p runePattern) cut(s *scratch) {
	eachPart(s, func(text []byte, lo int) {
		start := 0
		for at := 0; at < len(text); {
			r, size := utf8.DecodeRune(text[at:])
			if p.match(r) {
				if start < at {
					s.cuts = append(s.cuts, cut{lo + start, lo + at, false})
				}
				s.cuts = append(s.cuts, cut{lo + at, lo + at + size, true})
				start = at + size
			}
			at += size
		}
		if start < len(text) {
			s.cuts = append(s.cuts, cut{lo + start, lo + len(text), false})
		}
	}, p.how)
}

// eachPart cuts every part that isn't a token into what find appends to s.cuts.
func eachPart(s *scratch, find func(text []byte, lo int), how behaviour) {
	s.next = s.next[:0]
	for _, old := range s.parts {
		if old.token != noPiece {
			s.next = append(s.next, old)
			continue
		}
		s.cuts = s.cuts[:0]
		find(s.run.text[old.lo:old.hi], old.lo)
		s.next = appendMerged(s.next, s.cuts, how)
	}
	s.parts, s.next = s.next, s.parts
}

// whitespace keeps runs of word characters and runs of what is neither that nor white space.
type whitespace struct{}

func (whitespace) cut(s *scratch) {
	eachPart(s, func(text []byte, lo int) {
		start, kind := 0, blank
		for at := 0; at < len(text); {
			r, size := utf8.DecodeRune(text[at:])
			if k := kindOf(r); k != kind {
				s.cuts = appendRun(s.cuts, lo+start, lo+at, kind)
				start, kind = at, k
			}
			at += size
		}
		s.cuts = appendRun(s.cuts, lo+start, lo+len(text), kind)
	}, removed)
}

func appendRun(cuts []cut, lo, hi int, k kind) []cut {
	if lo == hi {
		return cuts
	}
	return append(cuts, cut{lo, hi, k == blank})
}

type kind int

const (
	blank kind = iota
	inWord
	other
)

func kindOf(r rune) kind {
	switch {
	case unicode.IsSpace(r):
		return blank
	case isWord(r):
		return inWord
	}
	return other
}

// isWord is \w of Unicode Technical Standard 18.
func isWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc, unicode.Join_Control)
}

func isPunctuation(r rune) bool {
	return unicode.Is(unicode.P, r) || r < utf8.RuneSelf && r > ' ' && r != 0x7F && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}
