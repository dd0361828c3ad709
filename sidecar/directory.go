package sidecar

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"mcp-toolsearch/sidecar/catalog"
)

const (
	directoryUnits = 400
	sentenceRunes  = 60
)

// directory lists the sources with what they are about and their numbers of tools, a line each, sorted, or nothing when
// the catalog isn't there in time: an initialize must not wait for a slow listing. about holds sentences by source.
func (e *Engine) directory(ctx context.Context, v view, about map[string]string) string {
	ctx, cancel := context.WithTimeout(ctx, e.o.DirectoryWait)
	defer cancel()
	cat, err := e.o.Catalogs.Get(ctx, v.request())
	if err != nil || len(cat.Sources()) == 0 {
		return ""
	}
	for _, runes := range []int{sentenceRunes, 45, 30, 0} { // shorter sentences before none
		if text := directoryLines(cat, about, runes); units(text) <= directoryUnits {
			return text
		}
	}
	return directoryLine(cat)
}

// directoryLines has a line for each source, its sentence cut at so many characters.
func directoryLines(cat *catalog.Catalog, about map[string]string, runes int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, by source:", counted(len(cat.Tools())))
	for _, s := range cat.Sources() {
		b.WriteString("\n" + shown(clip(s.Name, 64)))
		if sentence := about[s.Name]; sentence != "" && runes > 0 {
			b.WriteString(": " + clip(sentence, runes))
		}
		b.WriteString(" (" + counted(s.Tools) + ")")
	}
	return b.String()
}

// directoryLine names as many sources as fit into one line, for the many that lines of their own are too long for.
func directoryLine(cat *catalog.Catalog) string {
	line := fmt.Sprintf("%d tools from: ", len(cat.Tools()))
	for i, s := range cat.Sources() {
		entry := fmt.Sprintf("%s (%d)", shown(clip(s.Name, 64)), s.Tools)
		if i > 0 {
			entry = ", " + entry
		}
		if units(line)+units(entry) > directoryUnits-4 {
			if i == 0 {
				return ""
			}
			return line + ", …"
		}
		line += entry
	}
	return line + "."
}

func counted(tools int) string {
	if tools == 1 {
		return "1 tool"
	}
	return strconv.Itoa(tools) + " tools"
}

// sourcesIn takes a directory of sources off the beginning of an upstream's instructions: a first paragraph of lines
// like "name: first sentence (12 tools)", as an aggregate writes it; a source that could not be listed has no number.
// Without one, rest is all of own.
func sourcesIn(own string) (about map[string]string, rest string) {
	first, rest, _ := strings.Cut(strings.TrimSpace(own), "\n\n")
	about = map[string]string{}
	numbers := false
	for line := range strings.SplitSeq(first, "\n") {
		if strings.HasPrefix(line, "(and ") && strings.HasSuffix(line, " more)") {
			continue
		}
		head, numbered := withoutNumber(line)
		numbers = numbers || numbered
		name, sentence, _ := strings.Cut(head, ": ")
		if name == "" || strings.ContainsAny(name, " \t") && !numbered {
			return nil, own
		}
		about[name] = printableLine(sentence)
	}
	if !numbers {
		return nil, own
	}
	return about, rest
}

// withoutNumber takes the number of tools off the end of a directory's line.
func withoutNumber(line string) (head string, numbered bool) {
	open := strings.LastIndex(line, " (")
	if open < 0 {
		return line, false
	}
	number, ok := strings.CutSuffix(line[open+2:], " tools)")
	if !ok {
		number, ok = strings.CutSuffix(line[open+2:], " tool)")
	}
	if _, err := strconv.ParseUint(number, 10, 31); err != nil || !ok {
		return line, false
	}
	return line[:open], true
}

// printableLine is a sentence, or nothing when it has characters that are not seen.
func printableLine(sentence string) string {
	if strings.ContainsFunc(sentence, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return ""
	}
	return strings.TrimSpace(sentence)
}

// units counts UTF-16 code units, which is how clients that cut instructions count.
func units(s string) int { return len(utf16.Encode([]rune(s))) }
