package evalcatalog_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-toolsearch/internal/evalcatalog"
)

func TestQuestionsAreCompleteInBothLanguages(t *testing.T) {
	questions, err := evalcatalog.Questions()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, tool := range embedded(t) {
		known[tool.Name] = true
	}
	byID := map[string]evalcatalog.Question{}
	for _, q := range questions {
		if _, twice := byID[q.ID]; twice {
			t.Errorf("%s is there twice", q.ID)
		}
		byID[q.ID] = q
		if q.Query == "" || len(q.Relevant) == 0 {
			t.Errorf("%s has no query or no relevant tool", q.ID)
		}
		for _, name := range q.Relevant {
			if !known[name] {
				t.Errorf("%s: relevant tool %s is not in the catalog", q.ID, name)
			}
		}
	}
	pairs := 0
	for id, en := range byID {
		stem, english := strings.CutSuffix(id, "-en")
		if !english {
			continue
		}
		pairs++
		lt, there := byID[stem+"-lt"]
		if !there || en.Lang != "en" || lt.Lang != "lt" {
			t.Errorf("%s: not in both languages", stem)
		}
		if !slices.Equal(en.Relevant, lt.Relevant) {
			t.Errorf("%s: relevant tools differ between the languages", stem)
		}
	}
	if pairs < 130 || len(questions) != 2*pairs {
		t.Errorf("%d questions, %d of them in both languages; want at least 130 pairs and nothing else", len(questions), pairs)
	}
}

func TestQuestionsCoverEveryServer(t *testing.T) {
	questions, err := evalcatalog.Questions()
	if err != nil {
		t.Fatal(err)
	}
	serverOf := map[string]string{}
	missing := map[string]bool{}
	for _, tool := range embedded(t) {
		serverOf[tool.Name] = tool.Server
		missing[tool.Server] = true
	}
	for _, q := range questions {
		for _, name := range q.Relevant {
			delete(missing, serverOf[name])
		}
	}
	for server := range missing {
		t.Errorf("no question asks for a tool of %s", server)
	}
}

func TestLoadingReadsTheSameAsEmbedding(t *testing.T) {
	dir := filepath.Join("..", "..", "search", "testdata", "eval")
	tools, err := evalcatalog.LoadTools(dir, "tools.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	want := embedded(t)
	if len(tools) != len(want) {
		t.Fatalf("%d tools from the directory, %d embedded", len(tools), len(want))
	}
	for i := range tools {
		if tools[i].Name != want[i].Name || !bytes.Equal(tools[i].InputSchema, want[i].InputSchema) {
			t.Errorf("tool %d differs: %s and %s", i, tools[i].Name, want[i].Name)
		}
	}
	questions, err := evalcatalog.LoadQuestions(dir, "questions.jsonl")
	if err != nil || len(questions) == 0 {
		t.Errorf("%d questions, error %v", len(questions), err)
	}
}

func TestLoadingABrokenFileSaysWhichLine(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bad.jsonl"), []byte("{}\n\n{\"name\": 7}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := evalcatalog.LoadTools(dir, "bad.jsonl")
	if err == nil || !strings.Contains(err.Error(), "bad.jsonl line 3") {
		t.Errorf("error %v, want one that names bad.jsonl line 3", err)
	}
	if _, err := evalcatalog.LoadQuestions(dir, "absent.jsonl"); err == nil {
		t.Error("no error for a file that is not there")
	}
}
