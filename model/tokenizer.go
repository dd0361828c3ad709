package model

// pipeline is the tokenizer of a tokenizer.json: added tokens are found in the text as it is; what is between them is
// normalised, searched for the added tokens that are compared after that, cut by the pre-tokenizer, and the Unigram
// search cuts the rest.
type pipeline struct {
	chars      int // characters of a text that are looked at; -1: all
	limit      int // tokens that count; -1: all
	added      *matcher
	normalized *matcher
	normalizer normalizer   // nil: none
	pre        preTokenizer // nil: none
	unigram    *unigram
	traced     bool // a part of the pre-tokenizer asks where a stretch came from
}

func (p *pipeline) ids(text string, s *scratch) []int32 {
	if p.chars >= 0 {
		text = firstChars(text, p.chars)
	}
	ids := s.ids[:0]
	s.run.traced = p.traced
	s.whole = split(p.added, s.whole[:0], text)
	for _, whole := range s.whole {
		if p.full(ids) {
			break
		}
		if whole.token != noPiece {
			ids = append(ids, whole.token)
			continue
		}
		ids = p.cut(ids, text[whole.lo:whole.hi], whole.lo, s)
	}
	if p.full(ids) {
		ids = ids[:p.limit]
	}
	return dropUnknown(ids, p.unigram.unk)
}

func (p *pipeline) full(ids []int32) bool { return p.limit >= 0 && len(ids) >= p.limit }

// cut appends the ids of a stretch without added tokens, which starts at an offset of the text.
func (p *pipeline) cut(ids []int32, text string, offset int, s *scratch) []int32 {
	s.run.reset(text, offset)
	if p.normalizer != nil {
		p.normalizer.rewrite(&s.run)
	}
	s.parts = split(p.normalized, s.parts[:0], s.run.text)
	if p.pre != nil {
		p.pre.cut(s)
	}
	for _, part := range s.parts {
		if p.full(ids) {
			break
		}
		if part.token != noPiece {
			ids = append(ids, part.token)
			continue
		}
		ids = p.unigram.split(ids, s.run.text[part.lo:part.hi], s)
	}
	return ids
}
