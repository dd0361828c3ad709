package aggregate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// sentenceLength bounds what the directory says of a server, in characters.
	sentenceLength = 60
	// ownLength bounds the servers' own instructions, all together, in bytes:
	// an answer with more of them could not be edited by the search route.
	ownLength = 16 << 10
	// directoryLength bounds the directory, in bytes.
	directoryLength = 8 << 10
	// directoryWait is how long the directory waits for the number of tools.
	directoryWait = patience / 2
)

// instructions are a directory of the servers, sorted, and then what each says
// itself, in the configured order. The same servers give the same bytes.
func (x *exchange) instructions(found []met) string {
	counts := x.counts()
	var lines []string
	var own []string
	room := ownLength
	var cut []string
	for i, e := range x.roster.entries {
		name, text := e.server.Name, ""
		if d := found[i].description; d != nil {
			text = strings.TrimSpace(d.Instructions)
		}
		if n, listed := counts[name]; listed || text != "" {
			lines = append(lines, directoryLine(name, text, n, listed))
		}
		switch section := "[" + name + "]\n" + text; {
		case text == "":
		case len(section) > room:
			cut = append(cut, name)
		default:
			room -= len(section)
			own = append(own, section)
		}
	}
	slices.Sort(lines)
	parts := append([]string{joinedLines(lines)}, own...)
	if len(cut) > 0 {
		parts = append(parts, "(Left out because they are too long: the instructions of "+strings.Join(cut, ", ")+".)")
	}
	return strings.TrimSpace(strings.Join(parts, "\n\n"))
}

// joinedLines joins lines as far as directoryLength goes.
func joinedLines(lines []string) string {
	length := 0
	for i, line := range lines {
		if length += len(line) + 1; length > directoryLength {
			return strings.Join(lines[:i], "\n") + fmt.Sprintf("\n(and %d more)", len(lines)-i)
		}
	}
	return strings.Join(lines, "\n")
}

// counts are the numbers of tools of the servers that are listed, as far as
// they are known soon.
func (x *exchange) counts() map[string]int {
	ctx, cancel := context.WithTimeout(x.ctx, directoryWait)
	defer cancel()
	s := x.a.shelf(x.who, tools)
	_, _ = s.get(ctx, recent) // what came until now counts
	v := s.view()
	counts := map[string]int{}
	for _, source := range v.sources {
		if source.State == stateUp || source.State == stateOld {
			counts[source.Name] = source.Tools
		}
	}
	return counts
}

// directoryLine says what a server is for.
func directoryLine(name, text string, n int, listed bool) string {
	line := name
	if sentence := firstSentence(text); sentence != "" {
		line += ": " + sentence
	}
	switch {
	case !listed:
		return line
	case n == 1:
		return line + " (1 tool)"
	}
	return fmt.Sprintf("%s (%d tools)", line, n)
}

// firstSentence is the beginning of a text: the first sentence of its first
// paragraph (a heading is one) on one line, or as many whole words of it as
// there is room for.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n\n")
	text = strings.Join(strings.Fields(strings.TrimLeft(text, "# ")), " ")
	for i, r := range text {
		if (r == '.' || r == '!' || r == '?') && (i+1 == len(text) || text[i+1] == ' ') {
			text = text[:i]
			break
		}
	}
	if utf8.RuneCountInString(text) <= sentenceLength {
		return text
	}
	runes := []rune(text)
	short := string(runes[:sentenceLength-1])
	if at := strings.LastIndexByte(short, ' '); at > sentenceLength/2 {
		short = short[:at]
	}
	return strings.TrimRight(short, " ,;:") + "…"
}

// mayRelist says that the last listing for an unknown name is long enough ago.
func (s *shelf) mayRelist() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.relisted) < relistPause {
		return false
	}
	s.relisted = time.Now()
	return true
}
