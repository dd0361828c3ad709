package search

import (
	"slices"
	"testing"
)

// TestTheLikeliestTranslationCountsMost: the glossary has heart, blood and
// pressure in one line, and a word of it is only one of them.
func TestTheLikeliestTranslationCountsMost(t *testing.T) {
	docs := []Document{
		{Name: "read_heart", Description: "Values of the last week."},
		{Name: "read_blood", Description: "Values of the last week."},
		{Name: "read_pressure", Description: "Values of the last week."},
	}
	ix := Build(docs, Options{Embedder: embedded(t)})
	for _, c := range []struct{ name, query, want string }{
		{"Lithuanian blood", "kraujo", "read_blood"},
		{"Lithuanian heart", "širdies", "read_heart"},
		{"German heart", "herz", "read_heart"},
		{"Spanish blood", "sangre", "read_blood"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ask(ix, c.query); len(got) == 0 || got[0] != c.want {
				t.Errorf("%q finds %q, want %s first", c.query, got, c.want)
			}
		})
	}
}

// TestOnlyTranslatedRequestsHaveAGloss: English stands beside a request of which the
// glossary knows more words than the index, and beside no other.
func TestOnlyTranslatedRequestsHaveAGloss(t *testing.T) {
	ix := Build([]Document{{Name: "invoice_send", Description: "Send an invoice to a customer."}}, Options{Embedder: embedded(t)})
	for _, c := range []struct {
		name, query string
		want        []string
	}{
		{"Lithuanian", "išsiųsk faktūrą klientui", []string{"send", "invoice", "client"}},
		{"another form than the glossary has", "atšauktas", []string{"cancel"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ix.parse(c.query)
			for _, w := range c.want {
				if !slices.Contains(got.english, w) {
					t.Errorf("%q is in English %q, want %q among it", c.query, got.english, w)
				}
			}
			if len(got.english) <= got.plain {
				t.Errorf("%q is not taken for a translated request", c.query)
			}
		})
	}
	if got := ix.parse("send the invoice to a customer"); len(got.english) > got.plain {
		t.Errorf("an English request is translated to %q", got.english)
	}
}

// TestTheLexiconTranslatesWhatTheGlossaryHasNot: without vectors, a word that
// only the lexicon has finds the tool that has it in English.
func TestTheLexiconTranslatesWhatTheGlossaryHasNot(t *testing.T) {
	docs := []Document{
		{Name: "set_watermark", Description: "Put a watermark on it."},
		{Name: "run_defrost", Description: "Start the defrost."},
		{Name: "get_hygrometer", Description: "Read the humidity."},
	}
	for _, c := range []struct{ name, query, want string }{
		{"Lithuanian", "koks drėgnumas", "get_hygrometer"},
		{"German", "Abtauung", "run_defrost"},
		{"Swedish", "luftfuktighet", "get_hygrometer"},
		{"Japanese", "除霜", "run_defrost"},
		{"Chinese", "除霜", "run_defrost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			hits := Build(docs, Options{}).Search(Query{Text: c.query}).Hits
			if len(hits) != 1 || docs[hits[0].Doc].Name != c.want {
				t.Errorf("%q found %v, want %s alone", c.query, hits, c.want)
			}
		})
	}
	tune := defaultTuning()
	tune.NoLexicon = true
	if hits := build(docs, Options{}, tune).Search(Query{Text: "除霜"}).Hits; len(hits) > 0 {
		t.Errorf("without the lexicon %v was found", hits)
	}
}
