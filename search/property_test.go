package search

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

// randomQueries mixes words and names of docs with words of no document.
func randomQueries(docs []Document, n int) []Query {
	r := rand.New(rand.NewPCG(5, 6))
	queries := make([]Query, n)
	for i := range queries {
		var words []string
		for range 1 + r.IntN(6) {
			d := docs[r.IntN(len(docs))]
			switch r.IntN(4) {
			case 0:
				words = append(words, d.Name)
			case 1:
				parts := strings.Split(d.Name, "_")
				words = append(words, parts[r.IntN(len(parts))])
			case 2:
				parts := strings.Fields(d.Description)
				words = append(words, parts[r.IntN(len(parts))])
			case 3:
				words = append(words, []string{"mail", "šventė", "天気予報", "qqqq", "ship"}[r.IntN(5)])
			}
		}
		queries[i] = Query{Text: strings.Join(words, " "), Limit: r.IntN(20) - 2}
		if m := 1 + r.IntN(4); m > 1 {
			queries[i].Keep = func(doc int) bool { return doc%m == 0 }
		}
	}
	return queries
}

// sides are the ways to build an index that every promise holds for.
func sides(t testing.TB) map[string]Options {
	return map[string]Options{
		"words alone":          {},
		"with the model":       {Embedder: embedded(t), Cache: NewCache(0)},
		"with strange vectors": {Embedder: &letters{}},
	}
}

func TestEveryResultKeepsThePromises(t *testing.T) {
	docs := madeUp(400)
	for i := range docs {
		docs[i].Pinned = i%50 == 7
	}
	for name, o := range sides(t) {
		t.Run(name, func(t *testing.T) {
			ix := Build(docs, o)
			for _, q := range randomQueries(docs, 300) {
				checkPromises(t, ix, q, ix.Search(q))
				if t.Failed() {
					t.Fatalf("the query was %q, limit %d", q.Text, q.Limit)
				}
			}
		})
	}
}

// checkPromises checks what holds for every query: the limit, the filter, pins
// first, the order, reasons that add up, near terms only without hits.
func checkPromises(t *testing.T, ix *Index, q Query, r Result) {
	t.Helper()
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	pins := 0
	seen := map[int]bool{}
	for i, h := range r.Hits {
		if seen[h.Doc] {
			t.Errorf("document %d comes twice", h.Doc)
		}
		seen[h.Doc] = true
		if q.Keep != nil && !q.Keep(h.Doc) {
			t.Errorf("document %d is not kept and was found", h.Doc)
		}
		if h.Exact {
			pins++
			if pins != i+1 {
				t.Errorf("hit %d is named exactly and stands behind one that is not", i)
			}
		} else if i > pins {
			checkOrder(t, ix, r.Hits[i-1], h)
		}
		checkWhy(t, h)
	}
	if len(r.Hits) > max(limit, pins) {
		t.Errorf("%d hits, %d of them pinned, limit %d", len(r.Hits), pins, limit)
	}
	if len(r.Hits) > 0 && r.NearTerms != nil || len(r.NearTerms) > MaxNear {
		t.Errorf("%d near terms beside %d hits", len(r.NearTerms), len(r.Hits))
	}
}

func checkOrder(t *testing.T, ix *Index, before, after Hit) {
	t.Helper()
	key := func(h Hit) float64 {
		if ix.pinned[h.Doc] {
			return h.Score * PinReach
		}
		return h.Score
	}
	if key(before) < key(after)*(1-twinAlike-1e-6) || before.Score == after.Score && ix.pinned[before.Doc] == ix.pinned[after.Doc] && ix.sources[before.Doc] == ix.sources[after.Doc] && ix.names[before.Doc] > ix.names[after.Doc] {
		t.Errorf("%q (%g) stands before %q (%g)", ix.names[before.Doc], before.Score, ix.names[after.Doc], after.Score)
	}
}

func checkWhy(t *testing.T, h Hit) {
	t.Helper()
	sum := 0.0
	for _, reason := range h.Why {
		sum += reason.Score
	}
	if len(h.Why) == 0 || math.Abs(sum-h.Score) > 1e-4*(1+h.Score) {
		t.Errorf("reasons %+v add up to %g, the score is %g", h.Why, sum, h.Score)
	}
	if !h.Exact && h.Score <= 0 {
		t.Errorf("document %d has score %g and was found", h.Doc, h.Score)
	}
}

func TestEqualIndexesGiveEqualResults(t *testing.T) {
	docs := madeUp(400)
	for name, o := range sides(t) {
		one, other := Build(docs, o), Build(docs, o) // the other out of the cache, where there is one
		for _, q := range randomQueries(docs, 100) {
			a, b := one.Search(q), other.Search(q)
			if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(a, one.Search(q)) {
				t.Fatalf("%s: %q gave %+v, then %+v", name, q.Text, a, b)
			}
			if !slices.Equal(one.Near(q.Text), other.Near(q.Text)) {
				t.Fatalf("%s: near %q differ", name, q.Text)
			}
		}
	}
}

// TestTheOrderOfDocumentsDoesNotMatter: the same names in the same order, with
// the same scores, whichever way round the documents came.
func TestTheOrderOfDocumentsDoesNotMatter(t *testing.T) {
	docs := madeUp(300)
	turned := slices.Clone(docs)
	slices.Reverse(turned)
	for name, o := range sides(t) {
		one, other := Build(docs, o), Build(turned, o)
		for _, q := range randomQueries(docs, 100) {
			q.Keep = nil
			a, b := one.Search(q).Hits, other.Search(q).Hits
			if x, y := namesOf(one, a), namesOf(other, b); !slices.Equal(x, y) {
				t.Fatalf("%s: %q gave %v, then %v", name, q.Text, x, y)
			}
		}
	}
}

func TestConcurrentSearchesEqualSingleOnes(t *testing.T) {
	docs := madeUp(400)
	ix := Build(docs, Options{Embedder: embedded(t)})
	queries := randomQueries(docs, 60)
	want := make([]Result, len(queries))
	for i, q := range queries {
		want[i] = ix.Search(q)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i, q := range queries {
				if !reflect.DeepEqual(ix.Search(q), want[i]) {
					t.Errorf("%q gave another result beside other searches", q.Text)
				}
				ix.Near(q.Text)
			}
		})
	}
	wg.Wait()
}

// TestSearchLeavesNoTrace: scratch memory goes back clean, also for a query
// whose filter refuses everything.
func TestSearchLeavesNoTrace(t *testing.T) {
	docs := madeUp(200)
	ix := Build(docs, Options{Embedder: embedded(t)})
	ix.Search(Query{Text: "create invoice " + docs[3].Name, Keep: func(int) bool { return false }})
	ix.Search(Query{Text: "create invoice " + docs[3].Name})
	s := ix.pool.Get().(*scratch)
	for d := range docs {
		if s.score[d] != 0 || s.name[d] != 0 || s.best[d] != 0 || s.inName[d] != 0 {
			t.Fatalf("document %d keeps a trace: %g %g %g %g", d, s.score[d], s.name[d], s.best[d], s.inName[d])
		}
	}
	if len(s.touched)+len(s.pinned)+len(s.isPin) != 0 {
		t.Errorf("%d touched, %d pinned left", len(s.touched), len(s.pinned))
	}
}
