package search

// Search answers q. Equal indexes and queries give equal results. It takes
// about a millisecond at 5,000 documents and is safe for concurrent use.
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
	ix.pin(s, &parsed, query, keep)
	f := ix.fuse(s, &parsed, query, keep)
	found := ix.rank(s, &parsed, &f, keep, limit)
	if len(found) == 0 {
		return Result{NearTerms: ix.nearTerms(parsed.unknown)}
	}
	hits := make([]Hit, len(found))
	for i, c := range found {
		hits[i] = Hit{Doc: int(c.doc), Score: float64(c.score), Exact: s.isPin[c.doc]}
		hits[i].Why = ix.why(&parsed, &f, c.doc, ix.lift(s, c.doc))
	}
	return Result{Hits: hits}
}

// pin notes the kept documents that the query names exactly.
func (ix *Index) pin(s *scratch, q *parsed, query string, keep func(doc int) bool) {
	ix.exact.namedBy(query, func(spelling string, doc int32) {
		if !keep(int(doc)) {
			return
		}
		if ix.names[doc] == spelling {
			q.spelled[spelling] = true
		}
		if !s.isPin[doc] {
			s.isPin[doc] = true
			s.pinned = append(s.pinned, doc)
		}
	})
}
