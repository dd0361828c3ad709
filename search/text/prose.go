package text

import (
	"strings"
	"unicode"
)

// AppendSpaced appends a name written as prose: separators and the borders
// inside camelCase become single spaces, and digits stay where they are.
func AppendSpaced(dst []byte, name string) []byte {
	from := len(dst)
	prev := other
	runes := []rune(Normal(name))
	for i, r := range runes {
		c := classOf(r)
		switch {
		case !isWordRune(r):
			c = other
			r = ' '
		case prev == lower && c == upper,
			prev == upper && c == upper && i+1 < len(runes) && classOf(runes[i+1]) == lower:
			dst = append(dst, ' ')
		}
		if r == ' ' && (len(dst) == from || dst[len(dst)-1] == ' ') {
			continue
		}
		dst = append(dst, string(r)...)
		prev = c
	}
	for len(dst) > from && dst[len(dst)-1] == ' ' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// quotes are the pairs between which people put names and contents.
var quotes = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '»': '«', '「': '」', '『': '』', '`': '`', '‘': '’', '‚': '‘', '”': '”'}

// maxQuoted bounds what is taken for one quotation, in runes.
const maxQuoted = 200

// WithoutValues returns s without the words that look like data rather than
// like a request: numbers, ids, dates, addresses, paths, and what stands in
// quotation marks. It returns s itself when nothing else would be left.
func WithoutValues(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	changed := false
	for _, piece := range strings.Fields(withoutQuoted(s)) {
		if IsValue(piece) {
			changed = true
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(piece)
	}
	if !changed && b.Len() == len(s) || !hasLetter(b.String()) {
		return s
	}
	return b.String()
}

func hasLetter(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// withoutQuoted leaves out what stands in quotation marks.
func withoutQuoted(s string) string {
	runes := []rune(s)
	var out []rune
	for i := 0; i < len(runes); i++ {
		end := quotedUntil(runes, i)
		if end < 0 {
			out = append(out, runes[i])
			continue
		}
		out = append(out, ' ')
		i = end
	}
	return string(out)
}

// quotedUntil returns the place of the mark that ends the quotation beginning
// at i, or -1 when none begins there.
func quotedUntil(runes []rune, i int) int {
	closing, ok := quotes[runes[i]]
	if !ok || i > 0 && closing == runes[i] && isWordRune(runes[i-1]) && !isUnspaced(runes[i-1]) {
		return -1
	}
	for j := i + 1; j < len(runes) && j <= i+maxQuoted; j++ {
		if runes[j] == closing || runes[i] == '„' && runes[j] == '”' {
			return j
		}
	}
	return -1
}

// IsValue reports a piece between spaces that is data: it holds a digit, an at
// sign, or slashes or underscores or dots inside.
func IsValue(piece string) bool {
	piece = strings.TrimFunc(piece, func(r rune) bool { return unicode.IsPunct(r) && r != '/' && r != '#' && r != '@' })
	if strings.HasPrefix(piece, "#") || strings.HasPrefix(piece, "@") || strings.HasPrefix(piece, "/") {
		return true
	}
	for i, r := range piece {
		switch {
		case isUnspaced(r):
			return false
		case unicode.IsDigit(r), r == '@', r == '_', r == '\\':
			return true
		case (r == '/' || r == '.' || r == ':') && i+1 < len(piece):
			return true
		}
	}
	return false
}
