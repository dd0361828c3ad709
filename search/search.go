package search

import "sort"

// Search answers q. Equal indexes and queries give equal results. Safe for
// concurrent use.
func (ix *Index) Search(q Query) Result {
	query := cut(q.Text, MaxQueryBytes)
	keep := q.Keep
	if keep == nil {
		keep = func(int) bool { return true }
	}
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	s := ix.pool.Get().(*scratch)
	defer ix.pool.Put(s)
	defer s.reset()

	parsed := ix.parse(query)
	for i := range parsed.words {
		s.addWord(&ix.posts, &parsed.words[i])
	}
	ix.exact.namedBy(query, func(doc int32) {
		if !s.isPin[doc] && keep(int(doc)) {
			s.isPin[doc] = true
			s.pinned = append(s.pinned, doc)
		}
	})
	ix.rank(s, &parsed, keep)
	hits := ix.hits(s, &parsed, limit)
	if len(hits) == 0 {
		return Result{NearTerms: ix.nearTerms(parsed.unknown)}
	}
	return Result{Hits: hits}
}

// rank fills s.hits with the pinned documents, then every other kept one.
func (ix *Index) rank(s *scratch, q *parsed, keep func(int) bool) {
	for _, d := range s.pinned {
		s.hits = append(s.hits, candidate{d, s.score[d] * ix.lift(s, q, d)})
	}
	ix.sort(s.hits)
	pins := len(s.hits)
	for _, d := range s.touched {
		if s.isPin[d] || !keep(int(d)) {
			continue
		}
		s.hits = append(s.hits, candidate{d, s.score[d] * ix.lift(s, q, d)})
	}
	ix.sort(s.hits[pins:])
}

func (ix *Index) sort(c []candidate) {
	sort.Slice(c, func(i, j int) bool { return ix.before(c[i], c[j]) })
}

// before orders by score, then by name.
func (ix *Index) before(a, b candidate) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	return ix.order[a.doc] < ix.order[b.doc]
}

func (ix *Index) hits(s *scratch, q *parsed, limit int) []Hit {
	n := min(len(s.hits), max(limit, len(s.pinned)))
	hits := make([]Hit, n)
	for i, c := range s.hits[:n] {
		hits[i] = Hit{Doc: int(c.doc), Score: float64(c.score), Exact: s.isPin[c.doc]}
		hits[i].Why = ix.why(q, c.doc, ix.lift(s, q, c.doc))
	}
	return hits
}
