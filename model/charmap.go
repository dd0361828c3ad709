package model

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

const wordStart = "\u2581"

// charmap replaces characters. A page holds 256 neighbouring ones; most pages are missing.
type charmap struct {
	pages []*[256]replacement
	texts string
}

// replacement is where a character's replacement stands in texts, and its length plus one; 0: the character stays.
type replacement uint32

const lengthBits = 8

// of returns what stands for r, or false when r stays.
func (c *charmap) of(r rune) (string, bool) {
	page := int(r >> 8)
	if page >= len(c.pages) || c.pages[page] == nil {
		return "", false
	}
	e := c.pages[page][r&255]
	if e == 0 {
		return "", false
	}
	at := e >> lengthBits
	return c.texts[at : at+e&(1<<lengthBits-1)-1], true
}

func parseCharmap(data string) (*charmap, error) {
	var byCode map[string]string
	if err := json.Unmarshal([]byte(data), &byCode); err != nil {
		return nil, fmt.Errorf("the packed model's character map: %w: build it again", err)
	}
	c := &charmap{}
	known := make(map[string]replacement)
	var texts strings.Builder
	for code, to := range byCode {
		r, err := strconv.ParseUint(code, 10, 32)
		if err != nil || r > utf8.MaxRune || len(to) > 1<<lengthBits-2 {
			return nil, fmt.Errorf("the packed model's character map: %q is not the number of a character with a replacement of at most %d bytes: build it again",
				code, 1<<lengthBits-2)
		}
		e, ok := known[to]
		if !ok {
			e = replacement(texts.Len())<<lengthBits | replacement(len(to)+1)
			texts.WriteString(to)
			known[to] = e
		}
		if texts.Len() >= 1<<(32-lengthBits) {
			return nil, fmt.Errorf("the packed model's character map is too large: build it again")
		}
		c.put(rune(r), e)
	}
	c.texts = texts.String()
	return c, nil
}

func (c *charmap) put(r rune, e replacement) {
	page := int(r >> 8)
	for len(c.pages) <= page {
		c.pages = append(c.pages, nil)
	}
	if c.pages[page] == nil {
		c.pages[page] = new([256]replacement)
	}
	c.pages[page][r&255] = e
}

// mapped is the packed form's tokenizer.
type mapped struct {
	chars   *charmap
	unigram *unigram
}

func (m *mapped) ids(text string, s *scratch) []int32 {
	s.text = m.normalise(s.text[:0], firstChars(text, packedChars))
	ids := m.unigram.split(s.ids[:0], s.text, s)
	return dropUnknown(ids[:min(len(ids), packedLimit)], m.unigram.unk)
}

func (m *mapped) normalise(out []byte, text string) []byte {
	space := true // a space before the first character is the trimmed one
	out = append(out, wordStart...)
	for _, r := range text {
		to, ok := m.chars.of(r)
		if !ok {
			out, space = appendSpaced(out, r, space)
			continue
		}
		for _, r := range to {
			out, space = appendSpaced(out, r, space)
		}
	}
	if space && len(out) > len(wordStart) {
		out = out[:len(out)-len(wordStart)]
	}
	return out
}

// appendSpaced writes a space as U+2581, unless one was just written.
func appendSpaced(out []byte, r rune, space bool) ([]byte, bool) {
	if r != ' ' {
		return utf8.AppendRune(out, r), false
	}
	if space {
		return out, true
	}
	return append(out, wordStart...), true
}
