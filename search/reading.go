package search

import (
	"strings"

	"mcp-toolsearch/search/text"
)

// reading is what a document comes to by itself, whatever stands beside it: its
// words, counted by field, and its vector. It never changes, and indexes share it.
type reading struct {
	words   []readWord // in order of first appearance
	lengths [fields]int32
	vector  vector
	verb    text.Verb
	fresh   int64 // bytes of the words that the reader met here first
}

// readWord is one distinct word of a document.
type readWord struct {
	word    *wordForm
	count   [fields]uint8
	single  bool // stands somewhere as more than the whole of a compound
	foreign bool // stands in a text with letters that English does not have
}

// wordForm is one spelling of a word with its stems; stemming is the dear part
// of reading. It never changes, because readings that were given away have it.
type wordForm struct {
	text, stem string
	others     []string // stems in other languages, when it stood in a foreign text
	foreign    bool     // others were looked for
	vector     vector   // none without an embedder, and for what is no word
}

// reader reads documents, one at a time. It meets each distinct spelling once.
type reader struct {
	embedder Embedder
	tune     tuning
	forms    map[string]*wordForm
	place    map[string]int // word -> its place in the present reading
	words    []text.Word
	sum, one []float32
	prose    []byte
	fresh    int64 // bytes of the words first met in the present document
}

func newReader(e Embedder, tune tuning) *reader {
	r := &reader{embedder: e, tune: tune, forms: make(map[string]*wordForm, 1024), place: map[string]int{}}
	if e != nil {
		r.sum, r.one = make([]float32, e.Dim()), make([]float32, e.Dim())
	}
	return r
}

func (r *reader) read(d *Document) *reading {
	clear(r.place)
	r.fresh = 0
	out := &reading{}
	r.field(out, fieldName, d.Name)
	r.field(out, fieldSource, d.Source)
	r.field(out, fieldTitle, d.Title)
	for _, alias := range d.Aliases {
		r.field(out, fieldAlias, alias)
	}
	r.field(out, fieldDescription, d.Description)
	for i := range d.Parameters {
		p := &d.Parameters[i]
		r.field(out, fieldParameter, p.Name)
		r.field(out, fieldParameterText, p.Description)
		for _, value := range p.Enum {
			r.field(out, fieldEnum, value)
		}
	}
	out.vector, out.verb, out.fresh = r.embed(d), verbOf(d), r.fresh
	return out
}

// field counts the words of one text into one field. A Whole and its parts are
// all counted, but only the parts make the field longer.
func (r *reader) field(out *reading, f field, s string) {
	if s == "" {
		return
	}
	r.words = text.Words(r.words[:0], s)
	foreign := text.MayBeForeign(s)
	for _, w := range r.words {
		if f > fieldAlias && text.IsStop(w.Text) {
			continue
		}
		form := r.form(w.Text, foreign)
		at, ok := r.place[w.Text]
		if !ok {
			at = len(out.words)
			r.place[form.text] = at
			out.words = append(out.words, readWord{})
		}
		found := &out.words[at]
		found.word = form
		if n := &found.count[f]; *n < 255 {
			*n++
		}
		if w.Kind != text.Whole {
			out.lengths[f]++
			found.single = true
		}
		found.foreign = found.foreign || foreign
	}
}

func (r *reader) form(word string, foreign bool) *wordForm {
	f := r.forms[word]
	switch {
	case f == nil:
		f = &wordForm{text: strings.Clone(word), stem: text.Stem(word), vector: r.meaning(word)}
	case !foreign || f.foreign:
		return f
	}
	if foreign {
		f = &wordForm{text: f.text, stem: f.stem, vector: f.vector, others: text.OtherStems(nil, word), foreign: true}
	}
	r.forms[f.text] = f
	r.fresh += f.size()
	return f
}

// meaning is the vector of one word.
func (r *reader) meaning(word string) vector {
	if r.embedder == nil || !isTerm(word) {
		return vector{}
	}
	r.embedder.Embed(r.one, word)
	return quantise(r.one)
}
