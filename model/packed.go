package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

const (
	packedMagic = "SML1"
	packedLimit = 128      // tokens of a text that count
	packedChars = 4096     // characters of a text that are looked at: more than 128 tokens of any real text
	maxVocab    = 1 << 22  // a header with more is broken
	maxDim      = 1 << 12  // likewise
	maxHeader   = 64 << 10 // likewise, in bytes
)

// header is the JSON header of the packed form.
type header struct {
	Vocab   int    `json:"vocab"`
	Dim     int    `json:"dim"`
	Bits    int    `json:"bits"`
	Block   int    `json:"block"`
	Unk     int32  `json:"unk"`
	Kind    string `json:"tokenizer"`
	Pieces  int    `json:"pieces"`
	Charmap int    `json:"charmap"`
}

var errTruncated = errors.New("the packed model ends too early: build it again")

// Packed reads a model in the packed form, in place: the table stays as it is in data, and only the token search and the
// character map (a few megabytes) are built. The form, little-endian:
//
//   - "SML1"; uint32 length of the header; the header, JSON: vocab, dim, bits 4, block 32, unk (an id), tokenizer "unigram",
//     pieces and charmap (lengths in bytes);
//   - the pieces, each one length byte and UTF-8;
//   - vocab float32 Unigram scores;
//   - vocab × dim/32 float16 scales;
//   - vocab × dim/2 bytes of values, the even column in the low four bits, value = (four bits - 8) × scale of its block of 32
//     columns;
//   - the character map, JSON from code point (decimal) to replacement.
//
// A text's first 4,096 characters are mapped, runs of spaces become one, spaces at the ends go, U+2581 takes the place
// of every space and stands in front; the Unigram search cuts that; of the first 128 tokens the unknown ones are
// dropped, and the vector is the sum of the others' rows, made one long.
func Packed(name, data string) (*Model, error) {
	if len(data) < 8 || data[:4] != packedMagic {
		return nil, errors.New("not a packed model: it must start with " + packedMagic)
	}
	size := uint64(le32(data[4:]))
	if size > maxHeader || size > uint64(len(data)-8) {
		return nil, errTruncated
	}
	var h header
	if err := json.Unmarshal([]byte(data[8:8+size]), &h); err != nil {
		return nil, fmt.Errorf("the packed model's header: %w: build it again", err)
	}
	data = data[8+size:]
	if err := h.check(len(data)); err != nil {
		return nil, err
	}
	return h.model(name, data)
}

func (h header) check(have int) error {
	sizes := h.Vocab > 0 && h.Vocab <= maxVocab && h.Dim > 0 && h.Dim <= maxDim && h.Pieces >= 0 && h.Charmap >= 0 && h.Pieces <= have && h.Charmap <= have
	if !sizes || h.Dim%blockValues != 0 || h.Unk < 0 || int(h.Unk) >= h.Vocab {
		return errors.New("the packed model's header makes no sense: build it again")
	}
	if h.Block != blockValues || h.Bits != 4 || h.Kind != "unigram" {
		return fmt.Errorf("the packed model has %d bits, blocks of %d and a %q tokenizer, but 4, %d and \"unigram\" can be read: use a model built for this version",
			h.Bits, h.Block, h.Kind, blockValues)
	}
	if need := h.Pieces + h.Vocab*(4+h.Dim/blockValues*2+h.Dim/2) + h.Charmap; have != need {
		return fmt.Errorf("the packed model has %d bytes of data, not %d: build it again", have, need)
	}
	return nil
}

func (h header) model(name, data string) (*Model, error) {
	pieces, err := pascalStrings(data[:h.Pieces], h.Vocab)
	if err != nil {
		return nil, err
	}
	data = data[h.Pieces:]
	scores := make([]float64, h.Vocab)
	for i := range scores {
		if scores[i] = float64(math.Float32frombits(le32(data[4*i:]))); !finite(scores[i]) {
			return nil, errors.New("a score of the packed model is not a number: build it again")
		}
	}
	data = data[4*h.Vocab:]
	scales := h.Vocab * h.Dim / blockValues * 2
	nibbles := h.Vocab * h.Dim / 2
	table := &int4Table{dim: h.Dim, scales: data[:scales], nibbles: data[scales : scales+nibbles]}
	if err := table.check(); err != nil {
		return nil, err
	}
	chars, err := parseCharmap(data[scales+nibbles:])
	if err != nil {
		return nil, err
	}
	return &Model{name: name, dim: h.Dim, rows: table,
		tokens: &mapped{chars: chars, unigram: newUnigram(pieces, scores, h.Unk, false)}}, nil
}

// pascalStrings reads n strings, each after a byte with its length.
func pascalStrings(data string, n int) ([]string, error) {
	out := make([]string, 0, n)
	for range n {
		if len(data) == 0 || int(data[0]) >= len(data) {
			return nil, errTruncated
		}
		end := 1 + int(data[0])
		out = append(out, data[1:end])
		data = data[end:]
	}
	if len(data) > 0 {
		return nil, errors.New("the packed model has more pieces than its header says: build it again")
	}
	return out, nil
}

func le16(s string) uint16 { return uint16(s[0]) | uint16(s[1])<<8 }

func le32(s string) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func le64(s string) uint64 { return uint64(le32(s)) | uint64(le32(s[4:]))<<32 }
