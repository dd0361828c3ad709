package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// madeUp returns n tools of a made-up company's servers, the same ones for the
// same n.
func madeUp(n int) []Document {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	verbs := []string{"create", "list", "get", "update", "delete", "search", "send", "archive", "approve", "export"}
	nouns := []string{"invoice", "ticket", "employee", "parcel", "contract", "meeting", "sensor", "recipe", "flight", "report", "branch", "payment"}
	traits := []string{"status", "history", "attachment", "comment", "owner", "label", "summary", "deadline", "location", "price"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	docs := make([]Document, n)
	for i := range docs {
		verb, noun, trait := pick(verbs), pick(nouns), pick(traits)
		server := fmt.Sprintf("server%d", i/40)
		d := Document{
			Name:   fmt.Sprintf("%s_%s_%s_%s_%d", server, verb, noun, trait, i),
			Source: server,
			Description: fmt.Sprintf("%s the %s of one %s by its identifier. Use it when the %s is known; returns the %s and its %s as text. Case %d.",
				verb, trait, noun, pick(nouns), pick(traits), pick(traits), i%977),
		}
		for range 1 + r.IntN(6) {
			p := pick(traits)
			d.Parameters = append(d.Parameters, Parameter{Name: noun + "_" + p, Description: "The " + p + " of the " + pick(nouns) + ", as shown in the list."})
		}
		docs[i] = d
	}
	return docs
}

var sizes = []int{500, 5_000, 50_000}

// benchQueries are what a search takes long for: a few known words, a sentence,
// a hundred thousand words that no catalog knows, and a sentence of which the
// catalog knows no word.
var benchQueries = []struct{ kind, text string }{
	{"keywords", "create invoice comment"},
	{"sentence", "Please show me who changed the price of the contract with the parcel company last week"},
	{"pasted", pasted()},
	{"unknown", "parodyk paskutinius sąskaitų komentarus kalendoriuje prieš susitikimą"},
}

func pasted() string {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "%c%c%cvarąža ", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26)
	}
	return b.String()
}

// BenchmarkSearch also reports the time that 99 of 100 searches stay under.
func BenchmarkSearch(b *testing.B) {
	for _, n := range sizes {
		docs := madeUp(n)
		for _, side := range []string{"words", "both"} {
			var o Options
			if side == "both" {
				o.Embedder = embedded(b)
			}
			ix := Build(docs, o)
			for _, q := range benchQueries {
				b.Run(fmt.Sprintf("%s/%s/%d", side, q.kind, n), func(b *testing.B) {
					b.ReportAllocs()
					var times []time.Duration
					for b.Loop() {
						began := time.Now()
						ix.Search(Query{Text: q.text})
						times = append(times, time.Since(began))
					}
					slices.Sort(times)
					b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), "p99-ns")
				})
			}
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range sizes {
		docs := madeUp(n)
		for _, side := range []string{"words", "both"} {
			var o Options
			if side == "both" {
				o.Embedder = embedded(b)
			}
			b.Run(fmt.Sprintf("%s/%d", side, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					Build(docs, o)
				}
			})
		}
	}
}

// BenchmarkRelist builds 5,000 documents of which three are others than before:
// beside what was there, and, for comparison, out of the cache alone, the three
// alone, and all of them anew.
func BenchmarkRelist(b *testing.B) {
	docs := madeUp(5_000)
	changed := []int{700, 2_500, 4_900}
	embedder := embedded(b)
	edit := func(n int) {
		for _, at := range changed {
			docs[at].Description = fmt.Sprintf("Changed the %dth time, and longer than before: tool %d.", n, at)
		}
	}
	b.Run("beside the index before", func(b *testing.B) {
		o := Options{Embedder: embedder, Cache: NewCache(0)}
		o.Base = Build(docs, o)
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			edit(n)
			o.Base = Build(docs, o)
		}
	})
	b.Run("beside it, one more and one fewer", func(b *testing.B) {
		o := Options{Embedder: embedder, Cache: NewCache(0)}
		o.Base = Build(docs, o)
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			edit(n)
			o.Base = Build(docs[n%2:len(docs)-1+n%2], o)
		}
	})
	b.Run("out of the cache", func(b *testing.B) {
		o := Options{Embedder: embedder, Cache: NewCache(0)}
		Build(docs, o)
		for n := 0; b.Loop(); n++ {
			edit(n)
			Build(docs, o)
		}
	})
	b.Run("three documents alone", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			edit(n)
			Build([]Document{docs[700], docs[2_500], docs[4_900]}, Options{Embedder: embedder})
		}
	})
	b.Run("all anew", func(b *testing.B) {
		for b.Loop() {
			Build(docs, Options{Embedder: embedder})
		}
	})
}

func BenchmarkNear(b *testing.B) {
	for _, n := range sizes {
		ix := Build(madeUp(n), Options{})
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				ix.Near("server3_creat_invoise_comment")
			}
		})
	}
}
