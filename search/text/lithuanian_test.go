package text

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// TestLithuanianAgreesWithReference holds the stemmer to 10,000 stems of the
// reference implementation.
func TestLithuanianAgreesWithReference(t *testing.T) {
	f, err := os.Open("testdata/lithuanian.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	words, wrong := 0, 0
	for lines.Scan() {
		word, stem, ok := strings.Cut(lines.Text(), " ")
		if !ok || word == "#" {
			continue
		}
		words++
		if got := Lithuanian(word); got != stem {
			wrong++
			if wrong <= 20 {
				t.Errorf("Lithuanian(%q) = %q, the reference has %q", word, got, stem)
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if words < 10000 {
		t.Errorf("%d words compared, want 10000", words)
	}
}
