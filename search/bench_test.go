package search

import (
	"fmt"
	"math/rand/v2"
	"runtime"
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

// BenchmarkSearch also reports the time that 99 of 100 searches stay under, and
// where it is known the processor's time that they do: others who use the machine
// make the first longer.
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
					runtime.LockOSThread()
					defer runtime.UnlockOSThread()
					var times, used []time.Duration
					for b.Loop() {
						began, before := time.Now(), cpuTime(true)
						ix.Search(Query{Text: q.text})
						used = append(used, cpuTime(true)-before)
						times = append(times, time.Since(began))
					}
					reportP99(b, times, "p99-ns")
					reportP99(b, used, "p99-cpu-ns")
				})
			}
		}
	}
}

func reportP99(b *testing.B, times []time.Duration, unit string) {
	slices.Sort(times)
	if p99 := times[len(times)*99/100]; p99 > 0 {
		b.ReportMetric(float64(p99.Nanoseconds()), unit)
	}
}

// reportCPU reports the processors' time an operation since before.
func reportCPU(b *testing.B, before time.Duration) {
	if used := cpuTime(false) - before; used > 0 {
		b.ReportMetric(float64(used.Nanoseconds())/float64(b.N), "cpu-ns/op")
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
	whole := func(int) []Document { return slices.Clone(docs) } // an index keeps what it is given
	three := func(int) []Document { return []Document{docs[changed[0]], docs[changed[1]], docs[changed[2]]} }
	for _, c := range []struct {
		name   string
		docs   func(n int) []Document
		cached bool // builds have a cache
		based  bool // a build has the one before
	}{
		{"beside the index before", whole, true, true},
		{"beside it, one more and one fewer", func(n int) []Document { return slices.Clone(docs[n%2 : len(docs)-1+n%2]) }, true, true},
		{"out of the cache", whole, true, false},
		{"three documents alone", three, false, false},
		{"all anew", whole, false, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			o := Options{Embedder: embedder}
			if c.cached {
				o.Cache = NewCache(0)
			}
			ix := Build(c.docs(0), o)
			before := cpuTime(false)
			for n := 1; b.Loop(); n++ {
				edit(n)
				if c.based {
					o.Base = ix
				}
				ix = Build(c.docs(n), o)
			}
			reportCPU(b, before)
		})
	}
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
