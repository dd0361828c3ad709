package search

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// Generators of what search is given. Words are few, so that documents share
// them and questions find something, and of many scripts and spellings; the rest
// is any text at all.

var someWords = []string{
	"create", "creates", "created", "list", "invoice", "Invoices", "e-mail", "mail", "GitHub", "oncall", "call", "PDFs", "k8s",
	"iPhone17Pro", "status", "expired", "expires", "the", "of", "and", "form", "platforms", "naïve", "naive", "café",
	"sąskaita", "sąskaitą", "sąskaitos", "šventė", "išrašyti", "facturas", "Rechnung", "Überweisung", "прогноз", "погоды",
	"قائمة", "الفواتير", "天気", "予報", "請求書", "파일", "ค้นหา", "खोज", "qqzx", "2026-01-01", "#42", "a@b.example",
}

func words(most int) *rapid.Generator[string] {
	word := rapid.OneOf(rapid.SampledFrom(someWords), rapid.SampledFrom(someWords), rapid.StringMatching(`[a-zà-ž]{1,9}`), rapid.StringN(0, 4, -1))
	return rapid.Map(rapid.SliceOfN(word, 0, most), func(list []string) string { return strings.Join(list, " ") })
}

// tools are documents as servers have them, odd ones among them.
var tools = rapid.Custom(func(t *rapid.T) Document {
	separator := rapid.SampledFrom([]string{"_", "_", "-", ".", "/", " ", ""}).Draw(t, "separator")
	d := Document{
		Name:        strings.ReplaceAll(words(3).Draw(t, "name"), " ", separator),
		Source:      rapid.SampledFrom([]string{"", "mail", "mail", "billing", "請求"}).Draw(t, "source"),
		Description: words(8).Draw(t, "description"),
		Pinned:      rapid.IntRange(0, 9).Draw(t, "pinned") == 9,
	}
	if rapid.Bool().Draw(t, "source in the name") {
		d.Name = d.Source + separator + d.Name
	}
	if rapid.IntRange(0, 3).Draw(t, "more") == 3 {
		d.Title = words(3).Draw(t, "title")
		d.Aliases = rapid.SliceOfN(words(2), 0, 2).Draw(t, "aliases")
		for range rapid.IntRange(0, 3).Draw(t, "parameters") {
			d.Parameters = append(d.Parameters, Parameter{Name: words(2).Draw(t, "parameter"), Description: words(4).Draw(t, "its description"),
				Enum: rapid.SliceOfN(words(1), 0, 2).Draw(t, "its values")})
		}
	}
	return d
})

// catalogs have distinct names, as listings do.
func catalogs(least, most int) *rapid.Generator[[]Document] {
	return rapid.SliceOfNDistinct(tools, least, most, func(d Document) string { return d.Name })
}

// alike are catalogs of documents that differ in nothing but their names.
func alike200() *rapid.Generator[[]Document] {
	return rapid.Map(words(6), func(description string) []Document {
		docs := make([]Document, 200)
		for i := range docs {
			docs[i] = Document{Name: fmt.Sprintf("tool_%03d", (i*77)%200), Description: description}
		}
		return docs
	})
}

// queries are questions to a catalog: names, parts of them, words of the
// descriptions, other words, sometimes nothing and sometimes very much of it.
func queries(docs []Document) *rapid.Generator[Query] {
	return rapid.Custom(func(t *rapid.T) Query {
		var parts []string
		for range rapid.IntRange(0, 5).Draw(t, "parts") {
			part := words(3).Draw(t, "words")
			if len(docs) > 0 && rapid.Bool().Draw(t, "of a tool") {
				d := rapid.SampledFrom(docs).Draw(t, "tool")
				part = rapid.SampledFrom([]string{d.Name, strings.ToUpper(d.Name), cut(d.Name, 5), d.Description, cut(d.Description, 12), d.Source}).Draw(t, "text")
			}
			parts = append(parts, part)
		}
		q := Query{Text: strings.Join(parts, " "), Limit: rapid.IntRange(-2, 20).Draw(t, "limit")}
		if rapid.IntRange(0, 19).Draw(t, "length") == 19 {
			q.Text = strings.Repeat(q.Text+" ", 1+100_000/(1+len(q.Text)))
		}
		if m := rapid.IntRange(1, 4).Draw(t, "kept"); m > 1 {
			q.Keep = func(doc int) bool { return doc%m == 0 }
		}
		return q
	})
}

// sample are some questions, the same ones every time.
func sample(docs []Document, n int) []Query {
	all := make([]Query, n)
	for i := range all {
		all[i] = queries(docs).Example(i)
	}
	return all
}

// edited are catalogs that come out of docs by a few changes, as a server's
// listing does when it is repeated.
func edited(docs []Document) *rapid.Generator[[]Document] {
	return rapid.Custom(func(t *rapid.T) []Document {
		now := slices.Clone(docs)
		for range rapid.IntRange(0, 3).Draw(t, "edits") {
			now = edit(t, now)
		}
		return now
	})
}

func edit(t *rapid.T, docs []Document) []Document {
	if len(docs) == 0 {
		return append(docs, tools.Draw(t, "tool"))
	}
	at := rapid.IntRange(0, len(docs)-1).Draw(t, "at")
	switch rapid.SampledFrom([]string{"reword", "replace", "insert", "append", "delete", "move", "pin", "repeat"}).Draw(t, "edit") {
	case "reword":
		docs[at].Description = words(8).Draw(t, "description")
	case "replace":
		docs[at] = tools.Draw(t, "tool")
	case "insert":
		return slices.Insert(docs, at, tools.Draw(t, "tool"))
	case "append":
		return append(docs, tools.Draw(t, "tool"))
	case "delete":
		return slices.Delete(docs, at, at+1)
	case "move":
		d := docs[at]
		docs = slices.Delete(docs, at, at+1)
		return slices.Insert(docs, rapid.IntRange(0, len(docs)).Draw(t, "to"), d)
	case "pin":
		docs[at].Pinned = !docs[at].Pinned
	case "repeat":
		return slices.Insert(docs, rapid.IntRange(0, len(docs)).Draw(t, "beside"), docs[at])
	}
	return docs
}
