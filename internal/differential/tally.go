package differential

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mcp-toolsearch/internal/setup"
)

// Tally counts what became of the requests of one class.
type Tally struct {
	Class                            string
	Tried, Refused, Answered, SentOn int
	Disagreements                    int
}

// Table is a table of tallies with their sums below; what names the first column.
func Table(what string, rows []Tally) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | tried | refused | answered here | sent on | disagreements |\n|---|--:|--:|--:|--:|--:|\n", what)
	sum := Tally{Class: "**all**"}
	line := func(t Tally) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d |\n", t.Class, t.Tried, t.Refused, t.Answered, t.SentOn, t.Disagreements)
	}
	for _, t := range rows {
		line(t)
		sum.Tried, sum.Refused, sum.Answered = sum.Tried+t.Tried, sum.Refused+t.Refused, sum.Answered+t.Answered
		sum.SentOn, sum.Disagreements = sum.SentOn+t.SentOn, sum.Disagreements+t.Disagreements
	}
	line(sum)
	return b.String()
}

// SecurityPage is the page that holds the tables, from the root of the tree.
const SecurityPage = "docs/security.md"

// InPage is the page with a table in the place that is marked for it.
func InPage(name, table string) (string, error) {
	root, err := setup.Root()
	if err != nil {
		return "", err
	}
	raw, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(SecurityPage)))
	if err != nil {
		return "", err
	}
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	before, rest, found := strings.Cut(string(raw), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", fmt.Errorf("%s has no place for %s: put %q and %q around it", SecurityPage, name, strings.TrimSpace(begin), end)
	}
	return before + begin + "\n" + table + "\n" + end + after, nil
}
