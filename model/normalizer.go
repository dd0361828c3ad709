package model

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalizer rewrites a text before it is cut. Each does what the type of the same name in tokenizer.json says.
type normalizer interface {
	rewrite(w *rewriter)
}

// sequence is several normalizers, one after the other.
type sequence []normalizer

func (n sequence) rewrite(w *rewriter) {
	for _, one := range n {
		one.rewrite(w)
	}
}

// lowercase lowers each character for itself: no final sigma, and only U+0130 becomes two.
type lowercase struct{}

func (lowercase) rewrite(w *rewriter) {
	eachRune(w, func(r rune, at int) {
		if r == 'İ' {
			w.put('i', at)
			w.put('\u0307', at)
			return
		}
		w.put(unicode.ToLower(r), at)
	})
}

// stripAccents drops all marks.
type stripAccents struct{}

func (stripAccents) rewrite(w *rewriter) {
	eachRune(w, func(r rune, at int) {
		if !unicode.Is(unicode.M, r) {
			w.put(r, at)
		}
	})
}

// nmt drops control characters and makes spaces of what else is blank.
type nmt struct{}

func (nmt) rewrite(w *rewriter) {
	eachRune(w, func(r rune, at int) {
		switch {
		case r >= 1 && r <= 8, r == 0xB, r >= 0xE && r <= 0x1F, r == 0x7F, r == 0x8F, r == 0x9F:
		case r == '\t', r == '\n', r == '\f', r == '\r', r == 0x1680, r >= 0x200B && r <= 0x200F,
			r == 0x2028, r == 0x2029, r == 0x2581, r == 0xFEFF, r == 0xFFFD:
			w.put(' ', at)
		default:
			w.put(r, at)
		}
	})
}

func eachRune(w *rewriter, do func(r rune, at int)) {
	for at := 0; at < len(w.text); {
		r, size := utf8.DecodeRune(w.text[at:])
		do(r, at)
		at += size
	}
	w.done()
}

// unicodeForm is one of the four normalization forms.
type unicodeForm norm.Form

func (n unicodeForm) rewrite(w *rewriter) {
	form := norm.Form(n)
	if form.IsNormal(w.text) {
		return
	}
	// The Go package parts more than 30 marks in a row by U+034F (Unicode's stream-safe form); the reference doesn't.
	joined := bytes.Contains(w.text, []byte("\u034F"))
	var iter norm.Iter
	iter.Init(form, w.text)
	for !iter.Done() {
		at := iter.Pos()
		segment := iter.Next()
		for len(segment) > 0 {
			r, size := utf8.DecodeRune(segment)
			if r != '\u034F' || joined {
				w.put(r, min(at, len(w.text)-1))
			}
			segment = segment[size:]
			if _, width := utf8.DecodeRune(w.text[at:]); at+width < iter.Pos() {
				at += width
			}
		}
	}
	w.done()
}

// strip drops white space at the ends.
type strip struct{ left, right bool }

func (n strip) rewrite(w *rewriter) {
	lo, hi := 0, len(w.text)
	if n.left {
		lo = hi - len(bytes.TrimLeftFunc(w.text, unicode.IsSpace))
	}
	if n.right {
		hi = lo + len(bytes.TrimRightFunc(w.text[lo:], unicode.IsSpace))
	}
	w.keep(lo, hi)
	w.done()
}

// prepend writes a text in front of one that isn't empty.
type prepend string

func (n prepend) rewrite(w *rewriter) {
	if len(w.text) == 0 {
		return
	}
	w.putAll(string(n), 0)
	w.keep(0, len(w.text))
	w.done()
}
