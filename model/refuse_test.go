package model

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// copyModel copies a committed model, to be changed.
func copyModel(t testing.TB, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(*referenceDir, name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// tensorFile writes a safetensors file.
func tensorFile(tensors map[string]tensor) []byte {
	header := map[string]any{"__metadata__": map[string]string{"format": "np"}}
	var body []byte
	for name, x := range tensors {
		header[name] = map[string]any{"dtype": x.Type, "shape": x.Shape, "data_offsets": []int{len(body), len(body) + len(x.data)}}
		body = append(body, x.data...)
	}
	text, _ := json.Marshal(header)
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, body)
}

// small is a model of three pieces with rows of two values.
func small() (tokenizer string, tensors map[string]tensor) {
	tokenizer = `{"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["a",-1.5],["\u0062",-2]]}}`
	return tokenizer, map[string]tensor{"embeddings": {Type: "F32", Shape: []int{3, 2}, data: float32s(0, 0, 3, 4, 0, -2)}}
}

func float32s(values ...float32) string {
	var b []byte
	for _, x := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return string(b)
}

func writeModel(t testing.TB, config, tokenizer string, tensors []byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string]string{ConfigFile: config, TokenizerFile: tokenizer, TableFile: string(tensors)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestASmallModelIsTheMeanByHand(t *testing.T) {
	tokenizer, tensors := small()
	weights := tensor{Type: "F32", Shape: []int{3}, data: float32s(1, 2, 0.5)}
	mapping := tensor{Type: "I32", Shape: []int{3}, data: string([]byte{0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0})}
	for name, tt := range map[string]struct {
		config string
		more   map[string]tensor
		want   []float32
	}{
		"plain":                 {`{}`, nil, []float32{2, 2}},
		"normalised":            {`{"normalize":true}`, nil, []float32{float32(math.Sqrt(.5)), float32(math.Sqrt(.5))}},
		"weighted":              {`{}`, map[string]tensor{"weights": weights}, []float32{4, 5}},
		"mapped":                {`{}`, map[string]tensor{"mapping": mapping}, []float32{1, 0}},
		"mapped and weighted":   {`{}`, map[string]tensor{"mapping": mapping, "weights": weights}, []float32{0.5, -2}},
		"of the first token":    {`{"max_length":1}`, nil, []float32{3, 4}},
		"of no token":           {`{"max_length":0}`, nil, []float32{0, 0}},
		"of all, without limit": {`{"max_length":null}`, nil, []float32{2, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			all := map[string]tensor{"embeddings": tensors["embeddings"]}
			for k, v := range tt.more {
				all[k] = v
			}
			m, err := Load(writeModel(t, tt.config, tokenizer, tensorFile(all)))
			if err != nil {
				t.Fatal(err)
			}
			got := embed(m, "aab") // unknown pieces: none
			for i := range got {
				if math.Abs(float64(got[i]-tt.want[i])) > 1e-6 {
					t.Errorf("got %v, want %v", got, tt.want)
					break
				}
			}
		})
	}
}

func TestUnusableModelsAreRefused(t *testing.T) {
	fine, tensors := small()
	table := string(tensorFile(tensors))
	vocab := strings.TrimSuffix(strings.TrimPrefix(fine, `{`), `}`)
	rows := tensors["embeddings"]
	with := func(name string, x tensor) string {
		return string(tensorFile(map[string]tensor{"embeddings": rows, name: x}))
	}
	for name, tt := range map[string]struct{ config, tokenizer, table, want string }{
		"config: no JSON":            {`{`, fine, table, "config.json: it is not what"},
		"config: no limit":           {`{"max_length":-1}`, fine, table, "config.json: its max_length is -1: set"},
		"config: limit of text":      {`{"max_length":"x"}`, fine, table, "set a number of tokens, or null"},
		"tokenizer: no JSON":         {`{}`, `[`, table, "tokenizer.json: it is not what"},
		"tokenizer: no model":        {`{}`, `{}`, table, `no "model"`},
		"tokenizer: WordPiece":       {`{}`, `{"model":{"type":"WordPiece","vocab":{"a":1}}}`, table, `"WordPiece", but only Unigram can be read: choose`},
		"tokenizer: no pieces":       {`{}`, `{"model":{"type":"Unigram","vocab":[]}}`, table, "0 pieces"},
		"tokenizer: odd piece":       {`{}`, `{"model":{"type":"Unigram","vocab":[["a"]]}}`, table, "not [text, score]"},
		"tokenizer: odd score":       {`{}`, `{"model":{"type":"Unigram","vocab":[["a",1e999]]}}`, table, "not a number"},
		"tokenizer: piece no text":   {`{}`, `{"model":{"type":"Unigram","vocab":[[1,2]]}}`, table, "not [text, score]"},
		"tokenizer: unk outside":     {`{}`, `{"model":{"type":"Unigram","unk_id":9,"vocab":[["a",1]]}}`, table, "unk_id is 9"},
		"tokenizer: normalizer":      {`{}`, `{"normalizer":{"type":"BertNormalizer"},` + vocab + `}`, table, `normalizer of type "BertNormalizer"`},
		"tokenizer: in a sequence":   {`{}`, `{"normalizer":{"type":"Sequence","normalizers":[{"type":"ByteLevel"}]},` + vocab + `}`, table, `"ByteLevel"`},
		"tokenizer: look-ahead":      {`{}`, `{"normalizer":{"type":"Replace","pattern":{"Regex":"a(?=b)"},"content":""},` + vocab + `}`, table, "a(?=b)"},
		"tokenizer: word boundary":   {`{}`, `{"normalizer":{"type":"Replace","pattern":{"Regex":"\\bx"},"content":""},` + vocab + `}`, table, "word boundaries"},
		"tokenizer: empty match":     {`{}`, `{"normalizer":{"type":"Replace","pattern":{"Regex":"x*"},"content":"y"},` + vocab + `}`, table, "matches the empty text"},
		"tokenizer: no pattern":      {`{}`, `{"normalizer":{"type":"Replace","content":"y"},` + vocab + `}`, table, "no pattern"},
		"tokenizer: charsmap":        {`{}`, `{"normalizer":{"type":"Precompiled","precompiled_charsmap":"?"},` + vocab + `}`, table, "base64"},
		"tokenizer: short charsmap":  {`{}`, `{"normalizer":{"type":"Precompiled","precompiled_charsmap":"AAA="},` + vocab + `}`, table, "too short"},
		"tokenizer: cut charsmap":    {`{}`, `{"normalizer":{"type":"Precompiled","precompiled_charsmap":"/////wAAAAA="},` + vocab + `}`, table, "ends too early"},
		"tokenizer: pre-tokenizer":   {`{}`, `{"pre_tokenizer":{"type":"ByteLevel"},` + vocab + `}`, table, `pre-tokenizer of type "ByteLevel"`},
		"tokenizer: marks":           {`{}`, `{"pre_tokenizer":{"type":"Metaspace","replacement":"__"},` + vocab + `}`, table, "not one character"},
		"tokenizer: scheme":          {`{}`, `{"pre_tokenizer":{"type":"Metaspace","replacement":"_","prepend_scheme":"last"},` + vocab + `}`, table, `"last"`},
		"tokenizer: behavior":        {`{}`, `{"pre_tokenizer":{"type":"Punctuation","behavior":"Odd"},` + vocab + `}`, table, `"Odd"`},
		"table: empty":               {`{}`, fine, "", "model.safetensors: it is too short"},
		"table: long header":         {`{}`, fine, "\xff\xff\xff\xff\xff\xff\xff\xff{}", "header is longer than the file: download"},
		"table: header no JSON":      {`{}`, fine, "\x02\x00\x00\x00\x00\x00\x00\x00[]", "header can't be read"},
		"table: no rows":             {`{}`, fine, string(tensorFile(nil)), `no tensor "embeddings": are all files of the same model`},
		"table: type":                {`{}`, fine, string(tensorFile(map[string]tensor{"embeddings": {Type: "BF16", Shape: []int{3, 2}, data: "            "}})), "type BF16, but F32, F16, I8, F64"},
		"table: dimensions":          {`{}`, fine, string(tensorFile(map[string]tensor{"embeddings": {Type: "I8", Shape: []int{3}, data: "abc"}})), "1 dimensions, not 2"},
		"table: shape":               {`{}`, fine, string(tensorFile(map[string]tensor{"embeddings": {Type: "I8", Shape: []int{3, 2}, data: "abc"}})), "doesn't fit its shape"},
		"table: rest":                {`{}`, fine, string(tensorFile(map[string]tensor{"embeddings": {Type: "I8", Shape: []int{3, 2}, data: "abcdefg"}})), "7 bytes, not the 6"},
		"table: overflowing shape":   {`{}`, fine, string(tensorFile(map[string]tensor{"embeddings": {Type: "I8", Shape: []int{1 << 62, 4}, data: "abc"}})), "doesn't fit its shape"},
		"table: ends":                {`{}`, fine, string(tensorFile(tensors)[:len(table)-1]), "ends after the file does"},
		"table: rows":                {`{}`, fine, string(tensorFile(map[string]tensor{"embeddings": {Type: "I8", Shape: []int{2, 2}, data: "abcd"}})), "2 rows, but the tokenizer has 3 tokens"},
		"table: no number":           {`{}`, fine, string(tensorFile(map[string]tensor{"embeddings": {Type: "F32", Shape: []int{3, 1}, data: float32s(1, 2, float32(math.NaN()))}})), "not a number"},
		"table: weights":             {`{}`, fine, with("weights", tensor{Type: "F32", Shape: []int{1}, data: float32s(1)}), "1 weights, but the tokenizer has ids up to 2"},
		"table: weights' type":       {`{}`, fine, with("weights", tensor{Type: "I64", Shape: []int{1}, data: "12345678"}), "type I64, but F64, F32"},
		"table: weight of no number": {`{}`, fine, with("weights", tensor{Type: "F32", Shape: []int{3}, data: float32s(1, 2, float32(math.Inf(1)))}), "weight 2 is not a number"},
		"table: mapping":             {`{}`, fine, with("mapping", tensor{Type: "I32", Shape: []int{1}, data: "\x00\x00\x00\x00"}), "mapping has 1 entries"},
		"table: mapping outside":     {`{}`, fine, with("mapping", tensor{Type: "I32", Shape: []int{3}, data: strings.Repeat("\x03\x00\x00\x00", 3)}), "row 3 of 3"},
		"table: mapping below":       {`{}`, fine, with("mapping", tensor{Type: "I64", Shape: []int{3}, data: strings.Repeat("\xff", 24)}), "row -1 of 3"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeModel(t, tt.config, tt.tokenizer, []byte(tt.table))
			_, err := Load(dir)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), dir) {
				t.Errorf("error %v, want %q with the file's name", err, tt.want)
			}
		})
	}
}

func TestAFolderWithoutAModelSaysHowToGetOne(t *testing.T) {
	for _, file := range []string{ConfigFile, TokenizerFile, TableFile} {
		dir := copyModel(t, "plain")
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
		_, err := Load(dir)
		if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "fetch-model --model-dir "+dir) {
			t.Errorf("without %s: %v", file, err)
		}
	}
}

func TestUnusablePackedModelsAreRefused(t *testing.T) {
	fine := tinyPacked(32, "<unk>", "a")
	edit := func(old, with string) string {
		changed := strings.Replace(fine, old, with, 1)
		size := strings.Index(changed[8:], "}") + 1
		return packedMagic + string(binary.LittleEndian.AppendUint32(nil, uint32(size))) + changed[8:]
	}
	body := strings.Index(fine, "}") + 1
	for name, tt := range map[string]struct{ data, want string }{
		"nothing":         {"", "must start with SML1"},
		"another file":    {"GGUF" + fine[4:], "must start with SML1"},
		"cut in header":   {fine[:20], "ends too early"},
		"cut":             {fine[:len(fine)-1], "bytes of data, not"},
		"longer":          {fine + "x", "bytes of data, not"},
		"header no JSON":  {strings.Replace(fine, `{"vocab"`, `["vocab"`, 1), "header"},
		"no pieces":       {edit(`"vocab":2`, `"vocab":0`), "makes no sense"},
		"negative":        {edit(`"vocab":2`, `"vocab":-2`), "makes no sense"},
		"huge":            {edit(`"vocab":2`, `"vocab":999999999`), "makes no sense"},
		"odd width":       {edit(`"dim":32`, `"dim":33`), "makes no sense"},
		"unknown outside": {edit(`"unk":0`, `"unk":2`), "makes no sense"},
		"other bits":      {edit(`"bits":4`, `"bits":3`), "3 bits"},
		"other tokenizer": {edit(`"unigram"`, `"bpe"`), `"bpe"`},
		"a long piece":    {fine[:body] + "\xff" + fine[body+1:], "ends too early"},
		"a short piece":   {fine[:body+6] + "\x00" + fine[body+7:], "more pieces"},
		"no score":        {fine[:body+8] + float32s(float32(math.NaN())) + fine[body+12:], "score"},
		"no scale":        {fine[:body+16] + "\x00\x7e" + fine[body+18:], "scale"},
		"no map":          {fine[:len(fine)-1] + "]", "character map"},
		"an odd map":      {strings.Replace(fine, `"65":`, `"6x":`, 1), `"6x"`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Packed("x", tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := Packed("x", fine); err != nil {
		t.Errorf("the model that was broken above is itself refused: %v", err)
	}
}

func ExamplePacked() {
	m, err := Packed("tiny", tinyPacked(32, "<unk>", "▁", "a", "b"))
	if err != nil {
		panic(err)
	}
	v := make([]float32, m.Dim())
	m.Embed(v, "a b")
	fmt.Printf("%d values, length %.3f\n", len(v), length(v))
	// Output: 32 values, length 1.000
}
