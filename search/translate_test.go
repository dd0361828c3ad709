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
		{"Lithuanian", "išsiųsk sąskaitą klientui", []string{"send", "invoice", "client"}},
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
