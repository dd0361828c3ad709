package model

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// tiny packs a model of a few pieces, with 32 values a row.
func tiny(t testing.TB) *Model {
	t.Helper()
	m, err := Packed("tiny", tinyPacked(32, "<unk>", "▁", "a", "b", "ab", "▁ab", "é"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// tinyPacked writes the packed form. Row i is of ones, but for a seven in the odd column of i/2; later pieces score
// higher.
func tinyPacked(dim int, pieces ...string) string {
	var texts, scores, scales, values []byte
	for i, p := range pieces {
		texts = append(append(texts, byte(len(p))), p...)
		scores = binary.LittleEndian.AppendUint32(scores, math.Float32bits(float32(i-len(pieces))))
		for range dim / blockValues {
			scales = binary.LittleEndian.AppendUint16(scales, 0x3C00) // 1.0
		}
		row := slices.Repeat([]byte{0x99}, dim/2)
		row[i/2%len(row)] = 0xF9
		values = append(values, row...)
	}
	charmap := `{"65":"a","66":"b","9":" ","160":" ","8203":"","64257":"ab"}`
	h := fmt.Sprintf(`{"vocab":%d,"dim":%d,"bits":4,"block":32,"unk":0,"tokenizer":"unigram","pieces":%d,"charmap":%d}`, len(pieces), dim, len(texts), len(charmap))
	out := binary.LittleEndian.AppendUint32([]byte(packedMagic), uint32(len(h)))
	return string(slices.Concat(out, []byte(h), texts, scores, scales, values, []byte(charmap)))
}

func embed(m *Model, text string) []float32 {
	v := make([]float32, m.Dim())
	m.Embed(v, text)
	return v
}

func length(v []float32) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

func TestPackedTextIsMappedSpacedAndCut(t *testing.T) {
	m := tiny(t)
	for text, want := range map[string][]int32{
		"ab":                            {5},
		"AB":                            {5},
		"  a\t\u00a0b ":                 {1, 2, 1, 3},
		"\u200bab":                      {5},
		"ﬁ":                             {5},
		"abé":                           {5, 6},
		"ab漢字ab":                        {5, 4}, // unknown pieces are dropped
		"":                              {1},    // the mark in front is a piece
		"   ":                           {1},
		strings.Repeat("é", 200):        slices.Concat([]int32{1}, slices.Repeat([]int32{6}, 127)),
		strings.Repeat("漢é", 100):       slices.Concat([]int32{1}, slices.Repeat([]int32{6}, 63)),
		strings.Repeat("漢", 5000) + "é": {1}, // only 4,096 characters are looked at
		strings.Repeat("漢", 4095) + "é": {1, 6},
	} {
		if got := m.tokens.ids(text, &scratch{}); !slices.Equal(got, want) {
			t.Errorf("%.20q: ids %v, want %v", text, got, want)
		}
	}
}

func TestAVectorIsTheMeanOfTheRowsMadeOneLong(t *testing.T) {
	got := embed(tiny(t), "ab é") // rows 5, 1 and 6, each of ones and one seven
	for i, x := range got {
		sum := 3.0
		if i == 5 || i == 1 || i == 7 {
			sum = 9
		}
		if want := sum / math.Sqrt(29*3*3+3*9*9); math.Abs(float64(x)-want) > 1e-7 {
			t.Errorf("value %d is %v, want %v", i, x, want)
		}
	}
}

// The pool is left out: under the race detector it drops things at random.
func TestEmbedAllocatesNothing(t *testing.T) {
	loaded, err := Load(filepath.Join(*referenceDir, "precompiled"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*Model{tiny(t), loaded} {
		v, s := make([]float32, m.Dim()), &scratch{}
		text := strings.Repeat("ab é\t漢 <s> ﬁ", 300)
		m.embed(v, text, s)
		if n := testing.AllocsPerRun(100, func() { m.embed(v, text, s) }); n != 0 {
			t.Errorf("%s: %v allocations", m.Name(), n)
		}
	}
}

func TestEmbedIsDeterministicAndSafeForConcurrentUse(t *testing.T) {
	texts := referenceTexts(t, *referenceDir)
	models := map[string]*Model{"tiny": tiny(t)}
	for _, name := range []string{"precompiled", "half", "bytes"} {
		m, err := Load(filepath.Join(*referenceDir, name))
		if err != nil {
			t.Fatal(err)
		}
		models[name] = m
	}
	for name, m := range models {
		alone := make([][]float32, len(texts))
		for i, text := range texts {
			alone[i] = embed(m, text)
		}
		var wg sync.WaitGroup
		for worker := range 4 {
			wg.Go(func() {
				for i := range texts {
					i = (i*7 + worker*13) % len(texts)
					if !slices.Equal(embed(m, texts[i]), alone[i]) {
						t.Errorf("%s: %.40q has two vectors", name, texts[i])
					}
				}
			})
		}
		wg.Wait()
	}
}

func TestInvalidTextIsReplacedAsDecodersDo(t *testing.T) {
	for in, want := range map[string]string{
		"valid é 漢 😀":               "valid é 漢 😀",
		"\xff\xfe":                  "\ufffd\ufffd",
		"a\xe2\x82b":                "a\ufffdb",
		"\xf0\x9f\x98":              "\ufffd",
		"\xed\xa0\x80":              "\ufffd\ufffd\ufffd", // a surrogate
		"\xf4\x90\x80\x80":          "\ufffd\ufffd\ufffd\ufffd",
		"\xe0\x80\xaf":              "\ufffd\ufffd\ufffd",
		"\xc3(":                     "\ufffd(",
		"\xf1\x80\x80\xe1\x80\xc2b": "\ufffd\ufffd\ufffdb",
		"":                          "",
	} {
		if got := replaceInvalid(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestHalvesAreWidenedAndRoundedExactly(t *testing.T) {
	for h := range 1 << 16 {
		x := float64(float16(uint16(h)))
		if h&0x7FFF == 0 || h>>10&31 == 31 {
			continue
		}
		if got := roundToHalf(x); got != x {
			t.Fatalf("half %#04x is %v, rounded %v", h, x, got)
		}
		if h&0x7C00 == 0x7800 || h&0x8000 != 0 {
			continue
		}
		next := float64(float16(uint16(h + 1)))
		if got := roundToHalf(x + (next-x)*0.501); got != next {
			t.Fatalf("just above the middle of %v and %v became %v", x, next, got)
		}
	}
	if got := roundToHalf(65520); !math.IsInf(got, 1) {
		t.Errorf("65520 became %v", got)
	}
	if got := roundToHalf(-65519); got != -65504 {
		t.Errorf("-65519 became %v", got)
	}
	if got := float16(0x7C00); !math.IsInf(float64(got), 1) {
		t.Errorf("infinity became %v", got)
	}
}

func TestTheTrieFindsWhatIsThere(t *testing.T) {
	pieces := []string{"b", "", "a", "abcdefghij", "abcdefghik", "abcdefgh", "ab", "a\x00", "ab", "\xff"}
	trie := newTrie(pieces)
	for i, p := range pieces {
		want := int32(i)
		if p == "ab" {
			want = 8 // the later of two
		}
		if got := trie.find([]byte(p)); got != want {
			t.Errorf("%q has id %d, want %d", p, got, want)
		}
	}
	for _, p := range []string{"abc", "abcdefghi", "c", "a\x01", "ba"} {
		if got := trie.find([]byte(p)); got != noPiece {
			t.Errorf("%q has id %d", p, got)
		}
	}
}

func TestARowFileIsReadOnce(t *testing.T) {
	dir := copyModel(t, "plain")
	m, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	tokens := m.rows.(*table).rows.Shape[0]
	big := slices.Repeat([]byte{0, 0, 0x80, 0x3F}, tokens*4096)
	header := fmt.Sprintf(`{"embeddings":{"dtype":"F32","shape":[%d,4096],"data_offsets":[0,%d]}}`, tokens, len(big))
	file := slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), []byte(header), big)
	if err := os.WriteFile(filepath.Join(dir, TableFile), file, 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err = Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(len(file))+2<<20; got > most {
		t.Errorf("loading %d bytes allocated %d", len(file), got)
	}
	if l := length(embed(m, "send")); math.Abs(l-1) > 1e-5 {
		t.Errorf("a vector of length %v", l)
	}
}

func TestTheLimitCountsUnknownTokens(t *testing.T) {
	_, tensors := small()
	tokenizer := `{"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["aa",-1],["bb",-1]]}}`
	m, err := Load(writeModel(t, `{"max_length":3}`, tokenizer, tensorFile(tensors)))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int32{
		"?aa?bb":   {1},       // three tokens, two of them unknown
		"aabbaabb": {1, 2, 1}, // six characters, the median piece having two
		"aabb":     {1, 2},
		"????bbaa": {2},
	} {
		if got := m.tokens.ids(text, &scratch{}); !slices.Equal(got, want) {
			t.Errorf("%q: ids %v, want %v", text, got, want)
		}
	}
}

func TestTheStartOfATextIsCutInCharacters(t *testing.T) {
	for n := range 8 {
		got := firstChars("aé漢😀bc", n)
		if want := min(n, 6); utf8.RuneCountInString(got) != want || !strings.HasPrefix("aé漢😀bc", got) {
			t.Errorf("the first %d characters are %q", n, got)
		}
	}
}

// The sums are numpy's: add.reduce over the rows of a two-row float32 array.
func TestSquaresAreSummedInTheReferencesOrder(t *testing.T) {
	for n, want := range map[int]uint32{5: 0x405226af, 20: 0x40b1c0fa, 100: 0x415bf565, 140: 0x418c6902, 300: 0x4201a514, 1030: 0x42c5b4ba} {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(float32(1)/float32(i+1)) + 0.3
		}
		if got := math.Float32bits(squares(v)); got != want {
			t.Errorf("the squares of %d values are %#x, want %#x", n, got, want)
		}
	}
}
