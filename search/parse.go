package search

import (
	"slices"
	"unicode/utf8"

	"mcp-toolsearch/search/text"
)

// sense is one term that a query word may stand for.
type sense struct {
	term   int32
	weight float32
	// namesOnly counts only documents that have the term in their names.
	namesOnly bool
	// distant is a term that only vectors hold to be near the word.
	distant bool
}

// wanted is one word of a query: a document gets the best of its senses.
type wanted struct {
	senses []sense
	// how says what the best of the senses rests on.
	how evidence
}

// withoutDistant drops the senses that only vectors gave.
func (w *wanted) withoutDistant() {
	w.senses = slices.DeleteFunc(w.senses, func(s sense) bool { return s.distant })
}

// evidence is what the sense of a query word rests on.
type evidence uint8

const (
	certain evidence = iota // letters: the word, a stem, a synonym, a translation
	distant                 // vectors alone: words of a meaning like its own
	guessed                 // a guess at a misspelling
)

// parsed is a query as the index understands it.
type parsed struct {
	words []wanted
	// plain is how many words the index has.
	plain   int
	english []string        // what the glossary says for words of the query
	unknown []string        // folded words that the index does not have
	spelled map[string]bool // names that the query has letter by letter
	// covered is the share of the query, by weight, that the index knows.
	covered float64
	// support is what the best supported word of the query rests on.
	support evidence
	// nonsense is true when nothing may be found but what is named.
	nonsense bool
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
	p := parser{ix: ix, seen: make(map[int32]bool, len(words)), stems: map[string]stemmed{}, learned: map[string][]text.Translation{}, before: make(map[string]lookedUp, len(words))}
	if bare := text.WithoutValues(query); bare != query {
		p.request = map[string]bool{}
		for _, w := range text.Words(nil, bare) {
			p.request[w.Text] = true
		}
	}
	p.out.spelled = map[string]bool{}
	p.language(words)
	p.readAll(words, false)
	p.unspaced(query)
	p.idioms(words)
	if len(p.out.words) == 0 && len(p.out.unknown) == 0 {
		p.readAll(words, true)
	}
	p.judge()
	return p.out
}

// judge sees what a query rests on. When nothing of it is known and its words
// are none in any language, what vectors say of them is chance; so are
// misspellings that are at most a third of the words.
func (p *parser) judge() {
	out := &p.out
	out.support = guessed
	for _, w := range out.words {
		out.support = min(out.support, w.how)
	}
	if out.support > certain {
		out.nonsense = !p.wordLike()
		if out.nonsense {
			for i := range out.words {
				out.words[i].withoutDistant()
			}
			out.words = slices.DeleteFunc(out.words, func(w wanted) bool { return len(w.senses) == 0 })
			out.support = guessed
		}
		if out.support == guessed && 3*len(out.words) <= len(out.unknown) {
			out.words = nil
		}
	}
	if len(out.words)+len(out.unknown) == 0 {
		out.nonsense = true
	}
	if p.mass > 0 && len(out.words) > 0 {
		out.covered = min(1, p.known/p.mass)
	}
}

type parser struct {
	ix   *Index
	out  parsed
	seen map[int32]bool // first senses of out.words
	// before are the words that were read, strangers counts the unknown ones.
	before    map[string]lookedUp
	strangers int
	stems     map[string]stemmed // unknown word -> its stems in all languages
	// learned is what the lexicon has for unknown words.
	learned map[string][]text.Translation
	// lang are the languages that the query is most likely in; none: any.
	lang text.Languages
	// request holds the words that are no data; nil: all are.
	request map[string]bool
	// mass is the weight of the words of the request, known that of its known
	// part.
	mass, known float64
	strange     []string  // words that the index does not have
	vector      []float32 // memory for one word's
}

// cover counts a word of the request, of which the share that how stands for is
// known.
func (p *parser) cover(word string, weight, idf float32, how float64) {
	mass := float64(weight * idf)
	if p.request != nil && !p.request[word] {
		return
	}
	p.mass += mass
	p.known += mass * how
}

// unknownIDF is the rarity of a word that no document has: that of one that
// few have, because a word of another language need not be rare.
func (ix *Index) unknownIDF() float32 { return float32(idf(len(ix.names), 1+len(ix.names)/200)) }

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
			weight := float32(1)
			if text.IsEveryday(w.Text) {
				weight = float32(p.ix.tune.Common)
			}
			p.word(w.Text, weight)
		}
	}
}

// compound reads a Whole. When the index knows it as one word, its pieces count
// for little: GitHub is not about git. It returns how many pieces it consumed.
func (p *parser) compound(w text.Word, rest []text.Word, stops bool) int {
	weight := float32(1)
	if t, ok := p.ix.lex.terms[text.Stem(w.Text)]; ok {
		p.want([]sense{{term: t, weight: 1}}, certain)
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
	if a.Kind != text.Plain || b.Kind != text.Plain || len(a.Text)+len(b.Text) < 5 || len(b.Text) < 2 {
		return
	}
	if t, ok := p.ix.lex.terms[text.Stem(a.Text+b.Text)]; ok {
		p.want([]sense{{term: t, weight: float32(p.ix.tune.Joined)}}, certain)
	}
}

// word finds the senses of one word: itself, its synonyms, names it is inside
// of; and, when the index has never met it, its stems in other languages and
// words that it may be a typo of.
func (p *parser) word(word string, weight float32) {
	if p.again(word, weight) {
		return
	}
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
	how := certain
	if known {
		p.noRarer(senses, term)
		if _, spelled := ix.lex.spelled[word]; !spelled {
			senses = p.translated(senses, p.english(folded, ix.glossary.OfWord(folded)), 1)
		}
		p.before[word] = lookedUp{known: true, idf: ix.posts.idf[term], share: 1}
		p.cover(word, weight, ix.posts.idf[term], 1)
		p.out.plain++
	} else {
		senses, how = p.unknownWord(senses, word, folded, weight)
	}
	if len(senses) > 0 {
		p.want(senses, how)
	}
}

// unknownWord looks further for a word that the index does not have: stems of
// other languages, the glossary, words of a like meaning, and at last typing
// errors.
func (p *parser) unknownWord(senses []sense, word, folded string, weight float32) (all []sense, how evidence) {
	known := 0.0
	if len(senses) > 0 {
		known = p.ix.tune.CoverGuess
	}
	if p.stranger(word, folded) {
		senses, how, known = p.lookFurther(senses, word, folded, weight, known)
	}
	idf := p.ix.unknownIDF()
	p.before[word] = lookedUp{idf: idf, share: known, folded: folded}
	p.cover(word, weight, idf, known)
	return senses, how
}

// lookFurther is unknownWord's search, which may find that more of the word is
// known.
func (p *parser) lookFurther(senses []sense, word, folded string, weight float32, known float64) (all []sense, how evidence, share float64) {
	tune := &p.ix.tune
	before := len(senses)
	senses, translated := p.foreign(senses, word, weight)
	switch {
	case translated:
		known = max(known, tune.CoverGlossary)
	case len(senses) > before:
		known = max(known, tune.CoverGuess)
	}
	before = len(senses)
	senses = p.related(senses, word, weight)
	if len(senses) > before {
		known = max(known, tune.CoverRelated)
		if before == 0 {
			how = distant
		}
	}
	if len(senses) == 0 || how == distant {
		near := len(senses)
		senses = p.misspelt(senses, folded, weight)
		if near == 0 {
			how = guessed
		}
		if len(senses) > near {
			known = max(known, tune.CoverGuess)
		}
	}
	return senses, how, known
}

// noRarer lets no other sense count for more because it is rarer than the word
// that was asked for.
func (p *parser) noRarer(senses []sense, term int32) {
	idf := p.ix.posts.idf
	for i := range senses {
		senses[i].weight *= min(1, idf[term]/idf[senses[i].term])
	}
}

// insideNames adds the words of names that contain word.
func (p *parser) insideNames(senses []sense, word string, weight float32) []sense {
	if utf8.RuneCountInString(word) < minInside {
		return senses
	}
	weight *= float32(p.ix.tune.Inside)
	p.ix.lex.inside(word, func(t int32, edge bool) {
		s := sense{term: t, weight: weight, namesOnly: true}
		if !edge {
			s.weight /= 2 // form in platforms: mostly chance
		}
		senses = append(senses, s)
	})
	return senses
}

// foreign adds the terms that share a stem with word in any other language.
// translated is true when the glossary or the lexicon had it.
func (p *parser) foreign(senses []sense, word string, weight float32) (all []sense, translated bool) {
	lex := &p.ix.lex
	weight *= float32(p.ix.tune.Foreign)
	for _, s := range p.stemsOf(word) {
		if t, ok := lex.terms[s]; ok {
			senses = addSense(senses, sense{term: t, weight: weight})
		}
		for _, t := range lex.foreignTerms(s) {
			senses = addSense(senses, sense{term: t, weight: weight})
		}
		before := len(senses)
		senses = p.translated(senses, p.english(word, p.ix.glossary.OfStem(s)), 1)
		translated = translated || len(senses) > before
	}
	if !translated {
		before := len(senses)
		senses = p.forms(senses, word)
		translated = len(senses) > before
	}
	before := len(senses)
	senses = p.likeliest(senses, p.lexical(word))
	return senses, translated || len(senses) > before
}

// misspelt adds the terms that word may be a typo of.
func (p *parser) misspelt(senses []sense, word string, weight float32) []sense {
	most := allowedEdits(word)
	if most == 0 {
		return senses
	}
	p.ix.lex.typos(word, most, func(t int32, edits int) {
		w := weight * float32(p.ix.tune.Typo) / float32(edits)
		if p.ix.lex.surface[t][0] != word[0] {
			w /= 2 // people rarely miss the first letter
		}
		senses = append(senses, sense{term: t, weight: w})
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
func (p *parser) want(senses []sense, how evidence) {
	first := senses[0].term
	if p.seen[first] {
		return
	}
	p.seen[first] = true
	p.out.words = append(p.out.words, wanted{senses: senses, how: how})
}
