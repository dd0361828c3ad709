package golden

import "testing"

func TestADifferenceNamesTheLine(t *testing.T) {
	for name, tt := range map[string]struct{ want, got, text string }{
		"equal texts":    {"a\nb\n", "a\nb\n", ""},
		"a changed line": {"a\nb\n", "a\nc\n", `line 2 is "c", want "b"`},
		"a new line":     {"a", "a\nb", `line 2 is new: "b"`},
		"a missing line": {"a\nb", "a", `line 2 is gone: "b"`},
	} {
		if text := difference(tt.want, tt.got); text != tt.text {
			t.Errorf("%s: %q, want %q", name, text, tt.text)
		}
	}
	File(t, "testdata/kept.txt", "kept by this test\n")
}
