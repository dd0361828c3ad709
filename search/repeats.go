package search

import "mcp-toolsearch/search/text"

// maxUnknown is how many distinct words of a query that the index does not have
// are looked for further: in other languages, by meaning, and as typing errors.
// Each of them costs as much as a short query; that many stand in no request, but
// in what somebody pasted. The rest count as unknown.
const maxUnknown = 64

// lookedUp is what came of a word.
type lookedUp struct {
	known  bool
	idf    float32
	share  float64 // of the word that is known
	folded string
}

// again counts a word that the query had before, and reports whether it had:
// its senses are there, but how much of the query is known depends on all of it.
func (p *parser) again(word string, weight float32) bool {
	was, ok := p.before[word]
	if !ok {
		return false
	}
	if was.known {
		p.out.plain++
	} else {
		p.out.unknown = append(p.out.unknown, was.folded)
		p.strange = append(p.strange, word)
	}
	p.cover(word, weight, was.idf, was.share)
	return true
}

// stranger counts a word that the index does not have, and reports whether it
// is one of the first of them.
func (p *parser) stranger(word, folded string) bool {
	p.out.unknown = append(p.out.unknown, folded)
	p.strange = append(p.strange, word)
	p.strangers++
	return p.strangers <= maxUnknown
}

// heard reports whether a word may say which language the query is in: not what
// everybody says, and of words that the index does not have only the first.
func (p *parser) heard(w text.Word) bool {
	if w.Kind == text.Bigram || text.IsQueryStop(w.Text) {
		return false
	}
	if _, known := p.ix.lex.terms[text.Stem(w.Text)]; known {
		return false
	}
	_, before := p.stems[w.Text]
	return before || len(p.stems) < maxUnknown
}
