package search

import (
	"math/bits"
	"strings"

	"mcp-toolsearch/search/text"
)

// lexicon knows the words of an index, and the words near a word.
type lexicon struct {
	terms   map[string]int32   // stem -> term
	spelled map[string]int32   // word as a text has it -> term
	surface []string           // term -> its shortest spelling, folded
	letters []uint32           // term -> set of its letters
	foreign map[string][]int32 // stem in another language -> terms
	grams   map[uint32][]int32 // three bytes of a word in a name -> terms
}

func (b *builder) lexicon(p postings) lexicon {
	l := lexicon{
		terms:   b.terms,
		spelled: b.spelled,
		surface: b.surface,
		letters: make([]uint32, len(b.surface)),
		foreign: b.foreign,
		grams:   map[uint32][]int32{},
	}
	for t := range l.surface {
		l.surface[t] = text.Fold(l.surface[t])
		l.letters[t] = letterSet(l.surface[t])
		if b.single[t] && p.everNamed(int32(t)) {
			l.addGrams(int32(t))
		}
	}
	return l
}

// everNamed reports whether term stands in the name of any document.
func (p *postings) everNamed(term int32) bool {
	from, to := p.span(term)
	for at := from; at < to; at++ {
		if p.in[at]&named != 0 {
			return true
		}
	}
	return false
}

func gram(s string, at int) uint32 {
	return uint32(s[at])<<16 | uint32(s[at+1])<<8 | uint32(s[at+2])
}

func (l *lexicon) addGrams(term int32) {
	s := l.surface[term]
	for i := 0; i+3 <= len(s); i++ {
		list := l.grams[gram(s, i)]
		if len(list) == 0 || list[len(list)-1] != term {
			l.grams[gram(s, i)] = append(list, term)
		}
	}
}

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

// typos calls found with the terms at most most edits from word, and how many.
func (l *lexicon) typos(word string, most int, found func(term int32, edits int)) {
	set := letterSet(word)
	for t, other := range l.letters {
		if bits.OnesCount32(set^other) > 2*most {
			continue
		}
		s := l.surface[t]
		if len(s) < minInside || len(s) > len(word)+4*most || len(word) > len(s)+4*most {
			continue
		}
		if d := edits(word, s, most); d <= most {
			found(int32(t), d)
		}
	}
}
