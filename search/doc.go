// Package search finds tools by words. It knows no MCP and no model: a caller
// turns what it has into a [Document] and gets positions back.
//
// An [Index] is built once and never changes. [Index.Search] reads a query word
// by word (parse.go: what may this word stand for in this index?), adds up
// BM25F over the words (postings.go: weights are worked out while building, so
// that a search is additions over flat arrays), pins the documents that the
// query names (names.go), and takes the best (rank.go). A second scorer, for
// vectors, would fill the same scratch between the two; nothing else would
// change.
//
// What a word may stand for, and what it then counts (tuning.go): the word
// itself; two neighbouring words written as one (on call, oncall); a synonym; a
// longer word of a name around it (mail, gmail); and, only when the index does
// not have it, the English for it in the glossary of package text, a word with
// the same stem in another language, or, when nothing else is left, a word it
// may be a typo of. No other sense of a known word counts for more because it
// happens to be rarer. A document gets the best sense of each word, not their
// sum. Everyday words count for less than rare ones of the language, because
// what is rare in a catalog of fifty tools is mostly chance.
//
// Tried and left out, measured on all sets together: a bonus for the share of
// the query that a document has, weight for the first word of a query, leaving
// out quoted text, numbers and paths, a field of its own for the first sentence
// of a description, counting repeated words of a query.
//
// How a query in an unknown language is treated stands in package text.
//
// # Invariants
//
//  1. The score is BM25F with idf log(1+(N-n+.5)/(n+.5)) and one saturation over
//     all fields (TestIDFTable, TestBM25TableWorkedByHand,
//     TestFieldsAreSaturatedTogether).
//  2. A document that the query names, in whatever case and with whatever of
//     - _ . / for each other, comes first and is not cut by the limit
//     (TestExactNamesArePinned); it does not change the order of the others
//     (TestAOneWordNameDoesNotBreakTheRanking).
//  3. A document that Keep refuses is never shown, named or not
//     (TestKeepHoldsForNamedDocumentsToo, TestEveryResultKeepsThePromises).
//  4. Nonsense finds nothing (TestNonsenseFindsNothingAndOffersNearTerms).
//  5. Reasons add up to the score (TestEveryResultKeepsThePromises).
//  6. Equal catalogs and queries give equal results, alone, beside others and in
//     any order of the documents; ties go by name
//     (TestEqualIndexesGiveEqualResults, TestConcurrentSearchesEqualSingleOnes,
//     TestTheOrderOfDocumentsDoesNotMatter).
//  7. No input panics, and the work for a query is bounded whatever its length
//     (FuzzSearch, TestALongQueryIsCut).
//  8. Quality does not fall unnoticed (TestOwnSetGoldens,
//     TestPublicEvaluationSetsStayAboveFloors).
package search
