package search

import (
	"slices"

	"mcp-toolsearch/search/text"
)

// lexical is the English for a word that the lexicon has, in any language: as it
// is, with another ending, or, in Lithuanian, without the prefix of the verb.
func (p *parser) lexical(word string) []text.Translation {
	all, ok := p.learned[word]
	if ok || p.ix.tune.NoLexicon {
		return all
	}
	add := func(t text.Translation) {
		if !text.IsQueryStop(t.Word) {
			all = append(all, t)
		}
	}
	lexicon := p.ix.lexicon
	lexicon.OfWord(word, p.stemmed(word).in, add)
	if len(all) == 0 {
		lexicon.OfForm(text.Fold(word), add)
	}
	if len(all) == 0 {
		for _, rest := range text.WithoutLithuanianPrefix(word) {
			stem := []text.StemIn{{Stem: text.Fold(text.Lithuanian(rest)), Of: text.LangLithuanian}}
			lexicon.OfWord(rest, stem, func(t text.Translation) {
				if t.Of &= text.LangLithuanian; t.Of != 0 {
					add(t)
				}
			})
		}
	}
	p.learned[word] = all
	return all
}

// leastLikely is how likely a translation is, beside the likeliest of the word,
// that counts at all.
const leastLikely = .2

// likeliest adds what the lexicon holds a word to be in the query's language. It is
// less sure of that than the glossary is, and what is less likely counts for less.
func (p *parser) likeliest(senses []sense, all []text.Translation) []sense {
	all = slices.DeleteFunc(slices.Clone(all), func(t text.Translation) bool { return p.lang != 0 && t.Of&p.lang == 0 })
	if len(all) == 0 || p.ix.tune.NoLexicon {
		return senses
	}
	best := all[0]
	for _, t := range all {
		if t.Likely > best.Likely {
			best = t
		}
	}
	if !slices.Contains(p.out.english, best.Word) {
		p.out.english = append(p.out.english, best.Word)
	}
	var kept []english
	for _, t := range all {
		if likely := t.Likely / best.Likely; likely >= leastLikely {
			kept = append(kept, english{t.Stem, likely})
		}
	}
	return p.translated(senses, kept, p.ix.tune.Learned)
}
