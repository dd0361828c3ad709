package search

import (
	"slices"
	"sort"

	"mcp-toolsearch/search/text"
)

// changes say how a list of documents comes out of that of another index.
type changes struct {
	docs  []Document
	from  []int32 // document -> its place in the other index; less than 0: it is new, and ^from the place it comes before
	to    []int32 // the other's document -> its place now; -1: it is gone
	added []int32 // new documents, in order
	gone  []int32 // the other's documents that are gone, in order
	moved bool    // a document that stays has another place
}

// maxSkipped bounds how many documents in a row are taken for gone because one
// that stands behind them comes next: one that was moved to the front is new
// instead.
const maxSkipped = 64

// changesOf finds what base has of docs. Documents that stay keep their order;
// one that was moved is gone and new.
func changesOf(base *Index, docs []Document) changes {
	c := changes{docs: docs, from: make([]int32, len(docs)), to: make([]int32, len(base.docs))}
	next := 0 // in base
	skip := func(until int) {
		for ; next < until; next++ {
			c.to[next] = -1
			c.gone = append(c.gone, int32(next))
		}
	}
	for i := range docs {
		at := base.placeOf(&docs[i], next)
		if at < 0 {
			c.from[i] = ^int32(next)
			c.added = append(c.added, int32(i))
			if next < len(base.docs) && base.docs[next].Name == docs[i].Name {
				skip(next + 1) // it was replaced
			}
			continue
		}
		skip(at)
		c.from[i], c.to[at] = int32(at), int32(i)
		c.moved = c.moved || at != i
		next++
	}
	skip(len(base.docs))
	return c
}

// placeOf returns where ix has d, at or soon after from, or -1.
func (ix *Index) placeOf(d *Document, from int) int {
	if from >= len(ix.docs) {
		return -1
	}
	if sameContent(&ix.docs[from], d) {
		return from
	}
	for _, at := range ix.exact.byKey[text.NameKey(d.Name)] {
		if int(at) > from && int(at) <= from+maxSkipped && sameContent(&ix.docs[at], d) {
			return int(at)
		}
	}
	return -1
}

// sameContent says whether two documents read alike.
func sameContent(a, b *Document) bool {
	return a.Name == b.Name && a.Source == b.Source && a.Title == b.Title && a.Description == b.Description &&
		slices.Equal(a.Aliases, b.Aliases) && sameParameters(a.Parameters, b.Parameters)
}

func sameParameters(a, b []Parameter) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 || &a[0] == &b[0] {
		return true
	}
	for i := range a {
		if a[i].Name != b[i].Name || a[i].Description != b[i].Description || !slices.Equal(a[i].Enum, b[i].Enum) {
			return false
		}
	}
	return true
}

// carried gives a list of the other index's documents as they are numbered now,
// without those that are gone.
func (c *changes) carried(docs []int32) []int32 {
	out := make([]int32, 0, len(docs))
	for _, d := range docs {
		if now := c.to[d]; now >= 0 {
			out = append(out, now)
		}
	}
	return out
}

// sameNames says whether every document has the name that the other index has
// in its place.
func (c *changes) sameNames(before, now []string) bool {
	if c.moved || len(before) != len(now) {
		return false
	}
	for _, d := range c.added {
		if before[d] != now[d] {
			return false
		}
	}
	return true
}

// mergeSorted returns what is in sorted and in more, in order.
func mergeSorted(sorted, more []int32, before func(a, b int32) bool) []int32 {
	if len(more) == 0 {
		return sorted
	}
	more = slices.Clone(more)
	slices.SortFunc(more, func(a, b int32) int {
		if before(a, b) {
			return -1
		}
		return 1
	})
	if len(sorted) == 0 {
		return more
	}
	out := make([]int32, 0, len(sorted)+len(more))
	from := 0
	for _, m := range more {
		n := sort.Search(len(sorted)-from, func(i int) bool { return before(m, sorted[from+i]) })
		out = append(append(out, sorted[from:from+n]...), m)
		from += n
	}
	return append(out, sorted[from:]...)
}
