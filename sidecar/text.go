package sidecar

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/wire"
)

// refusalSchemaBytes is the longest input schema that a refusal repeats.
const refusalSchemaBytes = 24_000

// clip cuts s to at most n runes, n > 0.
func clip(s string, n int) string {
	count, cut := 0, 0
	for i := range s {
		switch count {
		case n - 1:
			cut = i
		case n:
			return s[:cut] + "…"
		}
		count++
	}
	return s
}

// shown writes a name that an upstream chose: as it is, or as a JSON string when it could pass for a line or a column
// of its own. A name must be repeated exactly, so it is never cut.
func shown(name string) string {
	plain := name != "" && strings.TrimSpace(name) == name && !strings.Contains(name, "|")
	for _, r := range name {
		plain = plain && unicode.IsPrint(r)
	}
	if plain {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range name {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	b.WriteByte('"')
	return b.String()
}

func shownAll(names []string) string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = shown(n)
	}
	return strings.Join(all, ", ")
}

func quote(s string) string { return string(wire.Quote(s)) }

// schemaLine repeats a tool's input schema, or says where it is found when it is too long.
func schemaLine(tool *catalog.Tool) string {
	if len(tool.InputSchema) > refusalSchemaBytes {
		return fmt.Sprintf("Its input schema is too long to repeat: see %s.", DescribeTools)
	}
	return fmt.Sprintf("Input schema of %s: %s", shown(tool.Name), wire.Compact(tool.InputSchema))
}
