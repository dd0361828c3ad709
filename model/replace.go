package model

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// replace puts content in the place of each match.
type replace struct {
	find    finder
	content string
}

// finder appends where a pattern matches in a text; matches aren't empty.
type finder interface {
	find(text []byte, found []match) []match
}

type match struct{ lo, hi int }

func (n replace) rewrite(w *rewriter) {
	w.found = n.find.find(w.text, w.found[:0])
	at := 0
	for _, m := range w.found {
		w.keep(at, m.lo)
		w.putAll(n.content, m.hi-1)
		at = m.hi
	}
	w.keep(at, len(w.text))
	w.done()
}

// literal is a pattern that is a plain text.
type literal []byte

func (p literal) find(text []byte, found []match) []match {
	for at := 0; ; {
		lo := bytes.Index(text[at:], p)
		if lo < 0 {
			return found
		}
		found = append(found, match{at + lo, at + lo + len(p)})
		at += lo + len(p)
	}
}

// repeated is the pattern of at least least times the same character, which the usual " {2,}" is.
type repeated struct {
	r     rune
	least int
}

func (p repeated) find(text []byte, found []match) []match {
	start, count := 0, 0
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		switch {
		case r == p.r && count == 0:
			start, count = at, 1
		case r == p.r:
			count++
		case count >= p.least:
			found = append(found, match{start, at})
			count = 0
		default:
			count = 0
		}
		at += size
	}
	if count >= p.least {
		found = append(found, match{start, len(text)})
	}
	return found
}

// expression is any other pattern.
type expression struct{ re *regexp.Regexp }

func (p expression) find(text []byte, found []match) []match {
	for _, m := range p.re.FindAllIndex(text, -1) {
		if m[0] < m[1] {
			found = append(found, match{m[0], m[1]})
		}
	}
	return found
}

// compile reads a regular expression of tokenizer.json, whose dialect is Oniguruma's: ^ and $ match at lines, and \s,
// \w and \d know Unicode.
func compile(pattern string) (finder, error) {
	translated, err := toRE2(pattern)
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile("(?m:" + translated + ")")
	if err != nil {
		return nil, fmt.Errorf("the pattern %q: %w", pattern, err)
	}
	if re.Match(nil) || re.MatchString("a") && re.FindString("a") == "" {
		return nil, fmt.Errorf("the pattern %q matches the empty text", pattern)
	}
	parsed, err := syntax.Parse(translated, syntax.Perl)
	if err == nil && len(parsed.Sub) == 1 && parsed.Sub[0].Op == syntax.OpLiteral && len(parsed.Sub[0].Rune) == 1 &&
		parsed.Flags&syntax.NonGreedy == 0 && parsed.Sub[0].Flags&syntax.FoldCase == 0 {
		switch {
		case parsed.Op == syntax.OpPlus:
			return repeated{parsed.Sub[0].Rune[0], 1}, nil
		case parsed.Op == syntax.OpRepeat && parsed.Min > 0 && parsed.Max < 0:
			return repeated{parsed.Sub[0].Rune[0], parsed.Min}, nil
		}
	}
	return expression{re}, nil
}

// toRE2 writes the classes that Go's package knows for ASCII only as Unicode classes.
func toRE2(pattern string) (string, error) {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case c == '\\' && i+1 < len(pattern):
			i++
			class, err := unicodeClass(pattern[i], inClass)
			if err != nil {
				return "", fmt.Errorf("the pattern %q: %w", pattern, err)
			}
			b.WriteString(class)
			continue
		}
		b.WriteByte(c)
	}
	return b.String(), nil
}

func unicodeClass(letter byte, inClass bool) (string, error) {
	const space, word, digit = `\t-\r\x{85}\p{Z}`, `\p{L}\p{M}\p{N}\p{Pc}`, `\p{Nd}`
	class := map[byte]string{'s': space, 'w': word, 'd': digit, 'S': space, 'W': word, 'D': digit}[letter]
	switch negated := letter < 'a'; {
	case letter == 'b' || letter == 'B':
		return "", errors.New(`word boundaries (\b) can't be read`)
	case class == "":
		return `\` + string(rune(letter)), nil
	case inClass && negated:
		return "", fmt.Errorf(`\%c inside [] can't be read`, letter)
	case inClass:
		return class, nil
	case negated:
		return "[^" + class + "]", nil
	}
	return "[" + class + "]", nil
}
