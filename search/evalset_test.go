package search

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"testing"
)

// evalTool is one line of a tools file.
type evalTool struct {
	Server, Name, Description string
	InputSchema               json.RawMessage
	Annotations               struct{ Title string }
}

// evalQuestion is one line of a questions file.
type evalQuestion struct {
	ID, Lang, Query string
	Relevant        []string
}

func readLines[T any](t testing.TB, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatalf("open an evaluation file: %v", err)
	}
	defer f.Close()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("%s line %d: %v", filepath.Base(path), len(out)+1, err)
		}
		out = append(out, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatalf("read %s: %v", filepath.Base(path), err)
	}
	return out
}

// documents reads a tools file as the catalog would.
func documents(t testing.TB, path string) []Document {
	tools := readLines[evalTool](t, path)
	docs := make([]Document, len(tools))
	for i, tool := range tools {
		docs[i] = Document{
			Name: tool.Name, Source: tool.Server, Title: tool.Annotations.Title,
			Description: tool.Description, Parameters: parameters(tool.InputSchema),
		}
	}
	return docs
}

func parameters(schema json.RawMessage) []Parameter {
	var s struct {
		Properties map[string]struct {
			Description string
			Enum        []any
		}
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	var out []Parameter
	for name, p := range s.Properties {
		q := Parameter{Name: name, Description: p.Description}
		for _, v := range p.Enum {
			if text, ok := v.(string); ok {
				q.Enum = append(q.Enum, text)
			}
		}
		out = append(out, q)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// figures are what a set of questions is measured by.
type figures struct {
	n                         int
	hit1, hit5, recall5, rank float64
}

func (f figures) share(sum float64) float64 { return sum / float64(max(1, f.n)) }

// ask runs one question and returns the first ten names.
func ask(ix *Index, query string) []string {
	var names []string
	for _, h := range ix.Search(Query{Text: query, Limit: 10}).Hits {
		names = append(names, ix.names[h.Doc])
	}
	return names
}

func (f *figures) count(names, relevant []string) {
	f.n++
	want := map[string]bool{}
	for _, r := range relevant {
		want[r] = true
	}
	found, first := 0, 0
	for i, name := range names {
		if !want[name] {
			continue
		}
		if first == 0 {
			first = i + 1
		}
		if i < 5 {
			found++
		}
	}
	if first > 0 {
		f.rank += 1 / float64(first)
	}
	if first == 1 {
		f.hit1++
	}
	if found > 0 {
		f.hit5++
	}
	f.recall5 += float64(found) / float64(min(5, len(want)))
}

// measure asks all questions, by language.
func measure(ix *Index, questions []evalQuestion) map[string]*figures {
	out := map[string]*figures{}
	for _, q := range questions {
		if out[q.Lang] == nil {
			out[q.Lang] = &figures{}
		}
		out[q.Lang].count(ask(ix, q.Query), q.Relevant)
	}
	return out
}
