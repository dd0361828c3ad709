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
	if s.Embedder == embedderNone {
		return o, nil
	}
	name, folder := s.modelFolder()
	if folder == "" {
		m, err := defaultmodel.Load()
		if err != nil {
			return o, err
		}
		o.Embedder = m
		return o, nil
	}
	if err := modelMistake(name, folder); err != nil {
		return o, err
	}
	m, err := model.Load(folder)
	if err != nil {
		return o, fmt.Errorf("%s: %w", name, err)
	}
	o.Embedder = m
	return o, nil
}
