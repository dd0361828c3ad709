package model

import (
	"encoding/base64"
	"errors"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// precompiled is SentencePiece's normalizer: a double array from byte strings to replacements.
type precompiled struct {
	units []uint32
	texts string // the replacements, each ended by NUL
	ascii [utf8.RuneSelf]bool
}

// parsePrecompiled reads precompiled_charsmap: base64 of the array's length in bytes (uint32), the array and the texts.
func parsePrecompiled(encoded string) (*precompiled, error) {
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, errors.New("its precompiled_charsmap is not base64")
	}
	if len(data) < 8 {
		return nil, errors.New("its precompiled_charsmap is too short")
	}
	all := string(data)
	size := uint64(le32(all))
	if size < 4 || size > uint64(len(all)-4) {
		return nil, errors.New("its precompiled_charsmap ends too early")
	}
	n := &precompiled{units: make([]uint32, size/4), texts: all[4+size/4*4:]}
	for i := range n.units {
		n.units[i] = le32(all[4+4*i:])
	}
	for c := range n.ascii {
		_, n.ascii[c] = n.of([]byte{byte(c)})
	}
	return n, nil
}

// of returns the replacement of the shortest start of key that has one: the reference takes the first match that the
// array gives, and that replaces the whole key.
func (n *precompiled) of(key []byte) (string, bool) {
	unit := n.units[0]
	node := offset(unit)
	for _, c := range key {
		if c == 0 {
			return "", false
		}
		if node ^= uint32(c); int(node) >= len(n.units) {
			return "", false
		}
		if unit = n.units[node]; unit&(1<<31|0xFF) != uint32(c) {
			return "", false
		}
		if node ^= offset(unit); int(node) >= len(n.units) {
			return "", false
		}
		if unit>>8&1 == 1 {
			return n.text(n.units[node] & (1<<31 - 1))
		}
	}
	return "", false
}

func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

func (n *precompiled) text(at uint32) (string, bool) {
	if int(at) >= len(n.texts) {
		return "", int(at) == len(n.texts)
	}
	end := int(at)
	for end < len(n.texts) && n.texts[end] != 0 {
		end++
	}
	return n.texts[at:end], true
}

// longestKey is the length in bytes that a grapheme must stay below to be looked up as a whole.
const longestKey = 6

func (n *precompiled) rewrite(w *rewriter) {
	for at := 0; at < len(w.text); {
		size := grapheme(w.text[at:])
		if size == 1 && w.text[at] < utf8.RuneSelf && !n.ascii[w.text[at]] {
			w.keep(at, at+1)
			at++
			continue
		}
		if size < longestKey {
			if to, found := n.of(w.text[at : at+size]); found {
				w.putAll(to, at)
				at += size
				continue
			}
		}
		for end := at + size; at < end; {
			_, width := utf8.DecodeRune(w.text[at:])
			if to, found := n.of(w.text[at : at+width]); found {
				w.putAll(to, at)
			} else {
				w.keep(at, at+width)
			}
			at += width
		}
	}
	w.done()
}

// grapheme is the length of the extended grapheme cluster (Unicode Annex 29) that text starts with.
func grapheme(text []byte) int {
	if text[0] < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) && text[0] != '\r' {
		return 1
	}
	iter := graphemes.FromBytes(text)
	if !iter.Next() {
		return 1
	}
	return iter.End()
}
