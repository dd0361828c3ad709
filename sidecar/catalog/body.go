package catalog

import "mcp-toolsearch/search"

// body is what callers with the same listing share.
type body struct {
	tools       []*Tool
	byName      map[string]*Tool
	index       *search.Index
	sources     []Source
	fingerprint string
	bytes       int64
	dropped     Dropped
}

func (b *body) search(q SearchQuery) SearchResult { return SearchResult{} }
