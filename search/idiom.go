package search

import "mcp-toolsearch/search/text"

// idioms adds what the idioms of a query mean. One that is a single word counts only
// when the index doesn't have it: who types keywords means them.
func (p *parser) idioms(words []text.Word) {
	ix := p.ix
	ix.said.In(words[:min(len(words), MaxQueryWords)], func(said, meant []string) {
		if _, known := ix.lex.terms[said[0]]; known && len(said) == 1 {
			return
		}
		var senses []sense
		for _, stem := range meant {
			if t, ok := ix.lex.terms[stem]; ok {
				senses = append(senses, sense{term: t, weight: float32(ix.tune.Idiom)})
			}
		}
		if len(senses) > 0 {
			p.out.words = append(p.out.words, wanted{senses: senses})
		}
	})
}
