package model

import (
	"strings"
	"unicode/utf8"
)

// replaceInvalid puts one U+FFFD in the place of each maximal subpart of an ill-formed sequence, as Unicode
// recommends (chapter 3, "U+FFFD Substitution of Maximal Subparts") and as most decoders do, so that bytes which were
// decoded before they came here and bytes that were not give the same vector.
func replaceInvalid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 8)
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && size == 1 {
			size = illFormed(text)
		}
		b.WriteRune(r)
		text = text[size:]
	}
	return b.String()
}

// illFormed is the length of the maximal subpart that text, which doesn't start with a character, starts with: the
// longest start of a well-formed sequence, at least one byte.
func illFormed(text string) int {
	width, low, high := 1, byte(0x80), byte(0xBF)
	switch lead := text[0]; {
	case lead >= 0xC2 && lead <= 0xDF:
		width = 2
	case lead >= 0xE0 && lead <= 0xEF:
		width = 3
		switch lead {
		case 0xE0:
			low = 0xA0
		case 0xED:
			high = 0x9F
		}
	case lead >= 0xF0 && lead <= 0xF4:
		width = 4
		switch lead {
		case 0xF0:
			low = 0x90
		case 0xF4:
			high = 0x8F
		}
	}
	size := 1
	for size < min(width, len(text)) && text[size] >= low && text[size] <= high {
		size++
		low, high = 0x80, 0xBF
	}
	return size
}

// firstChars cuts a text after n characters.
func firstChars(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for at := range text {
		if n == 0 {
			return text[:at]
		}
		n--
	}
	return text
}
