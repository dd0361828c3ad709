package search

import (
	"slices"

	"mcp-toolsearch/search/text"
)

// lexical is the English for a word that the lexicon has, in any language.
func (p *parser) lexical(word string) []text.Translation {
	all, ok := p.learned[word]
	if !ok && !p.ix.tune.NoLexicon {
		p.ix.lexicon.OfWord(word, p.stemmed(word).in, func(t text.Translation) {
			if !text.IsQueryStop(t.Word) {
				all = append(all, t)
			}
		})
		p.learned[word] = all
	}
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
