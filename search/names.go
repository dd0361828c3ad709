package search

import (
	"strings"
	"unicode"

	"mcp-toolsearch/search/text"
)

// nameTable finds documents by exact name.
type nameTable struct {
	byKey map[string][]int32
	keys  []string // document -> its name as byKey has it; "": not there
	// longest is the greatest number of space-separated pieces in a name.
	longest int
}

// next is the table of documents that are called names, by that of other ones
// that are called before.
func (t *nameTable) next(c *changes, before, names []string) nameTable {
	if c.sameNames(before, names) {
		return *t
	}
	out := nameTable{byKey: make(map[string][]int32, len(names)), keys: make([]string, len(names)), longest: 1}
	numbers := make([]int32, len(names))
	for i, from := range c.from {
		numbers[i] = int32(i)
		if from >= 0 {
			out.keys[i] = t.keys[from]
		} else {
			out.keys[i] = keyOfName(names[i])
		}
		if from < 0 || t.longest > 1 {
			out.longest = max(out.longest, min(maxNamePieces, len(strings.Fields(names[i]))))
		}
		key := out.keys[i]
		if key == "" {
			continue
		}
		if same := out.byKey[key]; same != nil {
			out.byKey[key] = append(same, int32(i))
		} else {
			out.byKey[key] = numbers[i : i+1 : i+1]
		}
	}
	return out
}

// keyOfName is what a name is found by; "" when it is nothing but separators.
func keyOfName(name string) string {
	key := text.NameKey(name)
	if strings.Trim(key, "_") == "" {
		return ""
	}
	return key
}

// maxNamePieces bounds the words of a name with spaces in it.
const maxNamePieces = 8

// namedBy calls found for every document that query names exactly, in the order
// of the query, and may call it more than once for one document.
func (t *nameTable) namedBy(query string, found func(spelling string, doc int32)) {
	pieces := strings.Fields(query)
	ordinary := len(pieces) > 1
	for i := range pieces {
		for n := 1; n <= t.longest && i+n <= len(pieces); n++ {
			t.lookUp(strings.Join(pieces[i:i+n], " "), ordinary, found)
		}
	}
}

// lookUp tries a piece of a query as it stands, then without the punctuation of
// prose around it, then its parts between such punctuation.
func (t *nameTable) lookUp(piece string, ordinary bool, found func(spelling string, doc int32)) {
	if t.report(piece, ordinary, found) {
		return
	}
	bare := strings.TrimFunc(piece, isProsePunctuation)
	if bare != piece && t.report(bare, ordinary, found) {
		return
	}
	for _, part := range strings.FieldsFunc(bare, isQuoting) {
		if part != bare {
			t.report(strings.TrimFunc(part, isProsePunctuation), ordinary, found)
		}
	}
}

// report calls found for the documents named by piece. In a sentence a word
// that says nothing (now, help) is not taken for a name.
func (t *nameTable) report(piece string, ordinary bool, found func(spelling string, doc int32)) bool {
	if piece == "" || ordinary && text.IsQueryStop(text.Fold(piece)) {
		return false
	}
	docs := t.byKey[text.NameKey(piece)]
	for _, doc := range docs {
		found(piece, doc)
	}
	return len(docs) > 0
}

func isProsePunctuation(r rune) bool {
	return r != '_' && (unicode.IsPunct(r) || unicode.IsSymbol(r))
}

// isQuoting reports punctuation that no separator of names is.
func isQuoting(r rune) bool {
	return r != '-' && r != '.' && r != '/' && isProsePunctuation(r)
}
