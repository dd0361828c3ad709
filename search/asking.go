package search

import (
	"strings"

	"mcp-toolsearch/search/text"
)

// verbOf is the verb by which a document says that it changes something.
func verbOf(d *Document) text.Verb {
	own, _ := strings.CutPrefix(d.Name, d.Source)
	return text.ChangingVerb(own)
}

// verbsOf are those of changed documents, of which the new ones are read.
func (ix *Index) verbsOf(c changes, read []*reading) []text.Verb {
	verbs := make([]text.Verb, len(c.from))
	for doc, from := range c.from {
		if from >= 0 {
			verbs[doc] = ix.verbs[from]
		}
	}
	for i, doc := range c.added {
		verbs[doc] = read[i].verb
	}
	return verbs
}

// asking is what a request to be told something takes from documents that change
// something: such words and such a subject stand in both.
type asking struct {
	told  bool
	named map[text.Verb]bool // verbs that the request has: who deleted the file
}

// surelyNamed is what a sense counts at least to name a verb.
const surelyNamed = .8

func (ix *Index) asked(query string, q *parsed) asking {
	a := asking{told: text.Asks(query)}
	if !a.told {
		return a
	}
	a.named = map[text.Verb]bool{}
	for i := range q.words {
		for _, s := range q.words[i].senses {
			if s.weight >= surelyNamed {
				a.named[text.VerbOf(ix.lex.stems[s.term])] = true
			}
		}
	}
	return a
}

// fitting is the factor by which a document's score is held to what the request
// wants of it.
func (ix *Index) fitting(a *asking, doc int32) float32 {
	if verb := ix.verbs[doc]; a.told && verb != 0 && !a.named[verb] {
		return 1 - float32(ix.tune.Changing)
	}
	return 1
}
