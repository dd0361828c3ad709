package model

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var referenceDir = flag.String("reference", filepath.Join("testdata", "reference"), "folder made by testdata/make.py")

// said is what the reference says about one text.
type said struct {
	IDs    []int32 `json:"ids"`
	Vector string  `json:"vector"`
}

func readJSON(t testing.TB, into any, path ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", filepath.Join(path...), err)
	}
}

// referenceTexts are the texts that goldens are about.
func referenceTexts(t testing.TB, dir string) []string {
	t.Helper()
	var raw []struct {
		Base64 []byte `json:"base64"`
		Times  int    `json:"times"`
	}
	readJSON(t, &raw, dir, "texts.json")
	texts := make([]string, len(raw))
	for i, r := range raw {
		texts[i] = strings.Repeat(string(r.Base64), r.Times)
	}
	return texts
}

func floats(t testing.TB, text string) []float32 {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	v := make([]float32, len(data)/4)
	for i := range v {
		v[i] = math.Float32frombits(le32(string(data[4*i:])))
	}
	return v
}

// compare holds a model to a golden and tells how many vectors are the same to the last bit.
func compare(t *testing.T, m *Model, texts []string, want []said) (same int) {
	t.Helper()
	if len(want) != len(texts) {
		t.Fatalf("%d goldens for %d texts: run testdata/make.py again", len(want), len(texts))
	}
	got := make([]float32, m.Dim())
	for i, text := range texts {
		ids := m.tokens.ids(replaceInvalid(text), &scratch{})
		if !slices.Equal(ids, want[i].IDs) {
			t.Errorf("%.60q: ids %.300v, the reference says %.300v", text, ids, want[i].IDs)
			continue
		}
		vector := floats(t, want[i].Vector)
		m.Embed(got, text)
		if slices.Equal(got, vector) {
			same++
		}
		for j := range got {
			if off := math.Abs(float64(got[j] - vector[j])); !(off <= 1e-5) {
				t.Errorf("%.60q: value %d is %v, the reference says %v", text, j, got[j], vector[j])
				break
			}
		}
	}
	return same
}

func TestTheEmbeddedModelIsTheIndependentReaders(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("default", "static.bin"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		SHA256 string
		Texts  []said
	}
	readJSON(t, &golden, *referenceDir, "default", "golden.json")
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != golden.SHA256 {
		t.Fatal("the golden is about another file: see testdata/README.md for how to make it anew")
	}
	m, err := Packed("default", string(data))
	if err != nil {
		t.Fatal(err)
	}
	compare(t, m, referenceTexts(t, *referenceDir), golden.Texts)
}

func TestLoadedModelsAreTheReferenceImplementations(t *testing.T) {
	texts := referenceTexts(t, *referenceDir)
	files, err := filepath.Glob(filepath.Join(*referenceDir, "*", TableFile))
	if err != nil || len(files) < 7 {
		t.Fatalf("%d models in %s (%v): make.py makes seven", len(files), *referenceDir, err)
	}
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var golden struct{ Texts []said }
			readJSON(t, &golden, dir, "golden.json")
			m, err := Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			if same := compare(t, m, texts, golden.Texts); same != len(texts) {
				t.Logf("%d of %d vectors are the same to the last bit", same, len(texts))
			}
		})
	}
}
