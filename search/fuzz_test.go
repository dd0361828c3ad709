package search

import (
	"reflect"
	"testing"
)

// FuzzSearch: no query, limit or document makes Search or Near panic or break
// what checkPromises checks, and the same question has the same answer.
func FuzzSearch(f *testing.F) {
	for _, seed := range []struct {
		query, name, description string
		limit                    int
	}{
		{"create event", "calendar_createEvent", "Puts an event into a calendar.", 3},
		{"", "", "", 0},
		{"gmail-message_send, then web-navigate!", "a.b/c d", "ＡＢＣ ß İ", -1},
		{"天気を調べる อากาศ 한국어", "天気", "ค้นหา", 50},
		{"\xff\xfe _-./ e-mail iPhone17Pro PDFs", "x-", "\x00", 1},
		{"išrašyk sąskaitą faktūrą", "sąskaita", "Išrašo sąskaitą.", 2},
	} {
		f.Add(seed.query, seed.name, seed.description, seed.limit)
	}
	base, strange, cache := office(), &letters{quiet: true}, NewCache(100)
	f.Fuzz(func(t *testing.T, query, name, description string, limit int) {
		doc := Document{Name: name, Source: query, Title: description, Description: description,
			Parameters: []Parameter{{Name: name, Description: query, Enum: []string{description}}}}
		docs := append(base[:len(base):len(base)], doc)
		ix := Build(docs, Options{})
		q := Query{Text: query, Limit: limit}
		for _, ix := range []*Index{ix, Build(docs, Options{Embedder: strange, Cache: cache})} {
			r := ix.Search(q)
			checkPromises(t, ix, q, r)
			if !reflect.DeepEqual(r, ix.Search(q)) {
				t.Errorf("%q gave two results", query)
			}
		}
		if near := ix.Near(query); len(near) > MaxNear {
			t.Errorf("%d near names", len(near))
		}
	})
}
