package search

import (
	"slices"

	"mcp-toolsearch/search/text"
)

// english is a translation of a word, and how likely it is beside the likeliest.
type english struct {
	stem   string
	likely float32
}

// english keeps the translations of a word that hold in the query's language,
// and notes the likeliest for the vectors' side. A line of the glossary has
// related things in it (heart, blood pressure), and a word is one of them: the
// vectors say which.
func (p *parser) english(word string, all []text.Translation) []english {
	var out []english
	first, likeliest := "", float32(0)
	likely := p.likelihood(word, len(all))
	for _, t := range all {
		if p.lang != 0 && t.Of != 0 && t.Of&p.lang == 0 {
			continue
		}
		e := english{t.Stem, likely(t.Word)}
		if e.likely > likeliest || first == "" {
			first, likeliest = t.Word, e.likely
		}
		out = append(out, e)
	}
	if first != "" && !slices.Contains(p.out.english, first) {
		p.out.english = append(p.out.english, first)
	}
	for i := range out {
		if likeliest <= 0 {
			out[i].likely = 1
			continue
		}
		out[i].likely = max(float32(p.ix.tune.Unlikely), out[i].likely/likeliest)
	}
	return out
}

// likelihood returns how near a word's meaning is to that of an English word;
// always 1 when there is nothing to choose from or no vectors.
func (p *parser) likelihood(word string, choices int) func(string) float32 {
	e := p.ix.vectors.embedder
	if e == nil || choices < 2 {
		return func(string) float32 { return 1 }
	}
	one := make([]float32, e.Dim())
	e.Embed(one, word)
	q := quantiseQuestion(one)
	return func(other string) float32 {
		v := p.ix.meaningOf(other)
		if v.values == nil {
			e.Embed(one, other)
			v = quantise(one)
		}
		if q.values == nil || v.values == nil {
			return 0
		}
		return float32(dot(v.values, q.values)) * q.unit * v.unit
	}
}

// meaningOf is the vector that the index has of a word as it is written; none for
// what it doesn't have.
func (ix *Index) meaningOf(word string) vector {
	if n, ok := ix.lex.spelled[word]; ok {
		return ix.lex.spellings[n].form.vector
	}
	return vector{}
}

// unspaced adds what the glossary finds in the parts of a query that have no
// borders between words, and what the lexicon finds in the rest of them.
func (p *parser) unspaced(query string) {
	rest := p.ix.glossary.In(text.Fold(query), func(word string, all []text.Translation) {
		if senses := p.translated(nil, p.english(word, all), 1); len(senses) > 0 {
			p.want(senses, certain)
			p.known += float64(p.ix.unknownIDF()) * p.ix.tune.CoverGlossary
		}
	})
	p.ix.lexicon.In(rest, func(_ string, all []text.Translation) {
		if senses := p.likeliest(nil, all); len(senses) > 0 {
			p.want(senses, certain)
			p.known += float64(p.ix.unknownIDF()) * p.ix.tune.CoverGlossary
		}
	})
}

// forms adds the English for a word that the glossary has in another form only:
// with another ending, or, in Lithuanian, without the prefix of the verb.
func (p *parser) forms(senses []sense, word string) []sense {
	g, how := p.ix.glossary, p.ix.tune.Form
	if found := p.english(word, g.OfForm(text.Fold(word))); len(found) > 0 {
		return p.translated(senses, found, how)
	}
	for _, rest := range text.WithoutLithuanianPrefix(word) {
		var all []text.Translation
		for _, s := range append(text.OtherStems(nil, rest), text.Stem(rest)) {
			all = append(all, g.OfStem(s)...)
		}
		if len(all) == 0 {
			all = g.OfForm(text.Fold(rest))
		}
		all = slices.DeleteFunc(slices.Clone(all), func(t text.Translation) bool { return t.Of&text.LangLithuanian == 0 })
		if found := p.english(rest, all); len(found) > 0 {
			return p.translated(senses, found, how)
		}
	}
	return senses
}

// translated adds English terms that count how for a translation, and for less
// their synonyms.
func (p *parser) translated(senses []sense, all []english, how float64) []sense {
	if p.ix.tune.NoGlossary {
		return senses
	}
	lex := &p.ix.lex
	weight := float32(p.ix.tune.Translated * how)
	for _, e := range all {
		if t, ok := lex.terms[e.stem]; ok {
			senses = addSense(senses, sense{term: t, weight: weight * e.likely})
		}
	}
	weight *= float32(p.ix.tune.Synonym)
	for _, e := range all {
		for _, other := range text.Synonyms(e.stem) {
			if t, ok := lex.terms[other]; ok {
				senses = addSense(senses, sense{term: t, weight: weight * e.likely})
			}
		}
	}
	return senses
}
