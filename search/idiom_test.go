package search

import "testing"

// TestIdiomsFindWhatTheyMean: an idiom finds a tool of which it has no word, and a
// single word is read as one only where the catalog doesn't have it.
func TestIdiomsFindWhatTheyMean(t *testing.T) {
	docs := []Document{
		{Name: "git_delete_branch", Description: "Deletes a branch."},
		{Name: "git_create_branch", Description: "Creates a branch."},
		{Name: "maps_restaurants", Description: "Places to eat."},
	}
	fed := append([]Document{{Name: "zoo_hungry", Description: "Which animals are hungry."}}, docs...)
	for _, c := range []struct {
		name, query, first string
		docs               []Document
	}{
		{"several words", "get rid of the branch", "git_delete_branch", docs},
		{"one word that the catalog doesn't have", "i am hungry", "maps_restaurants", docs},
		{"one that it has", "i am hungry", "zoo_hungry", fed},
	} {
		t.Run(c.name, func(t *testing.T) {
			ix := Build(c.docs, Options{})
			hits := ix.Search(Query{Text: c.query}).Hits
			if len(hits) == 0 || ix.names[hits[0].Doc] != c.first {
				t.Fatalf("%q gave %v, want %s first", c.query, hits, c.first)
			}
			if c.first == "zoo_hungry" && len(hits) > 1 {
				t.Errorf("%q is read as an idiom too: %v", c.query, hits)
			}
		})
	}
}
