package stdio

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"unicode"

	"mcp-toolsearch/sidecar/wire"
)

// What is kept of a server's stderr.
const (
	keptLines = 50  // the newest
	keptChars = 200 // bytes of each
)

// complaints are the last lines that a server printed on stderr. They may hold anything, so they are counted, and written
// to the log only when the operator asked for it.
type complaints struct {
	log *slog.Logger // nil: only count

	mu    sync.Mutex
	lines []string
	count int
}

// read reads stderr to its end.
func (c *complaints) read(in io.Reader) {
	lines := wire.NewLineReader(in, 16<<10)
	for {
		got, err := lines.Next()
		if err != nil {
			return
		}
		text := got.Data
		if text == nil {
			text = got.Head()
		}
		c.add(text)
	}
}

func (c *complaints) add(line []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	if c.log == nil {
		return
	}
	text := printable(string(line[:min(len(line), keptChars)]))
	if len(c.lines) == keptLines {
		c.lines = append(c.lines[:0], c.lines[1:]...)
	}
	c.lines = append(c.lines, text)
	c.log.LogAttrs(context.Background(), slog.LevelDebug, "an MCP server said on stderr", slog.String("line", text))
}

// printable replaces what steers a terminal, and bytes that are no text.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return '�'
	}, text)
}

// total is how many lines there were.
func (c *complaints) total() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}

// newest are the kept lines, oldest first; none unless they are to be logged.
func (c *complaints) newest() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.lines, "\n")
}
