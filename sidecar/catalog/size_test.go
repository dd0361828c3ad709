package catalog

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"testing"

	"mcp-toolsearch/internal/evalcatalog"
	defaultmodel "mcp-toolsearch/model/default"
	"mcp-toolsearch/search"
	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/upstream"
)

// listings of one kind, each with a word of its own in every tool.
type listings func(call int) [][]byte

func tenants(definitions [][]byte) listings {
	return func(call int) [][]byte {
		all := make([][]byte, len(definitions))
		for i, d := range definitions {
			all[i] = bytes.Replace(d, []byte(`"description":"`), fmt.Appendf(nil, `"description":"tenant%dx `, call), 1)
		}
		return all
	}
}

func generated(n int) [][]byte {
	var all [][]byte
	for _, tool := range evalcatalog.Generate(n, 1) {
		all = append(all, tool.Definition())
	}
	return all
}

// strange are tools of which each has words that no other has.
func strange(n int) [][]byte {
	var all [][]byte
	for i := range n {
		var text []byte
		for j := range 30 {
			text = fmt.Appendf(text, "%c%c%cx%c%c ", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+j%26, 'a'+j/26)
		}
		all = append(all, fmt.Appendf(nil, `{"name":"tool_%d","description":"%s","inputSchema":{"type":"object"}}`, i, text))
	}
	return all
}

// wide are tools whose schemas are long and say little.
func wide(n int) [][]byte {
	var all [][]byte
	for i := range n {
		var properties []byte
		for j := range 300 {
			properties = fmt.Appendf(properties, `,"p%d":{"type":"string","pattern":"^[a-z]{%d}$","minLength":3}`, j, j)
		}
		all = append(all, fmt.Appendf(nil, `{"name":"tool_%d","description":"x","inputSchema":{"type":"object","properties":{%s}}}`, i, properties[1:]))
	}
	return all
}

// heapInUse is what is reachable.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // what the first one put into pools' second generation
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestTheEstimateIsWhatCatalogsTake holds the estimate against the heap's growth by 20 catalogs.
func TestTheEstimateIsWhatCatalogsTake(t *testing.T) {
	model, err := defaultmodel.Load()
	if err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]struct {
		tools    [][]byte
		embedder search.Embedder
	}{
		"usual tools":                    {generated(100), model},
		"usual tools, words alone":       {generated(100), nil},
		"tools with words of their own":  {strange(50), model},
		"tools with long schemas":        {wide(10), model},
		"tools of which little is known": {named("a", "b", "c", "d", "e", "f", "g", "h", "i", "j"), model},
	} {
		t.Run(name, func(t *testing.T) {
			make := tenants(kind.tools)
			cache := search.NewCache(0)
			s := newStore(t, &lister{next: func(_ context.Context, call int, _ caller.Caller) (*upstream.Listing, error) {
				return &upstream.Listing{Tools: append(make(call), named(fmt.Sprint("own_", call))...)}, nil
			}}, func(o *Options) { o.Search = search.Options{Embedder: kind.embedder, Cache: cache} })
			as := identities(t)
			mustGet(t, s, as("first")) // what all catalogs share is made
			cache.Clear()
			heap, estimate := heapInUse(), s.Stats().Bytes
			for i := range 20 {
				mustGet(t, s, as(fmt.Sprint(i)))
			}
			cache.Clear()
			heap, estimate = heapInUse()-heap, s.Stats().Bytes-estimate
			if ratio := float64(estimate) / float64(heap); ratio < .75 || ratio > 1.5 {
				t.Errorf("20 catalogs take %d bytes, estimated are %d: %.2f times as much", heap, estimate, ratio)
			} else {
				t.Logf("%.2f", ratio)
			}
			runtime.KeepAlive(s)
		})
	}
}

func TestCompiledSchemasAreBoundedAndCompiledAgain(t *testing.T) {
	s := newStore(t, &lister{next: gives(wide(20))}, func(o *Options) { o.SchemaBytes = 2 << 20 })
	c := mustGet(t, s, identities(t)("a"))
	for range 2 {
		for _, tool := range c.Tools() {
			if compiled, err := tool.Schema(); err != nil || compiled == nil {
				t.Fatalf("%s: %v", tool.Name, err)
			}
			if kept := s.builds.schemas; kept.bytes > 2<<20 || kept.kept.Len() == 0 {
				t.Fatalf("%d bytes in %d schemas are remembered", kept.bytes, kept.kept.Len())
			}
		}
	}
	last := c.Tools()[19]
	if one, _ := last.Schema(); s.builds.schemas.get(last.schema) != one {
		t.Error("the last one was not remembered")
	}
	if s.Shrink(1); s.builds.schemas.bytes != 0 {
		t.Errorf("%d bytes are remembered when memory is short", s.builds.schemas.bytes)
	}
}
