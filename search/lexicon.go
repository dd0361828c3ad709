package search

import (
	"math/bits"
	"slices"
	"strings"
)

// lexicon knows the words of an index, and the words near a word.
type lexicon struct {
	terms   map[string]int32   // stem -> term
	spelled map[string]int32   // word as a text has it -> its number among spellings
	surface []string           // term -> its shortest spelling, folded
	letters []uint32           // term -> set of its letters
	foreign map[string][]int32 // stem in another language -> terms, sorted
	grams   map[uint32][]int32 // three bytes of a word in a name -> terms, sorted

	// What the next index is made from (vocabulary.go).
	stems     []string // term -> stem
	first     []int32  // term -> one of its spellings; -1: no document has it
	spellings []variant
}

func gram(s string, at int) uint32 {
	return uint32(s[at])<<16 | uint32(s[at+1])<<8 | uint32(s[at+2])
}

// foreignTerms are terms that a word in another language with that stem may mean.
func (l *lexicon) foreignTerms(stem string) []int32 {
	all := l.foreign[stem]
	return all[:min(len(all), maxForeign)]
}

// maxForeign bounds the terms under one stem.
const maxForeign = 16

// minInside is the shortest word, in letters, that is looked for inside names.
const minInside = 4

// inside calls found for the terms that contain word, longer than it is, and
// stand in names; edge is true when word begins or ends the term.
func (l *lexicon) inside(word string, found func(term int32, edge bool)) {
	if len(word) < minInside {
		return
	}
	rarest := l.grams[gram(word, 0)]
	for i := 1; i+3 <= len(word); i++ {
		if list := l.grams[gram(word, i)]; len(list) < len(rarest) {
			rarest = list
		}
	}
	for _, t := range rarest {
		s := l.surface[t]
		if len(s) > len(word) && strings.Contains(s, word) {
			found(t, strings.HasPrefix(s, word) || strings.HasSuffix(s, word))
		}
	}
}

// letterSet has a bit for each letter a to z, one for digits and five that other
// runes share. One edit changes at most two bits of it.
func letterSet(s string) uint32 {
	var set uint32
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z':
			set |= 1 << (r - 'a')
		case '0' <= r && r <= '9':
			set |= 1 << 26
		default:
			set |= 1 << (27 + r%5)
		}
	}
	return set
}

// typos calls found with the terms at most most edits from word, and how many,
// in the order of their spellings.
func (l *lexicon) typos(word string, most int, found func(term int32, edits int)) {
	set := letterSet(word)
	var all []typo
	for t, other := range l.letters {
		if bits.OnesCount32(set^other) > 2*most {
			continue
		}
		s := l.surface[t]
		if len(s) < minInside || len(s) > len(word)+4*most || len(word) > len(s)+4*most {
			continue
		}
		if d := edits(word, s, most); d <= most {
			all = append(all, typo{int32(t), d})
		}
	}
	slices.SortFunc(all, func(a, b typo) int { return l.compare(a.term, b.term) })
	for _, t := range all {
		found(t.term, t.edits)
	}
}

// typo is a term some edits from a word.
type typo struct {
	term  int32
	edits int
}
