package search

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// sides are the ways to build an index that every promise holds for.
func sides(t testing.TB) map[string]Options {
	return map[string]Options{
		"words alone":          {},
		"with the model":       {Embedder: embedded(t), Cache: NewCache(0)},
		"with strange vectors": {Embedder: &letters{}},
	}
}

func TestEveryResultKeepsThePromises(t *testing.T) {
	for name, o := range sides(t) {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			docs := rapid.OneOf(catalogs(0, 1), catalogs(0, 25), catalogs(0, 25), alike200()).Draw(t, "tools")
			ix := Build(docs, o)
			for _, q := range rapid.SliceOfN(queries(docs), 1, 5).Draw(t, "queries") {
				r := ix.Search(q)
				checkPromises(t, ix, q, r)
				if !reflect.DeepEqual(r, ix.Search(q)) {
					t.Errorf("%q gave two results", cut(q.Text, 200))
				}
				if near := ix.Near(q.Text); len(near) > MaxNear {
					t.Errorf("%d near names", len(near))
				}
			}
		}))
	}
}

// TestAToolIsFoundByItsName: first, named exactly, whatever the limit, and only
// when it may be shown.
func TestAToolIsFoundByItsName(t *testing.T) {
	for name, o := range sides(t) {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			docs := catalogs(1, 25).Draw(t, "tools")
			at := rapid.IntRange(0, len(docs)-1).Draw(t, "asked for")
			if pieces := strings.Fields(docs[at].Name); len(pieces) != 1 || pieces[0] != docs[at].Name || keyOfName(docs[at].Name) == "" {
				t.Skip("a name with white space, or of nothing else than separators")
			}
			ix := Build(docs, o)
			if hits := ix.Search(Query{Text: docs[at].Name, Limit: 1}).Hits; len(hits) == 0 || !hits[0].Exact || hits[0].Doc != at {
				t.Errorf("%q found %v first", docs[at].Name, namesOf(ix, hits))
			}
			for _, h := range ix.Search(Query{Text: docs[at].Name, Keep: func(doc int) bool { return doc != at }}).Hits {
				if h.Doc == at {
					t.Errorf("%q is found and not kept", docs[at].Name)
				}
			}
		}))
	}
}

// checkPromises checks what holds for every query: the limit, the filter, pins
// first, the order, reasons that add up, near terms only without hits.
func checkPromises(t rapid.TB, ix *Index, q Query, r Result) {
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

func checkOrder(t rapid.TB, ix *Index, before, after Hit) {
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

func checkWhy(t rapid.TB, h Hit) {
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
	for name, o := range sides(t) {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			docs := catalogs(0, 25).Draw(t, "tools")
			one, other := Build(docs, o), Build(docs, o) // the other out of the cache, where there is one
			checkEqual(t, docs, one, other)
		}))
	}
}

// checkEqual asks two indexes the same.
func checkEqual(t *rapid.T, docs []Document, one, other *Index) {
	t.Helper()
	for _, q := range rapid.SliceOfN(queries(docs), 1, 5).Draw(t, "queries") {
		if a, b := one.Search(q), other.Search(q); !reflect.DeepEqual(a, b) {
			t.Errorf("%q gave %+v, then %+v", cut(q.Text, 200), a, b)
		}
		if a, b := one.Near(q.Text), other.Near(q.Text); !slices.Equal(a, b) {
			t.Errorf("near %q are %v, then %v", cut(q.Text, 200), a, b)
		}
	}
}

// TestAnIndexBesideAnotherIsTheSame: what is built on the index of an earlier
// listing finds the same as what is built anew, to the bit, and leaves the
// earlier one as it was, over several listings.
func TestAnIndexBesideAnotherIsTheSame(t *testing.T) {
	for name, o := range sides(t) {
		var carried atomic.Int64
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			docs := rapid.SliceOfN(tools, 12, 24).Draw(t, "tools")
			before := Build(docs, o)
			for range 3 {
				now := edited(docs).Draw(t, "listed again")
				o := o
				o.Base = before
				beside := Build(now, o)
				o.Base = nil
				checkEqual(t, now, Build(now, o), beside)
				if beside.worn > before.worn {
					carried.Add(1)
				}
				if rapid.Bool().Draw(t, "go on from it") { // or build a second one on the same
					docs, before = now, beside
					continue
				}
				checkEqual(t, docs, Build(docs, o), before)
			}
		}))
		if carried.Load() == 0 {
			t.Errorf("%s: no index was built on another", name)
		}
	}
}

// TestTheOrderOfDocumentsDoesNotMatter: the same names in the same order, with
// the same scores, whichever way round the documents came.
func TestTheOrderOfDocumentsDoesNotMatter(t *testing.T) {
	for name, o := range sides(t) {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			docs := catalogs(0, 25).Draw(t, "tools")
			turned := rapid.Permutation(docs).Draw(t, "turned")
			one, other := Build(docs, o), Build(turned, o)
			for _, q := range rapid.SliceOfN(queries(docs), 1, 5).Draw(t, "queries") {
				q.Keep = nil
				a, b := one.Search(q).Hits, other.Search(q).Hits
				if x, y := namesOf(one, a), namesOf(other, b); !slices.Equal(x, y) {
					t.Fatalf("%q gave %v, then %v", cut(q.Text, 200), x, y)
				}
			}
		}))
	}
}

func TestConcurrentSearchesEqualSingleOnes(t *testing.T) {
	docs := madeUp(400)
	ix := Build(docs, Options{Embedder: embedded(t)})
	queries := sample(docs, 60)
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

// TestListsStayInOrderWhereOneDocumentBecomesTwo: the list of a word keeps the place
// of a document that another one replaces, and takes the one behind it after it.
func TestListsStayInOrderWhereOneDocumentBecomesTwo(t *testing.T) {
	var docs []Document
	for i := range 24 {
		docs = append(docs, Document{Name: fmt.Sprintf("mail_%d", i)})
	}
	now := append(slices.Clone(docs[:23]), Document{Name: "mail_x"}, Document{Name: "mail_y"})
	ix := Build(now, Options{Base: Build(docs, Options{})})
	if ix.worn == 0 {
		t.Fatal("the index was not built on another")
	}
	for term, list := range ix.posts.lists {
		if !slices.IsSorted(list.docs) {
			t.Errorf("the documents of %q are %v", ix.lex.stems[term], list.docs)
		}
	}
}
