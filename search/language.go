package search

import (
	"math/bits"

	"mcp-toolsearch/search/text"
)

// language finds out which languages of the glossary a query is most likely in:
// those that have most of its words. It decides nothing but which of a word's
// meanings in several languages counts: kur is where in Lithuanian and build in
// Turkish.
func (p *parser) language(words []text.Word) {
	var votes [16]int
	vote := func(l text.Languages, n int) {
		for ; l != 0; l &= l - 1 {
			votes[bits.TrailingZeros16(uint16(l))] += n
		}
	}
	for _, w := range words[:min(len(words), MaxQueryWords)] {
		if l, ok := text.FunctionWord(w.Text); ok {
			vote(l, 2)
			continue
		}
		if !p.heard(w) {
			continue
		}
		var all text.Languages
		for _, s := range p.stemsOf(w.Text) {
			for _, t := range p.ix.glossary.OfStem(s) {
				all |= t.Of
			}
		}
		for _, t := range p.lexical(w.Text) {
			all |= t.Of
		}
		vote(all, 1)
	}
	most := 0
	for i, n := range votes {
		switch {
		case n > most:
			most, p.lang = n, 1<<i
		case n == most && n > 0:
			p.lang |= 1 << i
		}
	}
}

// stemsOf are the stems of an unknown word in all languages.
func (p *parser) stemsOf(word string) []string {
	return p.stemmed(word).all
}

// stemmed is a word with its stems; finding them is the dear part of reading it.
type stemmed struct {
	in  []text.StemIn
	all []string
}

func (p *parser) stemmed(word string) stemmed {
	s, ok := p.stems[word]
	if !ok {
		main := text.Stem(word)
		s.in = text.StemsIn(word)
		s.all = append(text.Other(nil, main, s.in), main)
		p.stems[word] = s
	}
	return s
}
