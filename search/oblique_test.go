package search

import (
	"strings"
	"testing"

	"mcp-toolsearch/search/text"
)

// TestObliqueQuestionsAvoidTheToolsWords holds the line between the two files of
// questions, which is drawn by words and not by what a search finds: a question
// is oblique when its English form has no word of the name, the title or the
// first sentence of any tool that answers it. Stop words, everyday words and
// data don't count.
func TestObliqueQuestionsAvoidTheToolsWords(t *testing.T) {
	tools := map[string]Document{}
	for _, d := range documents(t, "testdata/eval/tools.jsonl") {
		tools[d.Name] = d
	}
	for _, file := range []string{"questions", "oblique"} {
		for _, q := range readLines[evalQuestion](t, "testdata/eval/"+file+".jsonl") {
			if q.Lang != "en" {
				continue
			}
			shared := sharedWith(q, tools)
			for _, name := range q.Relevant {
				if _, known := tools[name]; !known {
					t.Errorf("%s: no tool is called %s", q.ID, name)
				}
			}
			if oblique := file == "oblique"; oblique != (len(shared) == 0) {
				t.Errorf("%s is in %s.jsonl and shares %v with its tools: move it and its translation to the other file", q.ID, file, shared)
			}
		}
	}
}

// sharedWith lists the words that a question shares with the tools that answer it.
func sharedWith(q evalQuestion, tools map[string]Document) []string {
	asked := contentWords(text.WithoutValues(q.Query))
	var shared []string
	for _, name := range q.Relevant {
		d := tools[name]
		own := string(text.AppendSpaced(nil, strings.TrimPrefix(name, d.Source)))
		first, _, _ := strings.Cut(d.Description, ". ")
		for w := range contentWords(own + " " + d.Title + " " + first) {
			if asked[w] {
				shared = append(shared, w)
			}
		}
	}
	return shared
}

func contentWords(s string) map[string]bool {
	words := map[string]bool{}
	for _, w := range text.Words(nil, s) {
		if !text.IsQueryStop(w.Text) && !text.IsEveryday(w.Text) && isTerm(w.Text) {
			words[text.Stem(w.Text)] = true
		}
	}
	return words
}
