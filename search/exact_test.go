package search

import (
	"fmt"
	"slices"
	"testing"
)

// crowd is forty tools that repeat the words of the query, and three that are
// named by it.
func crowd() []Document {
	var docs []Document
	for i := range 40 {
		docs = append(docs, Document{
			Name:        fmt.Sprintf("graph_report_%d", i),
			Description: fmt.Sprintf("search graph trace path code query graph search report number %d", i),
		})
	}
	return append(docs,
		Document{Name: "search_graph", Description: "Look up a symbol."},
		Document{Name: "trace_path", Description: "Follow callers."},
		Document{Name: "query-code", Description: "Ask about code."},
		Document{Name: "search", Description: "Full text lookup."},
		Document{Name: "now", Description: "The time."},
		Document{Name: "Send Mail", Description: "A name with a space."},
		Document{Name: "files/read.all"},
	)
}

func namesOf(ix *Index, hits []Hit) []string {
	names := make([]string, len(hits))
	for i, h := range hits {
		names[i] = ix.names[h.Doc]
	}
	return names
}

// pinnedNames returns the names of the Exact hits, sorted.
func pinnedNames(ix *Index, hits []Hit) []string {
	var names []string
	for _, h := range hits {
		if h.Exact {
			names = append(names, ix.names[h.Doc])
		}
	}
	slices.Sort(names)
	return names
}

func TestExactNamesArePinned(t *testing.T) {
	ix := Build(crowd(), Options{})
	for _, c := range []struct {
		name, query string
		limit, hits int
		pinned      []string
	}{
		{"three names in one query are all first", "search_graph trace_path query-code", 5, 5, []string{"query-code", "search_graph", "trace_path"}},
		{"the limit does not cut named tools", "search_graph trace_path query-code", 1, 3, []string{"query-code", "search_graph", "trace_path"}},
		{"case and separators do not matter", "Query_Code", 1, 1, []string{"query-code"}},
		{"a dot is a separator too", "query.code", 1, 1, []string{"query-code"}},
		{"a name inside a sentence", "please run trace_path on main", 1, 1, []string{"trace_path"}},
		{"a name in quotes", "what does `search_graph` do?", 1, 1, []string{"search_graph"}},
		{"a name before a comma and one before a full stop", "use search_graph, then trace_path.", 1, 2, []string{"search_graph", "trace_path"}},
		{"names joined by commas alone", "search_graph,trace_path", 1, 2, []string{"search_graph", "trace_path"}},
		{"a name in a call", "trace_path(\"main\")", 1, 1, []string{"trace_path"}},
		{"a name with spaces inside a sentence", "now send mail to them", 1, 1, []string{"Send Mail"}},
		{"a name with a slash and a dot", "files/read.all", 1, 1, []string{"files/read.all"}},
		{"full-width letters fold", "ｓｅａｒｃｈ＿graph", 1, 1, []string{"search_graph"}},
		{"a name of one everyday word", "search for report number 17", 3, 3, []string{"search"}},
		{"a stop word in a sentence is not taken for a name", "which report is of now", 1, 1, nil},
		{"a stop word alone may be a name", "now", 1, 1, []string{"now"}},
		{"part of a name is no name", "graph", 3, 3, nil},
		{"words in another order are no name", "path_trace", 3, 3, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			hits := ix.Search(Query{Text: c.query, Limit: c.limit}).Hits
			if len(hits) != c.hits {
				t.Errorf("%d hits %v, want %d", len(hits), namesOf(ix, hits), c.hits)
			}
			if got := pinnedNames(ix, hits); !slices.Equal(got, c.pinned) {
				t.Errorf("pinned %v, want %v", got, c.pinned)
			}
			for i, h := range hits {
				if h.Exact != (i < len(c.pinned)) {
					t.Errorf("hit %d %s: exact %v", i, ix.names[h.Doc], h.Exact)
				}
			}
		})
	}
}

func TestAOneWordNameDoesNotBreakTheRanking(t *testing.T) {
	ix := Build(crowd(), Options{})
	hits := ix.Search(Query{Text: "search for report number 17", Limit: 2}).Hits
	if got := namesOf(ix, hits); !slices.Equal(got, []string{"search", "graph_report_17"}) {
		t.Errorf("hits %v, want the named tool, then the asked for one", got)
	}
}

func TestResultsDependOnTheQuery(t *testing.T) {
	ix := Build(crowd(), Options{})
	hits := ix.Search(Query{Text: "report number 17", Limit: 3}).Hits
	if got := namesOf(ix, hits); got[0] != "graph_report_17" {
		t.Errorf("hits %v, want graph_report_17 first", got)
	}
}

func TestTheNameSpelledLetterByLetterComesBeforeItsEquals(t *testing.T) {
	ix := Build([]Document{{Name: "get-file"}, {Name: "Get_File"}, {Name: "get.file"}}, Options{})
	for _, name := range []string{"get-file", "Get_File", "get.file"} {
		hits := ix.Search(Query{Text: "call " + name + " now", Limit: 1}).Hits
		if len(hits) != 3 || ix.names[hits[0].Doc] != name {
			t.Errorf("%q found %v, want it first and all three kept", name, namesOf(ix, hits))
		}
	}
}

func TestKeepHoldsForNamedDocumentsToo(t *testing.T) {
	ix := Build(crowd(), Options{})
	hits := ix.Search(Query{Text: "trace_path", Keep: func(doc int) bool { return ix.names[doc] != "trace_path" }}).Hits
	if got := namesOf(ix, hits); slices.Contains(got, "trace_path") || len(got) == 0 {
		t.Errorf("hits %v, want other tools only", got)
	}
}
