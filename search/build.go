package search

import (
	"mcp-toolsearch/search/text"
)

// entry is one term in one document while the index is built.
type entry struct {
	term, doc int32
	count     [fields]uint8
}

// builder reads documents into entries. It meets each distinct spelling of a
// word once: stemming is the dear part of reading.
type builder struct {
	spelled map[string]int32   // spelling -> term
	terms   map[string]int32   // stem -> term
	surface []string           // term -> its shortest spelling
	foreign map[string][]int32 // stem in another language -> terms
	listed  map[string]bool    // spellings that foreign has
	entries []entry
	slot    []int32 // term -> its entry in the present document
	single  []bool  // term -> stands somewhere as more than the whole of a compound
	from    int     // first entry of the present document
	lengths [][fields]int32
	words   []text.Word
	stems   []string
}

func newBuilder(docs int) *builder {
	return &builder{
		spelled: make(map[string]int32, 4096),
		terms:   make(map[string]int32, 4096),
		foreign: map[string][]int32{},
		listed:  map[string]bool{},
		entries: make([]entry, 0, docs*32),
		lengths: make([][fields]int32, docs),
	}
}

func (b *builder) add(doc int32, d *Document) {
	b.from = len(b.entries)
	b.read(doc, fieldName, d.Name)
	b.read(doc, fieldSource, d.Source)
	b.read(doc, fieldTitle, d.Title)
	b.read(doc, fieldDescription, d.Description)
	for i := range d.Parameters {
		p := &d.Parameters[i]
		b.read(doc, fieldParameter, p.Name)
		b.read(doc, fieldParameterText, p.Description)
		for _, value := range p.Enum {
			b.read(doc, fieldEnum, value)
		}
	}
}

// read counts the words of one text into one field. A Whole and its parts are
// all counted, but only the parts make the field longer.
func (b *builder) read(doc int32, f field, s string) {
	if s == "" {
		return
	}
	b.words = text.Words(b.words[:0], s)
	foreign := text.MayBeForeign(s)
	for _, w := range b.words {
		if f > fieldTitle && text.IsStop(w.Text) {
			continue
		}
		t := b.term(w.Text, foreign)
		b.count(doc, f, t)
		if w.Kind != text.Whole {
			b.lengths[doc][f]++
			b.single[t] = true
		}
	}
}

func (b *builder) count(doc int32, f field, term int32) {
	at := int(b.slot[term]) - 1
	if at < b.from || at >= len(b.entries) || b.entries[at].term != term {
		at = len(b.entries)
		b.entries = append(b.entries, entry{term: term, doc: doc})
		b.slot[term] = int32(at) + 1
	}
	if n := &b.entries[at].count[f]; *n < 255 {
		*n++
	}
}

// term returns the number of a word's term, made when it is new.
func (b *builder) term(word string, foreign bool) int32 {
	if t, ok := b.spelled[word]; ok {
		if foreign {
			b.addForeign(word, t)
		}
		return t
	}
	stem := text.Stem(word)
	t, ok := b.terms[stem]
	if !ok {
		t = int32(len(b.surface))
		b.terms[stem] = t
		b.surface = append(b.surface, word)
		b.slot = append(b.slot, 0)
		b.single = append(b.single, false)
	}
	if len(word) < len(b.surface[t]) {
		b.surface[t] = word
	}
	b.spelled[word] = t
	if foreign {
		b.addForeign(word, t)
	}
	return t
}

// addForeign lists a term under the stems its word has in other languages, so
// that two endings of a word meet that English stemming leaves apart.
func (b *builder) addForeign(word string, term int32) {
	if b.listed[word] {
		return
	}
	b.listed[word] = true
	b.stems = text.OtherStems(b.stems[:0], word)
	for _, s := range b.stems {
		list := b.foreign[s]
		if !hasTerm(list, term) && len(list) < maxForeign {
			b.foreign[s] = append(list, term)
		}
	}
}

// maxForeign bounds the terms under one stem.
const maxForeign = 16

func hasTerm(list []int32, term int32) bool {
	for _, t := range list {
		if t == term {
			return true
		}
	}
	return false
}
