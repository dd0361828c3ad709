package model

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// tokenizerOf builds a tokenizer from the parts of a tokenizer.json.
func tokenizerOf(t *testing.T, rest, vocab string) *pipeline {
	t.Helper()
	v, err := parseTokenizer([]byte(`{` + rest + `"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],` + vocab + `]}}`))
	if err != nil {
		t.Fatal(err)
	}
	v.pipeline.chars, v.pipeline.limit = -1, -1
	return v.pipeline
}

func TestNormalizersRewriteTexts(t *testing.T) {
	var reference tokenizerJSON
	readJSON(t, &reference, *referenceDir, "precompiled", TokenizerFile)
	charsmap, err := json.Marshal(reference.Normalizer.Normalizers[0])
	if err != nil {
		t.Fatal(err)
	}
	pattern := func(regex string) string {
		return `{"type":"Replace","content":"_","pattern":{"Regex":` + string(must(json.Marshal(regex))) + `}}`
	}
	for _, tt := range []struct{ name, normalizer, in, want string }{
		{"a line end is one grapheme", string(charsmap), "a\r\nb\rc", "a b c"},
		{"a long grapheme goes by characters", string(charsmap), "ﬁ\u0301\u0302\u0303", "fi\u0301\u0302\u0303"},
		{"a short grapheme goes as a whole, by its shortest start", string(charsmap), "½\u0301", "1⁄2"},
		{"lower case knows one character that becomes two", `{"type":"Lowercase"}`, "İSTANBUL ΣΑΣ", "i\u0307stanbul σασ"},
		{"accents go", `{"type":"StripAccents"}`, "e\u0301é\u0903", "eé"},
		{"no joiner is put between many marks", `{"type":"NFD"}`, "é" + strings.Repeat("\u0301", 40), "e" + strings.Repeat("\u0301", 41)},
		{"a joiner that was there stays", `{"type":"NFD"}`, "é\u034f", "e\u0301\u034f"},
		{"NFKC", `{"type":"NFKC"}`, "ﬁ e\u0301 ①", "fi é 1"},
		{"NFKD", `{"type":"NFKD"}`, "ﬁ é", "fi e\u0301"},
		{"NFC", `{"type":"NFC"}`, "ﬁ e\u0301", "ﬁ é"},
		{"Nmt", `{"type":"Nmt"}`, "a\tb\x01c\u200bd\ufffd", "a bc d "},
		{"left", `{"type":"Strip","strip_left":true}`, "\u00a0 a ", "a "},
		{"right", `{"type":"Strip","strip_right":true}`, " a \u3000", " a"},
		{"nothing is put in front of nothing", `{"type":"Sequence","normalizers":[{"type":"Strip","strip_left":true,"strip_right":true},{"type":"Prepend","prepend":"_"}]}`, "  ", ""},
		{"in front", `{"type":"Prepend","prepend":"_"}`, "a", "_a"},
		{"many spaces", pattern(" {2,}"), "  a b   c  ", "_a b_c_"},
		{"one or more", pattern("x+"), "xxaxbxx", "_a_b_"},
		{"at most so many", pattern("x{2,3}"), "xaxxxxx", "xa__"},
		{"Unicode's spaces", pattern(`\s+`), "a\u2003\u0085\t\u3000b", "a_b"},
		{"no spaces", pattern(`\S+`), "ab\u2003c", "_\u2003_"},
		{"digits of any script", pattern(`\d`), "1٣x", "__x"},
		{"words of any script", pattern(`[\w-]+`), "naïve-日本 ok", "_ _"},
		{"no digits", pattern(`\D+`), "ab1", "_1"},
		{"lines", pattern(`^a`), "a\naa", "_\n_a"},
		{"escapes", pattern(`\.\[`), "a.[", "a_"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var n normalizerJSON
			if err := json.Unmarshal([]byte(tt.normalizer), &n); err != nil {
				t.Fatal(err)
			}
			built, err := n.build()
			if err != nil {
				t.Fatal(err)
			}
			for _, traced := range []bool{false, true} {
				w := &rewriter{traced: traced}
				w.reset(tt.in, 0)
				built.rewrite(w)
				if got := string(w.text); got != tt.want {
					t.Errorf("%q became %q, want %q", tt.in, got, tt.want)
				}
				if traced && len(w.from) != len(w.text) {
					t.Errorf("%d origins for %d bytes", len(w.from), len(w.text))
				}
			}
		})
	}
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

func TestPreTokenizersCutTexts(t *testing.T) {
	punctuation := func(behavior string) string { return `{"type":"Punctuation","behavior":"` + behavior + `"}` }
	for name, tt := range map[string]struct {
		pre, in string
		want    []string
	}{
		"matches go":                   {punctuation("Removed"), "the-final--countdown", []string{"the", "final", "countdown"}},
		"matches stand alone":          {punctuation("Isolated"), "the-final--countdown", []string{"the", "-", "final", "-", "-", "countdown"}},
		"matches join what is before":  {punctuation("MergedWithPrevious"), "the-final--countdown", []string{"the-", "final-", "-", "countdown"}},
		"matches join what comes next": {punctuation("MergedWithNext"), "the-final--countdown-", []string{"the", "-final", "-", "-countdown", "-"}},
		"matches join each other":      {punctuation("Contiguous"), "the-final--countdown", []string{"the", "-", "final", "--", "countdown"}},
		"a match first":                {punctuation("MergedWithPrevious"), "-a", []string{"-", "a"}},
		"symbols of ASCII too":         {punctuation("Isolated"), "a$b€c«d", []string{"a", "$", "b€c", "«", "d"}},
		"white space":                  {`{"type":"WhitespaceSplit"}`, " a\u3000b\n", []string{"a", "b"}},
		"words":                        {`{"type":"Whitespace"}`, "naïve_x: a\u0301b ... ½", []string{"naïve_x", ":", "a\u0301b", "...", "½"}},
		"marks":                        {`{"type":"Metaspace","replacement":"_"}`, "a  b", []string{"_a", "_", "_b"}},
		"marks at the end":             {`{"type":"Metaspace","replacement":"_"}`, " a ", []string{"_a", "_"}},
		"marks, in one":                {`{"type":"Metaspace","replacement":"_","split":false}`, "a b", []string{"_a_b"}},
		"no mark in front":             {`{"type":"Metaspace","replacement":"_","prepend_scheme":"never"}`, "a b", []string{"a", "_b"}},
		"old spelling of that":         {`{"type":"Metaspace","replacement":"_","add_prefix_space":false}`, "a b", []string{"a", "_b"}},
		"a mark in front of the first": {`{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Metaspace","replacement":"_","prepend_scheme":"first"}]}`, "a b", []string{"_a", "b"}},
		"no first when spaces were":    {`{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":"Metaspace","replacement":"_","prepend_scheme":"first"}]}`, " a b", []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := tokenizerOf(t, `"pre_tokenizer":`+tt.pre+`,`, `["a",-1]`)
			s := &scratch{}
			s.run.traced = p.traced
			s.run.reset(tt.in, 0)
			s.parts = split(nil, nil, s.run.text)
			p.pre.cut(s)
			var got []string
			for _, part := range s.parts {
				got = append(got, string(s.run.text[part.lo:part.hi]))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q was cut into %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestTheUnigramSearchIsTheReferences(t *testing.T) {
	for name, tt := range map[string]struct {
		vocab, text string
		want        []int32
	}{
		"of equal paths the first stays":            {`["a",-1],["bc",-2],["ab",-2],["c",-1]`, "abc", []int32{1, 2}},
		"the best sum wins":                         {`["a",-1],["b",-1],["ab",-1.5]`, "ab", []int32{3}},
		"an unknown character costs ten more":       {`["x",-1],["y",5],["?y",-9]`, "x?y", []int32{1, 3}},
		"unknown characters are one token":          {`["a",-1]`, "??a?", []int32{1}},
		"unless together they are a piece":          {`["ab",30],["c",30]`, "ab", []int32{1}},
		"a literal unknown piece is unknown":        {`["a",-1]`, "<unk>a", []int32{1}},
		"of two pieces of one text the later lives": {`["a",-1],["a",-1]`, "a", []int32{2}},
	} {
		t.Run(name, func(t *testing.T) {
			vocab := tt.vocab
			p := tokenizerOf(t, "", vocab)
			if strings.Contains(vocab, "30") {
				p.unigram.unknown = 20
			}
			if got := p.ids(tt.text, &scratch{}); !slices.Equal(got, tt.want) {
				t.Errorf("ids %v, want %v", got, tt.want)
			}
		})
	}
}

func TestAddedTokensAreFoundFirst(t *testing.T) {
	const vocab = `["a",-1],["b",-1],[" ",-1],["<t>",-9]`
	for name, tt := range map[string]struct {
		token, text string
		want        []int32
	}{
		"one of the vocabulary has its id": {`{"content":"<t>"}`, "a<t>b", []int32{1, 4, 2}},
		"another gets the next":            {`{"content":"ab"}`, "aab", []int32{1, 5}},
		"the longest of two":               {`{"content":"ab"},{"content":"aba"}`, "abab", []int32{6, 2}},
		"spaces on its left":               {`{"content":"ab","lstrip":true}`, "a \u3000ab b", []int32{1, 5, 3, 2}},
		"spaces on its right":              {`{"content":"ab","rstrip":true}`, "a ab  b", []int32{1, 3, 5, 2}},
		"a word alone":                     {`{"content":"ab","single_word":true}`, "ab aab ab", []int32{5, 3, 1, 1, 2, 3, 5}},
		"after normalising":                {`{"content":"AB","normalized":true}`, "aB ab AB", []int32{5, 3, 5, 3, 5}},
		"before, when it isn't normalised": {`{"content":"AB"}`, "aB AB", []int32{1, 2, 3, 5}},
		"nothing for nothing":              {`{"content":""}`, "a", []int32{1}},
	} {
		t.Run(name, func(t *testing.T) {
			p := tokenizerOf(t, `"normalizer":{"type":"Lowercase"},"added_tokens":[`+tt.token+`],`, vocab)
			if got := p.ids(tt.text, &scratch{}); !slices.Equal(got, tt.want) {
				t.Errorf("ids %v, want %v", got, tt.want)
			}
		})
	}
}

func TestFiveHundredAndTwelveTokensCountWhenNothingIsSaid(t *testing.T) {
	tokenizer, tensors := small()
	m, err := Load(writeModel(t, `{}`, tokenizer, tensorFile(tensors)))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(m.tokens.ids(strings.Repeat("a", 600), &scratch{})); n != 512 {
		t.Errorf("%d tokens", n)
	}
}
