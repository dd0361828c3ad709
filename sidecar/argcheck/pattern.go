package argcheck

import (
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	maxPatternSize  = 5_000  // instructions of one pattern
	maxPatternTotal = 50_000 // instructions of all patterns of a schema
)

// pattern is an ECMA-262 regular expression of a schema (JSON Schema Core
// 2020-12 §6.4) on Go's linear-time engine. One that Go can't run, or that is
// too large, is uncertain: it matches everything, and loosen takes it out of
// the places where that would make a schema stricter.
type pattern struct {
	source string
	re     *regexp.Regexp // nil when uncertain
	size   int            // instructions: the cost of a match for each byte
}

func (p *pattern) String() string { return p.source }

// MatchString reports a match; an uncertain pattern always matches.
func (p *pattern) MatchString(s string) bool { return p.re == nil || p.re.MatchString(s) }

func (p *pattern) uncertain() bool { return p.re == nil }

// patternEngine returns the engine for the patterns of one schema. It never
// fails: a pattern is no reason to refuse a schema.
func patternEngine() jsonschema.RegexpEngine {
	known := map[string]*pattern{}
	left := maxPatternTotal
	return func(source string) (jsonschema.Regexp, error) {
		p, ok := known[source]
		if !ok {
			p = newPattern(source, min(left, maxPatternSize))
			left -= p.size
			known[source] = p
		}
		return p, nil
	}
}

func newPattern(source string, limit int) *pattern {
	p := &pattern{source: source}
	text, ok := fromECMA(source)
	if !ok {
		return p
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return p
	}
	size := instructions(tree)
	if size > limit {
		return p
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return p
	}
	p.re, p.size = re, size
	return p
}

// instructions estimates how many instructions a pattern compiles to, from
// above, without compiling it.
func instructions(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += instructions(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min+1, re.Max)
	}
	return min(n, 1<<24)
}

// ecmaSpace is what \s means in ECMA-262 (§22.2.2.9: WhiteSpace and
// LineTerminator), as the inside of a class. Go's \s knows five of them.
const ecmaSpace = `\s\x0b\x{feff}\p{Z}`

// fromECMA rewrites what ECMA-262 writes otherwise than Go. It returns false
// for spellings that dialects read in different ways: better no check than a
// wrong one.
func fromECMA(source string) (string, bool) {
	for _, ambiguous := range []string{"[]", "[^]", "{,", `\Z`} {
		if strings.Contains(source, ambiguous) {
			return "", false
		}
	}
	var b strings.Builder
	inClass := false
	for i := 0; i < len(source); {
		c := source[i]
		if c == '\\' && i+1 < len(source) {
			text, n := escape(source[i:], inClass)
			b.WriteString(text)
			i += n
			continue
		}
		switch {
		case c == '[' && !inClass:
			inClass = true
		case c == ']':
			inClass = false
		}
		b.WriteByte(c)
		i++
	}
	return b.String(), true
}

// escape rewrites the escape at the start of s and returns how many bytes of
// s it took.
func escape(s string, inClass bool) (string, int) {
	switch c := s[1]; {
	case c == 's' && inClass:
		return ecmaSpace, 2
	case c == 's':
		return "[" + ecmaSpace + "]", 2
	case c == 'S' && !inClass:
		return "[^" + ecmaSpace + "]", 2
	case c == 'b' && inClass:
		return `\x08`, 2
	case c == '0' && (len(s) == 2 || s[2] < '0' || s[2] > '9'):
		return `\x00`, 2
	case c == 'c' && len(s) > 2 && isLetter(s[2]):
		return `\x{` + strconv.FormatInt(int64(s[2]%32), 16) + `}`, 3
	case c == 'u':
		return unicodeEscape(s)
	}
	return s[:2], 2
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// unicodeEscape rewrites \uHHHH, a surrogate pair of them, and \u{X…}.
func unicodeEscape(s string) (string, int) {
	if end := strings.IndexByte(s, '}'); strings.HasPrefix(s, `\u{`) && end > 0 {
		return `\x` + s[2:end+1], end + 1
	}
	high, ok := fourHex(s)
	if !ok {
		return s[:2], 2
	}
	if utf16.IsSurrogate(high) {
		low, _ := fourHex(s[6:])
		if r := utf16.DecodeRune(high, low); r != '\uFFFD' {
			return `\x{` + strconv.FormatInt(int64(r), 16) + `}`, 12
		}
		return s[:2], 2 // half a character: Go refuses it as it stands
	}
	return `\x{` + s[2:6] + `}`, 6
}

func fourHex(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}
