package search

import (
	"math"
	"sync"
	"testing"

	"golang.org/x/text/unicode/norm"

	defaultmodel "mcp-toolsearch/model/default"
)

// loadOnce reads the model that is in the binary once for all tests.
var loadOnce = sync.OnceValues(func() (Embedder, error) { return defaultmodel.Load() })

// embedded is the model that is in the binary.
func embedded(t testing.TB) Embedder {
	t.Helper()
	m, err := loadOnce()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// letters is an Embedder for tests that don't care for meaning: texts with the
// same pairs of letters are near each other. It counts the texts it embeds.
type letters struct {
	mu    sync.Mutex
	texts map[string]int
	quiet bool // nothing is counted
}

func (l *letters) Dim() int     { return 64 }
func (l *letters) Name() string { return "letters" }

func (l *letters) Embed(dst []float32, text string) {
	if !l.quiet {
		l.mu.Lock()
		if l.texts == nil {
			l.texts = map[string]int{}
		}
		l.texts[text]++
		l.mu.Unlock()
	}
	clear(dst)
	prev := rune(' ')
	square := 0.0
	for _, r := range norm.NFKC.String(text) {
		dst[(uint32(prev)*31+uint32(r))%64]++
		prev = r
	}
	for _, x := range dst {
		square += float64(x * x)
	}
	if square > 0 {
		for i := range dst {
			dst[i] /= float32(math.Sqrt(square))
		}
	}
}

func (l *letters) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, times := range l.texts {
		n += times
	}
	return n
}
