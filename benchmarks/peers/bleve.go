package main

import (
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/search/query"

	"mcp-toolsearch/search"
)

// weights are how much a match in a field counts; all fields that our search reads.
func weights() map[string]float64 {
	return map[string]float64{"name": 3, "source": 1, "title": 3, "description": 1, "parameters": 1}
}

// fields are a document's texts. Names are given in words: bleve's tokenizer doesn't split them.
func fields(d search.Document) map[string]string {
	var parameters []string
	for _, p := range d.Parameters {
		parameters = append(parameters, words(p.Name), p.Description)
		parameters = append(parameters, p.Enum...)
	}
	return map[string]string{"name": words(d.Name), "source": words(d.Source), "title": d.Title,
		"description": d.Description, "parameters": strings.Join(parameters, "\n")}
}

func words(name string) string {
	return strings.NewReplacer("_", " ", "-", " ", ".", " ").Replace(name)
}

// bleveIndex indexes docs in memory with bleve's newest index type and its English analyzer.
func bleveIndex(docs []search.Document) (func(string) (int, error), error) {
	mapping := bleve.NewIndexMapping()
	mapping.DefaultAnalyzer = en.AnalyzerName
	mapping.StoreDynamic = false
	mapping.DocValuesDynamic = false
	index, err := bleve.NewUsing("", mapping, scorch.Name, scorch.Name, nil)
	if err != nil {
		return nil, err
	}
	batch := index.NewBatch()
	for _, d := range docs {
		if err := batch.Index(d.Name, fields(d)); err != nil {
			return nil, err
		}
	}
	if err := index.Batch(batch); err != nil {
		return nil, err
	}
	return func(question string) (int, error) {
		var parts []query.Query
		for field, weight := range weights() {
			match := bleve.NewMatchQuery(question)
			match.SetField(field)
			match.SetBoost(weight)
			parts = append(parts, match)
		}
		result, err := index.Search(bleve.NewSearchRequestOptions(bleve.NewDisjunctionQuery(parts...), hits, 0, false))
		if err != nil {
			return 0, err
		}
		return len(result.Hits), nil
	}, nil
}
