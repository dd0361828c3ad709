package model

import (
	"unicode"
	"unicode/utf8"
)

// addedToken is a token that is looked for before the text is cut, as tokenizer.json lists it.
type addedToken struct {
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
}

// matcher finds added tokens in a text: the leftmost, of those that start there the longest.
type matcher struct {
	trie   *trie
	tokens []addedToken
	ids    []int32
	starts [256]bool
}

// newMatcher looks for patterns, which are the contents of the tokens or their normalized forms; nil for none.
func newMatcher(patterns []string, tokens []addedToken, ids []int32) *matcher {
	if len(patterns) == 0 {
		return nil
	}
	m := &matcher{trie: newTrie(patterns), tokens: tokens, ids: ids}
	for _, p := range patterns {
		if p != "" {
			m.starts[p[0]] = true
		}
	}
	return m
}

// split appends the parts of text: tokens, and what is between them. The whole text when m is nil.
func split[T string | []byte](m *matcher, parts []part, text T) []part {
	covered := 0
	for at := 0; m != nil && at < len(text); {
		if !m.starts[text[at]] {
			at++
			continue
		}
		n, end := longest(m.trie, text[at:])
		if n == noPiece {
			at++
			continue
		}
		lo, hi := at, at+end
		at = hi
		token := m.tokens[n]
		if token.SingleWord && (endsWithWord(text[:lo]) || startsWithWord(text[hi:])) {
			continue
		}
		if token.LStrip {
			lo = max(lo-spacesBefore(text[:lo]), covered)
		}
		if token.RStrip {
			hi += spacesAfter(text[hi:])
		}
		if covered < lo {
			parts = append(parts, part{covered, lo, noPiece})
		}
		parts = append(parts, part{lo, hi, m.ids[n]})
		covered = hi
	}
	if covered < len(text) {
		parts = append(parts, part{covered, len(text), noPiece})
	}
	return parts
}

func longest[T string | []byte](t *trie, text T) (piece int32, length int) {
	piece = noPiece
	node := uint32(0)
	for i := range len(text) {
		if node = t.child(node, text[i]); node == 0 {
			break
		}
		if t.piece[node] != noPiece {
			piece, length = t.piece[node], i+1
		}
	}
	return piece, length
}

func endsWithWord[T string | []byte](text T) bool {
	r, size := utf8.DecodeLastRuneInString(string(text[max(0, len(text)-utf8.UTFMax):]))
	return size > 0 && isWord(r)
}

func startsWithWord[T string | []byte](text T) bool {
	r, size := utf8.DecodeRuneInString(string(text[:min(len(text), utf8.UTFMax)]))
	return size > 0 && isWord(r)
}

func spacesBefore[T string | []byte](text T) int {
	n := 0
	for n < len(text) {
		end := len(text) - n
		r, size := utf8.DecodeLastRuneInString(string(text[max(0, end-utf8.UTFMax):end]))
		if !unicode.IsSpace(r) {
			break
		}
		n += size
	}
	return n
}

func spacesAfter[T string | []byte](text T) int {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(string(text[n:min(len(text), n+utf8.UTFMax)]))
		if !unicode.IsSpace(r) {
			break
		}
		n += size
	}
	return n
}
