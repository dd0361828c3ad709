package catalog

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mcp-toolsearch/search"
	"mcp-toolsearch/sidecar/overlay"
)

// toolObject is a tool as a server lists it, or something that is none.
var toolObject = rapid.Custom(func(t *rapid.T) []byte {
	name := rapid.SampledFrom([]string{"mail_send", "mail_find", "files_list", "files_move", "clock", "weather__now"}).Draw(t, "name")
	if rapid.Bool().Draw(t, "numbered") {
		name = fmt.Sprintf("%s_%d", name, rapid.IntRange(0, 20).Draw(t, "number"))
	}
	text := rapid.SampledFrom([]string{"", "Send a mail.", "Finds files by name.", "What time it is.", "Move a file to another folder."}).Draw(t, "description")
	schema := rapid.SampledFrom([]string{`{"type":"object"}`, `{"type":"object","properties":{"q":{"type":"string","description":"what to look for"}},"required":["q"]}`,
		`{"type":"object","properties":{"q":{"type":"string","x-mcp-header":"not a name"}}}`, `"none"`}).Draw(t, "schema")
	hints := rapid.SampledFrom([]string{"", `,"annotations":{"readOnlyHint":true}`, `,"annotations":{"destructiveHint":true}`}).Draw(t, "hints")
	return fmt.Appendf(nil, `{"name":%q,"description":%q,"inputSchema":%s%s}`, name, text, schema, hints)
})

// TestAListingBesideAnEarlierOneIsTheSame: what is known from before saves work
// and changes nothing.
func TestAListingBesideAnEarlierOneIsTheSame(t *testing.T) {
	o := search.Options{Cache: search.NewCache(0)}
	r := rules{read: newGlobs([]string{"clock*"}), overlay: &overlay.Overlay{}}
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(toolObject, 0, 40).Draw(t, "listing")
		before := build(compared(raw, nil), r, o, nil)
		for range 3 {
			again := slices.Clone(raw)
			for range rapid.IntRange(0, 3).Draw(t, "edits") {
				at := rapid.IntRange(0, len(again)).Draw(t, "at")
				if rapid.Bool().Draw(t, "insert") || at == len(again) {
					again = slices.Insert(again, at, toolObject.Draw(t, "tool"))
				} else {
					again = slices.Delete(again, at, at+1)
				}
			}
			beside := build(compared(again, before), r, o, nil)
			checkSame(t, build(compared(again, nil), r, o, nil), beside)
			raw, before = again, beside
		}
	})
}

func checkSame(t *rapid.T, alone, beside *body) {
	t.Helper()
	if alone.fingerprint != beside.fingerprint || alone.dropped != beside.dropped || !slices.Equal(alone.sources, beside.sources) {
		t.Errorf("beside an earlier listing: %s %+v %v, alone: %s %+v %v", beside.fingerprint, beside.dropped, beside.sources,
			alone.fingerprint, alone.dropped, alone.sources)
	}
	if len(alone.tools) != len(beside.tools) {
		t.Fatalf("%d tools beside an earlier listing, %d alone", len(beside.tools), len(alone.tools))
	}
	for i := range alone.tools {
		a, b := *alone.tools[i], *beside.tools[i]
		a.schema, b.schema = nil, nil
		if !reflect.DeepEqual(a, b) {
			t.Errorf("tool %d is %+v beside an earlier listing, %+v alone", i, b, a)
		}
	}
	for _, q := range []string{"send a mail", "files", "what time", "weather__now"} {
		found, want := beside.search(SearchQuery{Text: q}), alone.search(SearchQuery{Text: q})
		if !slices.EqualFunc(found.Hits, want.Hits, func(a, b SearchHit) bool { return a.Tool.Name == b.Tool.Name && a.Score == b.Score }) {
			t.Errorf("%q finds something else beside an earlier listing", q)
		}
	}
}

func TestAToolThatIsListedAgainIsNotReadAgain(t *testing.T) {
	old := build(compared(named("a", "b", "c", "d", "e", "f"), nil), rules{}, search.Options{}, nil)
	for name, tc := range map[string]struct {
		listed []string
		read   int
	}{
		"the same":            {[]string{"a", "b", "c", "d", "e", "f"}, 0},
		"one is another":      {[]string{"a", "b", "x", "d", "e", "f"}, 1},
		"one more in front":   {[]string{"x", "a", "b", "c", "d", "e", "f"}, 1},
		"one less in front":   {[]string{"b", "c", "d", "e", "f"}, 1}, // nobody looks for a single one
		"two others in a row": {[]string{"a", "x", "y", "d", "e", "f"}, 2},
		"another order":       {[]string{"f", "e", "d", "c", "b", "a"}, 1},
		"all others":          {[]string{"u", "v", "w"}, 3},
		"more at the end":     {[]string{"a", "b", "c", "d", "e", "f", "g", "h"}, 2},
		"nothing":             {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			now := build(compared(named(tc.listed...), old), rules{}, search.Options{}, nil)
			known := map[*lazySchema]bool{}
			for _, tool := range old.tools {
				known[tool.schema] = true
			}
			read := 0
			for i, tool := range now.tools {
				if !known[tool.schema] {
					read++
				}
				if tool.Name != tc.listed[i] {
					t.Errorf("tool %d is %s, want %s", i, tool.Name, tc.listed[i])
				}
			}
			if read != tc.read {
				t.Errorf("%d tools were read, want %d", read, tc.read)
			}
		})
	}
}

// BenchmarkRelist judges and indexes 5,000 listed tools of which three are
// others than before, without the time of the listing itself.
func BenchmarkRelist(b *testing.B) {
	raw := make([][]byte, 5_000)
	tool := func(i int, text string) []byte {
		return fmt.Appendf(nil, `{"name":"server%d_%s_%d","description":"Case %d of its kind: %s. Use it when the identifier is known; it returns what was found as text.","inputSchema":{"type":"object","properties":{"id":{"type":"string","description":"The identifier, as the list shows it."},"kind":{"type":"string","enum":["open","closed"]}},"required":["id"]},"annotations":{"readOnlyHint":true}}`,
			i/40, []string{"create", "list", "get", "delete"}[i%4], i, i%977, text)
	}
	for i := range raw {
		raw[i] = tool(i, "as it was")
	}
	o := search.Options{Cache: search.NewCache(0)}
	before := build(compared(raw, nil), rules{}, o, nil)
	again := func(n int) [][]byte {
		now := slices.Clone(raw)
		for _, at := range []int{700, 2_500, 4_900} {
			now[at] = tool(at, fmt.Sprintf("changed the %dth time", n))
		}
		return now
	}
	b.Run("beside the listing before", func(b *testing.B) {
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			before = build(compared(again(n), before), rules{}, o, nil)
		}
	})
	b.Run("by itself, out of the cache of search", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			build(compared(again(n), nil), rules{}, o, nil)
		}
	})
}
