package model

import (
	"encoding/base64"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// requireSound embeds a text twice and looks at the vector.
func requireSound(t *testing.T, m *Model, text string, unit bool) {
	t.Helper()
	v := embed(m, text)
	if !slices.Equal(embed(m, text), v) {
		t.Errorf("%.60q has two vectors", text)
	}
	for i, x := range v {
		if math.IsNaN(float64(x)) {
			t.Fatalf("value %d of the vector of %.60q is no number", i, text)
		}
	}
	if l := length(v); unit && l != 0 && math.Abs(l-1) > 1e-3 {
		t.Errorf("the vector of %.60q is %v long", text, l)
	}
}

func FuzzEmbed(f *testing.F) {
	for _, text := range referenceTexts(f, *referenceDir) {
		if len(text) < 500 {
			f.Add([]byte(text))
		}
	}
	data, err := os.ReadFile(filepath.Join("default", "static.bin"))
	if err != nil {
		f.Fatal(err)
	}
	packed, err := Packed("default", string(data))
	if err != nil {
		f.Fatal(err)
	}
	loaded := map[string]*Model{}
	for _, name := range []string{"plain", "precompiled", "half", "int8", "bytes", "punctuated", "double"} {
		if loaded[name], err = Load(filepath.Join(*referenceDir, name)); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		requireSound(t, packed, string(text), true)
		for name, m := range loaded {
			requireSound(t, m, string(text), name != "int8" && name != "double")
		}
	})
}

func FuzzTokenizer(f *testing.F) {
	// Small ones: the fuzzer spends its time on making large inputs smaller.
	const vocab = `"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["▁",-1],["a",-2],["▁a",-1.5],["e\u0301",-3]]}}`
	for _, rest := range []string{
		``,
		`"normalizer":{"type":"Sequence","normalizers":[{"type":"Nmt"},{"type":"NFKC"},{"type":"Strip","strip_left":true,"strip_right":true}]},`,
		`"normalizer":{"type":"Sequence","normalizers":[{"type":"NFD"},{"type":"Lowercase"},{"type":"StripAccents"},{"type":"Prepend","prepend":"a"}]},`,
		`"normalizer":{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "},"pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"first"},`,
		`"normalizer":{"type":"Replace","pattern":{"Regex":"[\\s]+|(a|b)+$"},"content":""},"pre_tokenizer":{"type":"Whitespace"},`,
		`"normalizer":{"type":"Replace","pattern":{"String":"a"},"content":"aa"},"pre_tokenizer":{"type":"Punctuation","behavior":"Contiguous"},`,
		`"normalizer":{"type":"Precompiled","precompiled_charsmap":"CAAAAAAEAABhBAAAYQBiAA=="},`,
		`"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Metaspace","replacement":"▁","split":true,"prepend_scheme":"first"}]},`,
		`"added_tokens":[{"content":"<s>","lstrip":true},{"content":"an","single_word":true,"normalized":true,"rstrip":true}],`,
	} {
		f.Add([]byte(`{` + rest + vocab))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := parseTokenizer(data)
		if err != nil {
			return
		}
		v.pipeline.limit, v.pipeline.chars = -1, -1
		for _, text := range []string{"", "Send an  email\u0301 to <s>Ünïted</s>\r\n ﬁ 漢字 👩‍👩‍👧 \x00", string(data[:min(len(data), 300)])} {
			for _, id := range v.pipeline.ids(replaceInvalid(text), &scratch{}) {
				if id < 0 || id > v.highest {
					t.Fatalf("id %d of %d", id, v.highest)
				}
			}
		}
	})
}

func FuzzSafetensors(f *testing.F) {
	_, tensors := small()
	f.Add(tensorFile(tensors))
	tensors["weights"] = tensor{Type: "F64", Shape: []int{3}, data: string(make([]byte, 24))}
	tensors["mapping"] = tensor{Type: "I64", Shape: []int{3}, data: string(make([]byte, 24))}
	f.Add(tensorFile(tensors))
	f.Add(tensorFile(map[string]tensor{"embeddings": {Type: "F16", Shape: []int{3, 1}, data: "abcdef"}}))
	f.Add(tensorFile(map[string]tensor{"embeddings": {Type: "I8", Shape: []int{3, 2}, data: "abcdef"}}))
	tokenizer, _ := small()
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := parseTokenizer([]byte(tokenizer))
		if err != nil {
			t.Fatal(err)
		}
		v.pipeline.limit, v.pipeline.chars = -1, -1
		parsed, err := parseSafetensors(string(data))
		if err != nil {
			return
		}
		table, err := newTable(parsed, v, true)
		if err != nil {
			return
		}
		m := &Model{dim: table.dim, tokens: v.pipeline, rows: table}
		m.Embed(make([]float32, m.dim), "abba c")
	})
}

func FuzzPacked(f *testing.F) {
	f.Add([]byte(tinyPacked(32, "<unk>", "▁", "a", "b", "ab")))
	f.Add([]byte(tinyPacked(64, "x")))
	f.Add([]byte("SML1\x02\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Packed("fuzz", string(data))
		if err != nil {
			return
		}
		requireSound(t, m, "Send an email", true)
		requireSound(t, m, string(data), true)
	})
}

func BenchmarkEmbedLoaded(b *testing.B) {
	m, err := Load(filepath.Join(*referenceDir, "precompiled"))
	if err != nil {
		b.Fatal(err)
	}
	v := make([]float32, m.Dim())
	b.ReportAllocs()
	for b.Loop() {
		m.Embed(v, "Create a new branch in the repository for the release")
	}
}

func FuzzPrecompiled(f *testing.F) {
	f.Add([]byte("\x04\x00\x00\x00\x00\x00\x00\x00"), "a")
	var reference tokenizerJSON
	readJSON(f, &reference, *referenceDir, "precompiled", TokenizerFile)
	data, err := base64.StdEncoding.DecodeString(reference.Normalizer.Normalizers[0].Charsmap)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[:4096], "ﬁ Å é\r\n½")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		n, err := parsePrecompiled(base64.StdEncoding.EncodeToString(data))
		if err != nil {
			return
		}
		var traced, plain rewriter
		traced.traced = true
		for _, w := range []*rewriter{&traced, &plain} {
			w.reset(text, 0)
			n.rewrite(w)
		}
		if string(traced.text) != string(plain.text) || len(traced.from) != len(traced.text) {
			t.Errorf("%q became %q, traced %q with %d origins", text, plain.text, traced.text, len(traced.from))
		}
	})
}
