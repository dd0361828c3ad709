package search

// tuning holds every number that ranking depends on. There is one setting for
// all catalogs and languages.
type tuning struct {
	// K1 is where further occurrences of a word stop counting (one saturation
	// over the weighted sum of all fields: BM25F).
	K1 float64
	// Weight is how often one occurrence counts, by field.
	Weight [fields]float64
	// B is how far a long field is held against its words, by field: 0 to 1.
	B [fields]float64

	// Weights of a match that is not the word itself.
	Synonym, Inside, Typo, Foreign, Pieces, Joined float64

	// Coverage is the exponent on the share of the query that a document has.
	Coverage float64
	// NameBonus is what a document gains whose whole name is in the query.
	NameBonus float64
}

func defaultTuning() tuning {
	return tuning{
		K1:       1.2,
		Weight:   [fields]float64{3, 1, 1.5, 1, .5, .25, .25},
		B:        [fields]float64{.3, 0, .3, .6, .5, .5, .5},
		Synonym:  .5,
		Inside:   .7,
		Typo:     .6,
		Foreign:  .6,
		Pieces:   .3,
		Joined:   1,
		Coverage: 0,
	}
}
