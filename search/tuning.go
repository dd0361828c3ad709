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

	// What a match counts that is not the word itself: a synonym of it, a word
	// of a name around it, a word it may be a typo of, a word with the same stem
	// in another language, a piece of a compound that the index knows whole.
	Synonym, Inside, Typo, Foreign, Pieces float64
	// Translated is what a word of the glossary counts in English.
	Translated float64
	// Joined is what two neighbouring words count as one: on call, oncall.
	Joined float64
	// Common is what an everyday English word counts in a query.
	Common float64

	// NameBonus is what a document gains whose whole name is in the query.
	NameBonus float64
}

func defaultTuning() tuning {
	return tuning{
		K1:         1.3,
		Weight:     [fields]float64{2.5, 1, 1.25, 1, .5, .25, .25},
		B:          [fields]float64{.3, 0, .3, .6, .5, .5, .5},
		Synonym:    .7,
		Inside:     .5,
		Typo:       .6,
		Foreign:    .6,
		Translated: .9,
		Pieces:     .3,
		Common:     .6,
		Joined:     .7,
		NameBonus:  .3,
	}
}
