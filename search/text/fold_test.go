package text

import (
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// TestFoldingRuneByRuneIsFolding: Latin words are folded by a table, which must
// give what taking all of a word apart gives.
func TestFoldingRuneByRuneIsFolding(t *testing.T) {
	for r := range rune(latinEnd) {
		for _, s := range []string{string(r), "a" + string(r), string(r) + "z", string(r) + string(r)} {
			if got, want := Fold(s), foldAny(s); got != want {
				t.Errorf("Fold(%q) = %q, want %q", s, got, want)
			}
		}
	}
	latin := &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0, Hi: latinEnd - 1, Stride: 1}}}
	marks := &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x300, Hi: 0x36f, Stride: 1}}}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom(nil, latin, latin, marks)).Draw(t, "text")
		if got, want := Fold(s), foldAny(s); got != want {
			t.Errorf("Fold(%q) = %q, want %q", s, got, want)
		}
	})
}
