package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// tokenizerJSON is what counts of a tokenizer.json.
type tokenizerJSON struct {
	AddedTokens  []addedToken      `json:"added_tokens"`
	Normalizer   *normalizerJSON   `json:"normalizer"`
	PreTokenizer *preTokenizerJSON `json:"pre_tokenizer"`
	Model        *unigramJSON      `json:"model"`
}

type unigramJSON struct {
	Type         string          `json:"type"`
	UnkID        *int64          `json:"unk_id"`
	ByteFallback bool            `json:"byte_fallback"`
	Vocab        json.RawMessage `json:"vocab"` // a list only for Unigram
}

type normalizerJSON struct {
	Type        string           `json:"type"`
	Normalizers []normalizerJSON `json:"normalizers"`
	Charsmap    string           `json:"precompiled_charsmap"`
	Pattern     patternJSON      `json:"pattern"`
	Content     string           `json:"content"`
	StripLeft   bool             `json:"strip_left"`
	StripRight  bool             `json:"strip_right"`
	Prepend     string           `json:"prepend"`
}

type patternJSON struct {
	String *string
	Regex  *string
}

type preTokenizerJSON struct {
	Type           string             `json:"type"`
	PreTokenizers  []preTokenizerJSON `json:"pretokenizers"`
	Replacement    string             `json:"replacement"`
	PrependScheme  string             `json:"prepend_scheme"`
	AddPrefixSpace *bool              `json:"add_prefix_space"`
	Split          *bool              `json:"split"`
	Behavior       string             `json:"behavior"`
}

// entry is a piece and its score.
type entry struct {
	piece string
	score float64
}

// UnmarshalJSON reads ["piece", -1.5].
func (e *entry) UnmarshalJSON(raw []byte) error {
	comma := -1
	for i, c := range slices.Backward(raw) {
		if c == ',' {
			comma = i
			break
		}
	}
	if len(raw) < 2 || raw[0] != '[' || comma < 1 {
		return errors.New("a piece of the vocabulary is not [text, score]")
	}
	if err := json.Unmarshal(raw[1:comma], &e.piece); err != nil {
		return errors.New("a piece of the vocabulary is not [text, score]")
	}
	score, err := strconv.ParseFloat(string(slices.DeleteFunc(raw[comma+1:len(raw)-1], isJSONSpace)), 64)
	if err != nil || !finite(score) {
		return fmt.Errorf("the score of a piece of the vocabulary is not a number")
	}
	e.score = score
	return nil
}

func isJSONSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// vocabulary is a tokenizer and what the rest of a model must fit.
type vocabulary struct {
	pipeline *pipeline
	tokens   int   // different tokens, added ones too
	highest  int32 // id
	median   int   // of the tokens' lengths in characters
}

// parseTokenizer reads a tokenizer.json. Errors say what in it can't be read.
func parseTokenizer(data []byte) (*vocabulary, error) {
	var t tokenizerJSON
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, fmt.Errorf("it is not what a tokenizer.json is: %w", err)
	}
	if t.Model == nil {
		return nil, errors.New(`it has no "model"`)
	}
	if t.Model.Type != "Unigram" {
		return nil, fmt.Errorf("its model is of type %q, but only Unigram can be read: choose a Model2Vec model that was distilled from a SentencePiece Unigram one, such as potion-multilingual-128M",
			t.Model.Type)
	}
	var entries []entry
	if err := json.Unmarshal(t.Model.Vocab, &entries); err != nil {
		return nil, fmt.Errorf("its vocabulary: %w", err)
	}
	return t.build(entries)
}

func (t *tokenizerJSON) build(entries []entry) (*vocabulary, error) {
	if len(entries) == 0 || len(entries) > maxVocab {
		return nil, fmt.Errorf("its vocabulary has %d pieces, not 1 to %d", len(entries), maxVocab)
	}
	unk := int32(noPiece)
	if id := t.Model.UnkID; id != nil {
		if *id < 0 || *id >= int64(len(entries)) {
			return nil, fmt.Errorf("its unk_id is %d, but the vocabulary has %d pieces", *id, len(entries))
		}
		unk = int32(*id)
	}
	pieces, scores := make([]string, len(entries)), make([]float64, len(entries))
	for i, e := range entries {
		pieces[i], scores[i] = e.piece, e.score
	}
	p := &pipeline{unigram: newUnigram(pieces, scores, unk, t.Model.ByteFallback)}
	var err error
	if t.Normalizer != nil {
		if p.normalizer, err = t.Normalizer.build(); err != nil {
			return nil, err
		}
	}
	if t.PreTokenizer != nil {
		if p.pre, p.traced, err = t.PreTokenizer.build(); err != nil {
			return nil, err
		}
	}
	v := &vocabulary{pipeline: p}
	v.measure(pieces, t.add(p, int32(len(pieces))))
	return v, nil
}

// add makes the matchers of the added tokens. Those that the model doesn't have get the next ids, whatever the file
// says, and are returned.
func (t *tokenizerJSON) add(p *pipeline, next int32) (extra []string) {
	var patterns, rawPatterns []string
	var tokens, rawTokens []addedToken
	var ids, rawIDs []int32
	known := map[string]int32{}
	w := &rewriter{}
	for _, a := range t.AddedTokens {
		if a.Content == "" {
			continue
		}
		id := p.unigram.trie.find([]byte(a.Content))
		if seen, ok := known[a.Content]; ok {
			id = seen
		}
		if id == noPiece {
			id = next
			next++
			extra = append(extra, a.Content)
		}
		known[a.Content] = id
		if !a.Normalized {
			rawPatterns, rawTokens, rawIDs = append(rawPatterns, a.Content), append(rawTokens, a), append(rawIDs, id)
			continue
		}
		w.reset(a.Content, 0)
		if p.normalizer != nil {
			p.normalizer.rewrite(w)
		}
		patterns, tokens, ids = append(patterns, string(w.text)), append(tokens, a), append(ids, id)
	}
	p.added, p.normalized = newMatcher(rawPatterns, rawTokens, rawIDs), newMatcher(patterns, tokens, ids)
	return extra
}

// measure counts the different tokens and finds the median of their lengths.
func (v *vocabulary) measure(pieces, extra []string) {
	lengths := make([]int, 0, len(pieces)+len(extra))
	for _, id := range v.pipeline.unigram.trie.piece { // of equal pieces only one is there
		if id != noPiece {
			lengths = append(lengths, utf8.RuneCountInString(pieces[id]))
		}
	}
	for _, piece := range extra {
		lengths = append(lengths, utf8.RuneCountInString(piece))
	}
	slices.Sort(lengths)
	n := len(lengths)
	v.tokens, v.highest, v.median = n, int32(len(pieces)+len(extra)-1), (lengths[(n-1)/2]+lengths[n/2])/2
}

func (n *normalizerJSON) build() (normalizer, error) {
	switch n.Type {
	case "Sequence":
		all := make(sequence, 0, len(n.Normalizers))
		for _, each := range n.Normalizers {
			one, err := each.build()
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
		return all, nil
	case "Precompiled":
		return wrapped(parsePrecompiled(n.Charsmap))
	case "Replace":
		return n.Pattern.replaceBy(n.Content)
	case "Strip":
		return strip{n.StripLeft, n.StripRight}, nil
	case "Prepend":
		return prepend(n.Prepend), nil
	case "Lowercase":
		return lowercase{}, nil
	case "StripAccents":
		return stripAccents{}, nil
	case "Nmt":
		return nmt{}, nil
	case "NFC":
		return unicodeForm(norm.NFC), nil
	case "NFD":
		return unicodeForm(norm.NFD), nil
	case "NFKC":
		return unicodeForm(norm.NFKC), nil
	case "NFKD":
		return unicodeForm(norm.NFKD), nil
	}
	return nil, fmt.Errorf("its normalizer of type %q can't be read", n.Type)
}

func wrapped(n *precompiled, err error) (normalizer, error) {
	if err != nil {
		return nil, err
	}
	return n, nil
}

func (p patternJSON) replaceBy(content string) (normalizer, error) {
	switch {
	case p.String != nil && *p.String != "":
		return replace{literal(*p.String), content}, nil
	case p.Regex != nil:
		find, err := compile(*p.Regex)
		if err != nil {
			return nil, fmt.Errorf("its Replace normalizer: %w", err)
		}
		return replace{find, content}, nil
	}
	return nil, errors.New("its Replace normalizer has no pattern")
}

// build also tells whether stretches must be traced.
func (p *preTokenizerJSON) build() (preTokenizer, bool, error) {
	switch p.Type {
	case "Sequence":
		all, traced := make(steps, 0, len(p.PreTokenizers)), false
		for _, each := range p.PreTokenizers {
			one, t, err := each.build()
			if err != nil {
				return nil, false, err
			}
			all, traced = append(all, one), traced || t
		}
		return all, traced, nil
	case "Metaspace":
		m, err := p.metaspace()
		return m, m.scheme == first, err
	case "WhitespaceSplit":
		return runePattern{unicode.IsSpace, removed}, false, nil
	case "Whitespace":
		return whitespace{}, false, nil
	case "Punctuation":
		how := slices.Index([]string{"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"}, p.Behavior)
		if p.Behavior == "" {
			how = int(isolated)
		}
		if how < 0 {
			return nil, false, fmt.Errorf("its Punctuation pre-tokenizer's behavior %q can't be read", p.Behavior)
		}
		return runePattern{isPunctuation, behaviour(how)}, false, nil
	}
	return nil, false, fmt.Errorf("its pre-tokenizer of type %q can't be read", p.Type)
}

func (p *preTokenizerJSON) metaspace() (metaspace, error) {
	m := metaspace{mark: p.Replacement, split: p.Split == nil || *p.Split}
	if utf8.RuneCountInString(m.mark) != 1 {
		return m, fmt.Errorf("its Metaspace pre-tokenizer's replacement is %q, not one character", p.Replacement)
	}
	switch p.PrependScheme {
	case "", "always":
	case "first":
		m.scheme = first
	case "never":
		m.scheme = never
	default:
		return m, fmt.Errorf("its Metaspace pre-tokenizer's prepend_scheme %q can't be read", p.PrependScheme)
	}
	if p.AddPrefixSpace != nil && !*p.AddPrefixSpace {
		m.scheme = never
	}
	return m, nil
}
