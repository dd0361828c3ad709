package sidecar

import (
	"fmt"
	"strings"

	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/wire"
)

const (
	lineRunes     = 160 // of a description in a hit
	bytesPerToken = 4   // the usual estimate, without a tokenizer in the binary
	hitsHead      = "name | source | run with | required arguments\n"
)

// hitsText writes the hits, best first, in at most budget bytes. When it gets too long, schemas go before hits do, the
// last first.
func (e *Engine) hitsText(hits []catalog.SearchHit, budget int) string {
	lines, left := hitLines(hits, budget-len(hitsHead))
	e.addSchemas(hits, lines, left)
	var b strings.Builder
	b.WriteString(hitsHead)
	cut := 0
	for _, line := range lines {
		b.WriteString(line)
		if line == "" {
			cut++
		}
	}
	if cut > 0 {
		fmt.Fprintf(&b, cutText, cut)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

const cutText = "%d more hits were left out: ask for fewer, or narrow the query.\n"

// hitLines writes the hits without schemas; one that doesn't fit is empty. left is what remains of the budget.
func hitLines(hits []catalog.SearchHit, budget int) (lines []string, left int) {
	left = budget - len(cutText)
	lines = make([]string, len(hits))
	for i, h := range hits {
		if line := hitLine(i+1, h.Tool); len(line) <= left {
			lines[i] = line
			left -= len(line)
		}
	}
	return lines, left
}

// schemaElsewhere stands for a schema that doesn't fit.
const schemaElsewhere = "   input: too long for here, see " + DescribeTools + "\n"

// addSchemas adds the input schemas of the best hits as far as the budget reaches. Room for the pointer is kept for
// each of them, so that a large schema never costs a smaller one after it its place without a word.
func (e *Engine) addSchemas(hits []catalog.SearchHit, lines []string, left int) {
	n := min(len(lines), e.o.SearchSchemas)
	left -= n * len(schemaElsewhere)
	for i := range n {
		if lines[i] == "" {
			continue
		}
		schema := "   input: " + string(wire.Compact(hits[i].Tool.InputSchema)) + "\n"
		switch {
		case len(schema)-len(schemaElsewhere) <= left:
			left -= len(schema) - len(schemaElsewhere)
			lines[i] += schema
		case left >= 0:
			lines[i] += schemaElsewhere
		}
	}
}

func hitLine(n int, tool *catalog.Tool) string {
	required := "none"
	if len(tool.Required) > 0 {
		required = clip(shownAll(tool.Required), 300)
	}
	line := fmt.Sprintf("%d. %s | %s | %s | %s\n", n, shown(tool.Name), sourceOf(tool), doorOf(tool.Access), required)
	if text := oneLine(tool); text != "" {
		line += "   " + text + "\n"
	}
	return line
}

func sourceOf(tool *catalog.Tool) string {
	if tool.Source == "" {
		return "-"
	}
	return shown(clip(tool.Source, 64))
}

// oneLine is the first sentence of a description, or its title, on one line.
func oneLine(tool *catalog.Tool) string {
	text := strings.TrimSpace(tool.Description)
	if text == "" {
		text = strings.TrimSpace(tool.Title)
	}
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	if i := strings.Index(text, ". "); i > 20 {
		text = text[:i+1]
	}
	return clip(strings.Join(strings.Fields(clip(text, 4*lineRunes)), " "), lineRunes)
}
