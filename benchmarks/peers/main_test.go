package main

import (
	"strings"
	"testing"

	"mcp-toolsearch/internal/evalcatalog"
)

func TestEveryContenderAnswersTheQuestions(t *testing.T) {
	docs, err := documents(evalcatalog.Generate(100, seed))
	if err != nil {
		t.Fatal(err)
	}
	all, err := contenders(docs)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if n, err := c.ask(strings.ReplaceAll(docs[0].Name, "_", " ")); err != nil || n == 0 {
			t.Errorf("%s found %d tools by the words of a name: %v", c.name, n, err)
		}
	}
	questions, err := english()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := compare(&out, docs, questions[:5], 1); err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if !strings.Contains(out.String(), c.name) {
			t.Errorf("the table says nothing of %s:\n%s", c.name, &out)
		}
	}
}
