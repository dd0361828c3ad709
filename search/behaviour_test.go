package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// office is a small catalog of made-up servers.
func office() []Document {
	id := []Parameter{{Name: "id", Description: "Identifier."}}
	return []Document{
		{Name: "gmail-message_send", Source: "gmail", Description: "Send an email to one or more people."},
		{Name: "gmail-thread_list", Source: "gmail", Description: "List threads, newest first; may be limited to unread ones."},
		{Name: "gmail-thread_get", Source: "gmail", Description: "One thread with its messages.", Parameters: id},
		{Name: "gmail-label_create", Source: "gmail", Description: "Make a label."},
		{Name: "gmail-draft_create", Source: "gmail", Description: "Write a draft."},
		{Name: "calendar-event_create", Source: "calendar", Description: "Put an event into a calendar."},
		{Name: "calendar-event_list", Source: "calendar", Description: "Events between two days."},
		{Name: "web-navigate", Source: "web", Description: "Open a page in the browser."},
		{Name: "web-screenshot", Source: "web", Description: "Picture of the page in the browser."},
		{Name: "wiki-page_create", Source: "wiki", Description: "Write a page of the wiki."},
		{Name: "pager_getOncallUsers", Source: "pager", Description: "Who carries the pager."},
		{Name: "repo_branch_create", Source: "repo", Description: "Start a branch in a repository."},
		{Name: "repo_webhook_list", Source: "repo", Description: "GitHub and GitLab hooks."},
		{Name: "sąskaitos_išrašymas", Source: "apskaita", Description: "Išrašo sąskaitą klientui už suteiktas paslaugas."},
		{Name: "tenki", Source: "weather", Description: "東京の天気予報を調べる。"},
		{Name: "agahat", Source: "thai", Description: "ค้นหาสภาพอากาศวันนี้"},
		{Name: "pogoda", Source: "weather", Description: "Прогноз погоды на неделю."},
		{Name: "no_description_here"},
	}
}

func TestSearchFinds(t *testing.T) {
	ix := Build(office(), Options{})
	for _, c := range []struct{ name, query, first string }{
		{"the words of a name", "gmail message send", "gmail-message_send"},
		{"the product and what to do with it", "send gmail email", "gmail-message_send"},
		{"a plural and an adjective", "list gmail threads unread", "gmail-thread_list"},
		{"what to do, on what, when", "create calendar event tomorrow", "calendar-event_create"},
		{"a sentence with polite words around", "Could you please help me create a new branch for this?", "repo_branch_create"},
		{"a synonym", "remove nothing, just visit a website", "web-navigate"},
		{"a misspelling", "clendar evnet list", "calendar-event_list"},
		{"swapped letters", "scerenshot", "web-screenshot"},
		{"two words that the name has as one", "who is on call", "pager_getOncallUsers"},
		{"a hyphen where the text has none", "web-hook", "repo_webhook_list"},
		{"a hyphen where the query has none", "e-mail sending", "gmail-message_send"},
		{"the inside of a camelCase name", "oncall users", "pager_getOncallUsers"},
		{"a camelCase query", "createBranch", "repo_branch_create"},
		{"a word with accents folded", "saskaitos israsymas", "sąskaitos_išrašymas"},
		{"another ending of a Lithuanian word", "išrašyk sąskaitas klientams", "sąskaitos_išrašymas"},
		{"Japanese without spaces", "天気予報", "tenki"},
		{"Thai without spaces", "อากาศ", "agahat"},
		{"another ending of a Russian word", "прогнозы", "pogoda"},
		{"capitals and full width", "ＷＥＢ ＮＡＶＩＧＡＴＥ", "web-navigate"},
		{"a Spanish word close to the English one", "evento calendario", "calendar-event_create"},
		{"only stop words that are in a name", "no here", "no_description_here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			hits := ix.Search(Query{Text: c.query}).Hits
			if got := namesOf(ix, hits); len(got) == 0 || got[0] != c.first {
				t.Errorf("%q found %v, want %s first", c.query, got, c.first)
			}
		})
	}
}

func TestAWordInsideANameWordCounts(t *testing.T) {
	ix := Build(office(), Options{})
	hits := ix.Search(Query{Text: "mail", Limit: 5}).Hits
	for _, name := range namesOf(ix, hits) {
		if !strings.HasPrefix(name, "gmail-") {
			t.Errorf("mail found %s among the first five", name)
		}
	}
	if len(hits) != 5 {
		t.Errorf("mail found %d tools, want the five of gmail", len(hits))
	}
	if short := ix.Search(Query{Text: "cal"}).Hits; len(short) != 0 {
		t.Errorf("three letters inside a name found %v, want nothing", namesOf(ix, short))
	}
}

func TestNonsenseFindsNothingAndOffersNearTerms(t *testing.T) {
	ix := Build(office(), Options{})
	for _, c := range []struct {
		name, query string
		near        []string
	}{
		{"words like no other", "zzqx vvrk", nil},
		{"three words of no language", "xyzzy plugh qqq", nil},
		{"nothing", "", nil},
		{"white space and punctuation", " \t\n—!?… ", nil},
		{"stop words alone", "what is this", nil},
		{"invalid bytes", "\xff\xfe\x00", nil},
		{"a word too far for a misspelling", "brunchs", []string{"branch"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := ix.Search(Query{Text: c.query})
			if len(r.Hits) != 0 {
				t.Errorf("%q found %v, want nothing", c.query, namesOf(ix, r.Hits))
			}
			if !slices.Equal(r.NearTerms, c.near) {
				t.Errorf("near terms %q, want %q", r.NearTerms, c.near)
			}
		})
	}
}

func TestWhySaysWhichWordWhere(t *testing.T) {
	ix := Build(office(), Options{})
	why := ix.Search(Query{Text: "mail unread"}).Hits[0].Why
	if len(why) != 2 {
		t.Fatalf("why %+v, want two reasons", why)
	}
	got := map[string]string{why[0].Word: why[0].Field, why[1].Word: why[1].Field}
	if got["gmail"] != "name" || got["unread"] != "description" {
		t.Errorf("why %+v, want gmail in the name and unread in the description", why)
	}
}

func TestOddCatalogs(t *testing.T) {
	same := make([]Document, 200)
	for i := range same {
		same[i] = Document{Name: fmt.Sprintf("tool_%03d", 199-i), Description: "Does the very same as all others."}
	}
	bare := []Document{{Name: "alpha_one"}, {Name: "beta"}, {Name: ""}, {Name: "---"}}
	for _, c := range []struct {
		name  string
		docs  []Document
		query string
		want  []string
	}{
		{"no document", nil, "anything", nil},
		{"one document", office()[:1], "email", []string{"gmail-message_send"}},
		{"one document, another question", office()[:1], "weather", nil},
		{"no descriptions", bare, "alpha", []string{"alpha_one"}},
		{"two hundred equal descriptions come by name", same, "the very same", []string{"tool_000", "tool_001", "tool_002"}},
		{"one of two hundred by its name", same, "tool_123 same", []string{"tool_123", "tool_000", "tool_001"}},
		{"equal names keep their order", []Document{{Name: "x", Title: "parcel"}, {Name: "x", Title: "parcel"}}, "parcel", []string{"x", "x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ix := Build(c.docs, Options{})
			hits := ix.Search(Query{Text: c.query, Limit: 3}).Hits
			if got := namesOf(ix, hits); !slices.Equal(got, c.want) && len(got)+len(c.want) > 0 {
				t.Errorf("found %v, want %v", got, c.want)
			}
			ix.Near(c.query)
		})
	}
}

func TestALongQueryIsCut(t *testing.T) {
	ix := Build(office(), Options{})
	long := "calendar event create " + strings.Repeat("ąžuolas wiki ", 10_000)
	hits := ix.Search(Query{Text: long}).Hits
	if len(hits) == 0 || ix.names[hits[0].Doc] != "calendar-event_create" {
		t.Errorf("found %v, want the beginning to count", namesOf(ix, hits))
	}
	tail := strings.Repeat("zzqx ", 20_000) + "calendar-event_create"
	if r := ix.Search(Query{Text: tail}); len(r.Hits) != 0 {
		t.Errorf("found %v from beyond MaxQueryBytes", namesOf(ix, r.Hits))
	}
	for range 3 {
		ix.Search(Query{Text: strings.Repeat("a", 100_000)})
		ix.Search(Query{Text: strings.Repeat("天", 40_000)})
	}
	if got := cut("ąą", 3); got != "ą" {
		t.Errorf("cut in the middle of a rune gave %q", got)
	}
}

// TestTheWorkForALongQueryIsBounded: by how many words are embedded, however
// many the query has or repeats.
func TestTheWorkForALongQueryIsBounded(t *testing.T) {
	e := &letters{}
	ix := Build(office(), Options{Embedder: e})
	var many strings.Builder
	for i := range 100_000 {
		for n := i; n > 0; n /= 20 {
			many.WriteByte("bcdfghjklmnpqrstvwxz"[n%20])
		}
		many.WriteString("ąž ")
	}
	for _, c := range []struct {
		name, query string
		most        int
	}{
		{"a hundred thousand unknown words", many.String(), 2 * maxRelated},
		{"one unknown word as often", strings.Repeat("bcdąž ", 100_000), 2},
	} {
		before := e.count()
		ix.Search(Query{Text: c.query})
		if n := e.count() - before; n > c.most {
			t.Errorf("%s: %d texts were embedded, want at most %d", c.name, n, c.most)
		}
	}
}

func TestFiftyThousandTools(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a large index; run without -short")
	}
	docs := madeUp(50_000)
	ix := Build(docs, Options{})
	name := docs[31_415].Name
	hits := ix.Search(Query{Text: name, Limit: 3}).Hits
	if len(hits) != 3 || hits[0].Doc != 31_415 || !hits[0].Exact {
		t.Errorf("%q found %v", name, namesOf(ix, hits))
	}
	if near := ix.Near(name + "x"); len(near) == 0 || near[0] != name {
		t.Errorf("near %q are %q", name+"x", near)
	}
	for _, q := range sample(docs[:100], 50) {
		checkPromises(t, ix, q, ix.Search(q))
	}
}
