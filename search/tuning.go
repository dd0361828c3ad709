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
	// Idiom is what counts that an idiom of the query means.
	Idiom float64
	// Translated is what a word of the glossary counts in English.
	Translated float64
	// Learned is what a translation of the lexicon counts beside one of the glossary.
	Learned float64
	// Form is what a translation counts that rests on another form of the word,
	// Unlikely the least that one of several counts.
	Form, Unlikely float64
	// Gloss is what the English of the glossary counts beside the query itself in
	// the vector of a query in another language.
	Gloss float64
	// Joined is what two neighbouring words count as one: on call, oncall.
	Joined float64
	// Common is what an everyday English word counts in a query.
	Common float64

	// NameBonus is what a document gains whose whole name is in the query.
	NameBonus float64

	// Changing is the share that a document loses whose verb changes something when
	// the request asks to be told something and doesn't have that verb.
	Changing float64

	// DenseName and DenseParams are what the vectors of a name alone and of the
	// parameters count beside that of name and description.
	DenseName, DenseParams float64
	// DenseBytes and DenseParamBytes are how much of a description is embedded.
	DenseBytes, DenseParamBytes int

	// Lexical is the share that words have in the score of a query of which the
	// index knows every word, Least that of one of which it knows none.
	Lexical, Least float64
	// Spread is how many standard deviations above the mean likeness count as
	// much as the best score of words.
	Spread float64
	// What a word counts as known of which only a translation, a word of a like
	// meaning, or a guess (another language's stem, a longer word, a typo) is known.
	CoverGlossary, CoverRelated, CoverGuess float64
	// WordLike is how many letters a token of an embedder has at least in words of
	// alphabetic scripts; with fewer the words are none.
	WordLike float64
	// Floor is the cosine from which a document without a word of the query is
	// shown, FloorAlone that when no document has one.
	Floor, FloorAlone float64
	// Related is what a term counts whose meaning is near that of an unknown word,
	// RelatedFrom the cosine at which it starts to count, RelatedTerms how many.
	Related, RelatedFrom float64
	RelatedTerms         int
	// KeepValues leaves ids, dates and quotations in the embedded query.
	KeepValues bool
	// NoGlossary and NoLexicon turn these off.
	NoGlossary, NoLexicon bool
}

func defaultTuning() tuning {
	return tuning{
		K1:         1.3,
		Weight:     [fields]float64{2, 1, 1.25, 1.5, 1.3, .5, .25, .25},
		B:          [fields]float64{.3, 0, .3, .3, .6, .5, .5, .5},
		Synonym:    .7,
		Inside:     .5,
		Typo:       .6,
		Foreign:    .6,
		Idiom:      .5,
		Translated: .9,
		Learned:    .8,
		Form:       .8,
		Unlikely:   .85,
		Gloss:      .8,

		Pieces:    .3,
		Common:    .6,
		Joined:    .7,
		NameBonus: .2,
		Changing:  .4,

		DenseName:       .4,
		DenseParams:     .5,
		DenseBytes:      300,
		DenseParamBytes: 80,
		Lexical:         .48,
		Least:           .4,
		Related:         .8,
		RelatedFrom:     .35,
		RelatedTerms:    3,
		CoverRelated:    .6,
		Spread:          6,
		Floor:           .2,
		FloorAlone:      .4,
		WordLike:        2.2,
		CoverGlossary:   .6,
		CoverGuess:      .4,
	}
}
