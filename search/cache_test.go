package search

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
)

func TestEachDocumentIsReadOnce(t *testing.T) {
	e := &letters{}
	o := Options{Embedder: e, Cache: NewCache(0)}
	docs := madeUp(200)
	one := Build(docs, o)
	first := e.count()
	two := Build(docs, o)
	if n := e.count() - first; n != 0 {
		t.Errorf("%d texts were embedded again", n)
	}
	if !reflect.DeepEqual(one.posts, two.posts) || !reflect.DeepEqual(one.vectors.pages, two.vectors.pages) {
		t.Error("an index out of the cache is another one")
	}
	docs = slices.Clone(docs)
	docs[3].Description = "another text"
	docs[4].Parameters = append(docs[4].Parameters, Parameter{Name: "another"})
	Build(docs, o)
	// Two documents, each with a few texts and words of its own.
	if n := e.count() - first; n == 0 || n > 100 {
		t.Errorf("%d texts were embedded for two changed documents", n)
	}
	if n := o.Cache.Len(); n != 202 {
		t.Errorf("%d documents remembered, want 202", n)
	}
}

func TestDocumentsThatOnlyLookAlikeAreReadApart(t *testing.T) {
	docs := []Document{
		{Name: "ab"}, {Name: "a", Source: "b"}, {Name: "a", Title: "b"}, {Name: "a", Description: "b"}, {Name: "a", Aliases: []string{"b"}},
		{Name: "a", Aliases: []string{"", "b"}}, {Name: "a", Parameters: []Parameter{{Name: "b"}}}, {Name: "a", Parameters: []Parameter{{Description: "b"}}},
		{Name: "a", Parameters: []Parameter{{Enum: []string{"b"}}}}, {Name: "a", Parameters: []Parameter{{}, {Name: "b"}}},
	}
	seen := map[contentKey]int{}
	for i := range docs {
		for _, e := range []Embedder{nil, &letters{}} {
			k := keyOf(&docs[i], e)
			if before, ok := seen[k]; ok {
				t.Errorf("documents %d and %d have one key", before, i)
			}
			seen[k] = i
		}
	}
}

func TestTheCacheIsBoundedAndForgetsTheLongestUnused(t *testing.T) {
	one := (&reading{}).remembered()
	c := NewCache(10 * one)
	reads := 0
	get := func(n int) {
		c.reading(&Document{Name: fmt.Sprint(n)}, nil, func() *reading { reads++; return &reading{} })
	}
	for n := range 100 {
		get(0)
		get(n)
		if c.Len() > 10 {
			t.Fatalf("%d documents remembered, at most 10", c.Len())
		}
	}
	if reads != 100 {
		t.Errorf("%d readings, want one each: what is asked for stays", reads)
	}
	if get(1); reads != 101 {
		t.Error("the longest unused document was remembered")
	}
	c.reading(&Document{Name: "large"}, nil, func() *reading { return &reading{fresh: 100 * one} })
	if get(1000); c.Len() > 12 {
		t.Errorf("%d documents are remembered beside one as large as 100", c.Len())
	}
	if get(1001); c.Len() > 7 {
		t.Errorf("%d documents are remembered after one as large as 100", c.Len())
	}
	var none *Cache
	if r := none.reading(&docsOf1[0], nil, func() *reading { return &reading{} }); r == nil {
		t.Error("no cache gives no reading")
	}
}

var docsOf1 = []Document{{Name: "a"}}

func TestBuildsAtOnceShareTheirWork(t *testing.T) {
	e := &letters{}
	o := Options{Embedder: e, Cache: NewCache(0)}
	docs := madeUp(100)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { Build(docs, o) })
	}
	wg.Wait()
	for text, times := range e.texts {
		if len(text) > 60 && times > 1 { // words are embedded by each reader, whole texts once
			t.Errorf("%q was embedded %d times", text, times)
		}
	}
}
