package main

import (
	"fmt"

	"mcp-toolsearch/model"
	defaultmodel "mcp-toolsearch/model/default"
	"mcp-toolsearch/search"
)

// Values of --embedder that are no folder.
const (
	embedderEmbedded = "embedded"
	embedderNone     = "none"
)

// searchOptions loads the embedding model that --embedder and --model-dir name.
func (s *Settings) searchOptions() (search.Options, error) {
	o := search.Options{Cache: search.NewCache(0)}
	folder := s.Embedder
	if folder == embedderEmbedded && s.ModelDir != "" {
		folder = s.ModelDir
	}
	switch folder {
	case embedderNone:
		return o, nil
	case embedderEmbedded:
		m, err := defaultmodel.Load()
		if err != nil {
			return o, err
		}
		o.Embedder = m
		return o, nil
	}
	m, err := model.Load(folder)
	if err != nil {
		return o, fmt.Errorf("--embedder: %w", err)
	}
	o.Embedder = m
	return o, nil
}
