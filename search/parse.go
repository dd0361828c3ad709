package search

import (
	"unicode/utf8"

	"mcp-toolsearch/search/text"
)

// sense is one term that a query word may stand for.
type sense struct {
	term   int32
	weight float32
	// namesOnly counts only documents that have the term in their names.
	namesOnly bool
}

// wanted is one word of a query: a document gets the best of its senses.
type wanted struct {
	senses []sense
	// mass is the word's share in the coverage of a query.
	mass float32
}

// parsed is a query as the index understands it.
type parsed struct {
	words   []wanted
	unknown []string // folded words that no term stands for
	mass    float32
}

// cut shortens a query to its first most bytes, at a whole rune.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// parse reads a query: repeated words count once, stop words only when there
// is nothing else.
func (ix *Index) parse(query string) parsed {
	words := text.Words(nil, query)
	p := parser{ix: ix, seen: make(map[int32]int, len(words))}
	p.readAll(words, false)
	if len(p.out.words) == 0 && len(p.out.unknown) == 0 {
		p.readAll(words, true)
	}
	for _, w := range p.out.words {
		p.out.mass += w.mass
	}
	return p.out
}

type parser struct {
	ix    *Index
	out   parsed
	seen  map[int32]int // first sense -> place in out.words
	stems []string
}

func (p *parser) readAll(words []text.Word, stops bool) {
	for i := 0; i < len(words) && len(p.out.words)+len(p.out.unknown) < MaxQueryWords; i++ {
		w := words[i]
		if w.Kind == text.Whole {
			i += p.compound(w, words[i+1:], stops)
			continue
		}
		if i+1 < len(words) {
			p.joined(w, words[i+1])
		}
		if stops || !text.IsQueryStop(w.Text) {
			p.word(w.Text, 1)
		}
	}
}

// compound reads a Whole. When the index knows it as one word, its pieces count
// for little: GitHub is not about git. It returns how many pieces it consumed.
func (p *parser) compound(w text.Word, rest []text.Word, stops bool) int {
	weight := float32(1)
	if t, ok := p.ix.lex.terms[text.Stem(w.Text)]; ok {
		p.want([]sense{{term: t, weight: 1}})
		weight = float32(p.ix.tune.Pieces)
	}
	n := min(w.Parts, len(rest))
	for _, part := range rest[:n] {
		if stops || !text.IsQueryStop(part.Text) {
			p.word(part.Text, weight)
		}
	}
	return n
}

// joined counts two neighbouring words as the one word that the index knows
// them by: on call is oncall.
func (p *parser) joined(a, b text.Word) {
	if a.Kind != text.Plain || b.Kind != text.Plain || len(a.Text)+len(b.Text) < 5 {
		return
	}
	if t, ok := p.ix.lex.terms[text.Stem(a.Text+b.Text)]; ok {
		p.want([]sense{{term: t, weight: float32(p.ix.tune.Joined)}})
	}
}

// word finds the senses of one word: itself, its synonyms, names it is inside
// of; and, when the index has never met it, its stems in other languages and
// words that it may be a typo of.
func (p *parser) word(word string, weight float32) {
	ix := p.ix
	stem := text.Stem(word)
	term, known := ix.lex.terms[stem]
	var senses []sense
	if known {
		senses = append(senses, sense{term: term, weight: weight})
	}
	for _, other := range text.Synonyms(stem) {
		if t, ok := ix.lex.terms[other]; ok {
			senses = append(senses, sense{term: t, weight: weight * float32(ix.tune.Synonym)})
		}
	}
	folded := text.Fold(word)
	senses = p.insideNames(senses, folded, weight)
	if !known {
		senses = p.guesses(senses, word, folded, weight)
	}
	if len(senses) > 0 {
		p.want(senses)
	}
	if !known {
		p.out.unknown = append(p.out.unknown, folded)
	}
}

// insideNames adds the words of names that contain word.
func (p *parser) insideNames(senses []sense, word string, weight float32) []sense {
	if utf8.RuneCountInString(word) < minInside {
		return senses
	}
	p.ix.lex.inside(word, func(t int32) {
		senses = addSense(senses, sense{term: t, weight: weight * float32(p.ix.tune.Inside), namesOnly: true})
	})
	return senses
}

// guesses adds what an unknown word may be: first a word of another language,
// by its stem, then a misspelling.
func (p *parser) guesses(senses []sense, word, folded string, weight float32) []sense {
	lex := &p.ix.lex
	p.stems = append(text.OtherStems(p.stems[:0], word), text.Stem(word))
	for _, s := range p.stems {
		if t, ok := lex.terms[s]; ok {
			senses = addSense(senses, sense{term: t, weight: weight * float32(p.ix.tune.Foreign)})
		}
		for _, t := range lex.foreign[s] {
			senses = addSense(senses, sense{term: t, weight: weight * float32(p.ix.tune.Foreign)})
		}
	}
	if len(senses) > 0 {
		return senses
	}
	most := allowedEdits(folded)
	if most == 0 {
		return senses
	}
	lex.typos(folded, most, func(t int32, d int) {
		w := weight * float32(p.ix.tune.Typo) / float32(d)
		senses = addSense(senses, sense{term: t, weight: w})
	})
	return senses
}

// allowedEdits is how many typing errors a word may have: none under five
// runes, one under nine, else two.
func allowedEdits(word string) int {
	switch n := utf8.RuneCountInString(word); {
	case n < 5:
		return 0
	case n < 9:
		return 1
	}
	return 2
}

func addSense(senses []sense, s sense) []sense {
	for _, have := range senses {
		if have.term == s.term && (!have.namesOnly || s.namesOnly) && have.weight >= s.weight {
			return senses
		}
	}
	return append(senses, s)
}

// want adds a word to the query unless an equal one is there.
func (p *parser) want(senses []sense) {
	first := senses[0].term
	if _, ok := p.seen[first]; ok {
		return
	}
	p.seen[first] = len(p.out.words)
	w := wanted{senses: senses}
	for _, s := range senses {
		w.mass = max(w.mass, s.weight*p.ix.posts.idf[s.term])
	}
	p.out.words = append(p.out.words, w)
}
