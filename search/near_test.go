package search

import (
	"slices"
	"testing"
)

func TestNearOffersNames(t *testing.T) {
	ix := Build([]Document{
		{Name: "gcalendar_create_event"}, {Name: "gcalendar_delete_event"}, {Name: "gcalendar_list_events"},
		{Name: "repo_create_branch"}, {Name: "repo_list_branches"}, {Name: "send_message"}, {Name: "sendMessage"},
		{Name: "ping"}, {Name: "weather"},
	}, Options{})
	for _, c := range []struct {
		name, unknown string
		want          []string
	}{
		{"a letter left out", "repo_creat_branch", []string{"repo_create_branch"}},
		{"another separator and case", "Repo.Create.Branch", []string{"repo_create_branch"}},
		{"camelCase for separators", "repoCreateBranch", []string{"repo_create_branch"}},
		{"a misspelt word and a missing prefix", "create_calender_event", []string{"gcalendar_create_event"}},
		{"words in another order", "branch_create", []string{"repo_create_branch"}},
		{"two spellings of one name", "send_mesage", []string{"sendMessage", "send_message"}},
		{"a short name", "pnig", []string{"ping"}},
		{"nothing like it", "xyzzy", nil},
		{"nothing", "", nil},
		{"separators alone", "__", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ix.Near(c.unknown)
			if c.want == nil && len(got) != 0 {
				t.Errorf("near %q are %q, want none", c.unknown, got)
			}
			for i, want := range c.want {
				if i >= len(got) || !slices.Contains(got[:len(c.want)], want) {
					t.Errorf("near %q are %q, want %q first", c.unknown, got, c.want)
					break
				}
			}
		})
	}
}

func TestNearGivesAtMostFiveDistinctNames(t *testing.T) {
	docs := madeUp(300)
	docs = append(docs, docs[0], docs[0])
	ix := Build(docs, Options{})
	near := ix.Near(docs[0].Name + "x")
	if len(near) == 0 || len(near) > MaxNear {
		t.Fatalf("%d near names, want 1 to %d", len(near), MaxNear)
	}
	for i, name := range near {
		if slices.Contains(near[:i], name) {
			t.Errorf("%q is given twice in %q", name, near)
		}
	}
}

func TestNearTermsAreSpelledAsPeopleWriteThem(t *testing.T) {
	ix := Build([]Document{{Name: "x", Description: "Lists repositories of an organization."}}, Options{})
	r := ix.Search(Query{Text: "repsitorees"})
	if len(r.Hits) == 0 && !slices.Contains(r.NearTerms, "repositories") {
		t.Errorf("near terms %q, want repositories", r.NearTerms)
	}
	if len(r.Hits) > 0 && r.Hits[0].Why[0].Word != "repositories" {
		t.Errorf("why %+v, want the word repositories", r.Hits[0].Why)
	}
}
