package evalcatalog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	evaldata "mcp-toolsearch/search/testdata/eval"
)

// Tool is one made-up tool as an aggregating gateway lists it.
type Tool struct {
	Server      string          `json:"server"`                // the source the tool belongs to
	Name        string          `json:"name"`                  // unique in the catalog, prefixed with the server
	Description string          `json:"description"`           // may be empty, as real ones sometimes are
	InputSchema json.RawMessage `json:"inputSchema"`           // an object schema, as written
	Annotations json.RawMessage `json:"annotations,omitempty"` // nil: the server said nothing
}

// Hints are the tool annotations of MCP (schema ToolAnnotations); nil means not
// said.
type Hints struct {
	Title           string `json:"title"`
	ReadOnlyHint    *bool  `json:"readOnlyHint"`
	DestructiveHint *bool  `json:"destructiveHint"`
	IdempotentHint  *bool  `json:"idempotentHint"`
	OpenWorldHint   *bool  `json:"openWorldHint"`
}

// Question is one question and the names of the tools that answer it.
type Question struct {
	ID       string   `json:"id"`   // "ev-001-en"
	Lang     string   `json:"lang"` // "en" or "lt"
	Query    string   `json:"query"`
	Relevant []string `json:"relevant"` // any of them answers the question
}

// Hints decodes the tool's annotations. Unannotated tools give the zero Hints.
func (t Tool) Hints() Hints {
	var h Hints
	if len(t.Annotations) == 0 {
		return h
	}
	if err := json.Unmarshal(t.Annotations, &h); err != nil {
		return Hints{}
	}
	return h
}

// ReadOnly reports whether the tool says that it only reads and does not also
// say that it destroys: the fail-closed reading of a call's access.
func (t Tool) ReadOnly() bool {
	h := t.Hints()
	if h.ReadOnlyHint == nil || !*h.ReadOnlyHint {
		return false
	}
	return h.DestructiveHint == nil || !*h.DestructiveHint
}

// Definition is the tool as tools/list carries it: compact JSON with name,
// description, inputSchema and annotations, without the server.
func (t Tool) Definition() []byte {
	definition := struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Annotations json.RawMessage `json:"annotations,omitempty"`
	}{t.Name, t.Description, t.InputSchema, t.Annotations}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(definition); err != nil {
		return nil // a Tool of this package always has valid raw JSON
	}
	return bytes.TrimSpace(buf.Bytes())
}

// Tools returns the embedded catalog: 500 tools in file order.
func Tools() ([]Tool, error) {
	return lines[Tool]("tools.jsonl", evaldata.Tools)
}

// Questions returns the embedded questions in file order.
func Questions() ([]Question, error) {
	return lines[Question]("questions.jsonl", evaldata.Questions)
}

// LoadTools reads a tools file of the same form from a directory.
func LoadTools(dir, file string) ([]Tool, error) {
	return load[Tool](dir, file)
}

// LoadQuestions reads a questions file of the same form from a directory.
func LoadQuestions(dir, file string) ([]Question, error) {
	return load[Question](dir, file)
}

func load[T any](dir, file string) ([]T, error) {
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return nil, fmt.Errorf("reading the evaluation data: %w", err)
	}
	return lines[T](file, data)
}

func lines[T any](file string, data []byte) ([]T, error) {
	var out []T
	sc := bufio.NewScanner(bytes.NewReader(data))
	sc.Buffer(make([]byte, 0, 64<<10), 4<<20)
	for n := 1; sc.Scan(); n++ {
		line := bytes.TrimSpace(sc.Bytes())
		if len(line) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return nil, fmt.Errorf("%s line %d is not what it should be: %w", file, n, err)
		}
		out = append(out, v)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	return out, nil
}
