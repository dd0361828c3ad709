package measure

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Question is one line of a questions file.
type Question struct {
	// ID tells questions apart in reports.
	ID string `json:"id"`
	// Lang is the language of the question, as figures are grouped by it.
	Lang string `json:"lang"`
	// Query is what a person or an agent would type.
	Query string `json:"query"`
	// Relevant are the names of the tools that answer it; any one does.
	Relevant []string `json:"relevant"`
}

// maxLine bounds a line of a questions or tools file, in bytes.
const maxLine = 16 << 20

// ReadQuestions reads one JSON object a line; empty lines are skipped. The error
// names the line and what is wrong with it.
func ReadQuestions(r io.Reader) ([]Question, error) {
	var all []Question
	err := EachLine(r, func(line []byte) error {
		var q Question
		if err := json.Unmarshal(line, &q); err != nil {
			return fmt.Errorf("not a question: %w", err)
		}
		if q.Query == "" || len(q.Relevant) == 0 {
			return errors.New(`a question needs "query" and at least one name in "relevant"`)
		}
		all = append(all, q)
		return nil
	})
	return all, err
}

// EachLine calls do with every line that is not empty, and stops at its first
// error, which it returns with the line's number.
func EachLine(r io.Reader, do func(line []byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	n := 0
	for lines.Scan() {
		n++
		if len(lines.Bytes()) == 0 {
			continue
		}
		if err := do(lines.Bytes()); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}
