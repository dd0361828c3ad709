package argcheck

import (
	"strconv"
	"strings"
	"unicode"
)

// Whole is the path in a receipt of Repair when the arguments as a whole were
// text.
const Whole = "(arguments)"

// maxKeyRunes is how much of a key is repeated in a path or a sentence.
const maxKeyRunes = 64

// pathOf writes a location as people do: query.team, items[2].id,
// headers["x odd"]. The document tells an index from a key made of digits.
func pathOf(doc any, at []string) string {
	var b strings.Builder
	for _, tok := range at {
		switch v := doc.(type) {
		case []any:
			b.WriteString("[" + tok + "]")
			doc = itemAt(v, tok)
			continue
		case map[string]any:
			doc = v[tok]
		default:
			doc = nil
		}
		switch {
		case !plainKey(tok):
			b.WriteString("[" + strconv.Quote(clip(tok, maxKeyRunes)) + "]")
		case b.Len() > 0:
			b.WriteString("." + tok)
		default:
			b.WriteString(tok)
		}
	}
	return b.String()
}

func itemAt(array []any, tok string) any {
	i, err := strconv.Atoi(tok)
	if err != nil || i < 0 || i >= len(array) {
		return nil
	}
	return array[i]
}

// valueAt returns the value at a location, nil when there is none.
func valueAt(doc any, at []string) any {
	for _, tok := range at {
		switch v := doc.(type) {
		case []any:
			doc = itemAt(v, tok)
		case map[string]any:
			doc = v[tok]
		default:
			return nil
		}
	}
	return doc
}

// plainKey reports a key that reads well without quotes.
func plainKey(key string) bool {
	if key == "" || len(key) > maxKeyRunes {
		return false
	}
	for i, r := range key {
		if r == '_' || r == '$' || unicode.IsLetter(r) {
			continue
		}
		if i == 0 || r != '-' && !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}

// clip cuts s to at most n runes, and says so.
func clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}
