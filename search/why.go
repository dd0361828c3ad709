package search

import "sort"

// why lists what made up the score of doc, the greatest part first.
func (ix *Index) why(q *parsed, f *fusion, doc int32, lift float32) []Reason {
	var reasons []Reason
	fits := ix.fitting(&f.asking, doc)
	for i := range q.words {
		term, value, main := int32(-1), float32(0), field(0)
		for _, s := range q.words[i].senses {
			at := ix.posts.lists[s.term].find(doc)
			if at < 0 {
				continue
			}
			_, weights := ix.posts.of(s.term)
			if s.namesOnly && weights.in[at]&named == 0 {
				continue
			}
			if v := s.weight * weights.impact[at]; v > value {
				term, value, main = s.term, v, weights.main[at]
			}
		}
		if term < 0 {
			continue
		}
		reasons = append(reasons, Reason{
			Word:  ix.lex.surface[term],
			Field: main.String(),
			Score: float64(value * lift * f.words * fits),
		})
	}
	if part := f.ofMeaning(doc) * fits; part > 0 {
		reasons = append(reasons, Reason{Field: FieldMeaning, Score: float64(part)})
	}
	if len(reasons) == 0 { // named exactly, by a word that is never scored
		return []Reason{{Word: ix.names[doc], Field: fieldName.String()}}
	}
	sort.SliceStable(reasons, func(i, j int) bool { return reasons[i].Score > reasons[j].Score })
	return reasons
}
