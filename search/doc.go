// Package search finds tools by words and by meaning. It knows no MCP and no
// model: a caller turns what it has into a [Document], brings an [Embedder], and
// gets positions back.
//
// An [Index] is built once and never changes. Each document is read by itself
// (reading.go: its words by field, and its vector), on all cores, and once in a
// process for as long as a [Cache] remembers it. An index is that of an earlier
// listing, or none, without the readings of what is gone and with those of what
// is new (changes.go, build.go): lists, pages of vectors and maps of words are
// copied only where they change and shared otherwise. What a term weighs depends
// on all documents; it is worked out for its whole list when a search first asks
// for the term (postings.go), so that a search is additions over flat arrays.
//
// [Index.Search] reads a query word by word (parse.go: what may this word stand
// for in this index?), adds up BM25F over the words (score.go), compares the
// query's vector with every document's (dense.go), weighs the two sides by how
// much of the query the index knows (fuse.go), pins the documents that the query
// names (names.go), holds tools that change something back when the query asks to be
// told something (asking.go), and takes the best, look-alikes of several sources spread
// (rank.go).
//
// What a word may stand for, and what it then counts (tuning.go): the word
// itself; two neighbouring words written as one (on call, oncall); what an idiom means
// (get rid of, delete; idiom.go); a synonym; a
// longer word of a name around it (mail, gmail); and, only when the index does
// not have it, the English for it in the glossary and the lexicon of package text, a word with
// the same stem in another language, the words of the index whose vectors are
// nearest to its own (related.go), or a word it may be a typo of. Of several
// translations the vectors say which are likely, and the likeliest stand beside
// the query in its own vector when most of it is translated (translate.go). No
// other sense of a known word counts for more because it happens to be rarer. A
// document gets the best sense of each word, not their sum. Everyday words count
// for less than rare ones of the language, because what is rare in a catalog of
// fifty tools is mostly chance.
//
// Vectors are whole numbers: their products are the same in any order and on any
// machine, so that builds and searches in parallel can't differ.
//
// Tried and left out, measured on all sets together: a bonus for the share of
// the query that a document has, weight for the first word of a query, leaving
// out quoted text, numbers and paths on the words' side, a field of its own for
// the first sentence of a description, counting repeated words of a query;
// measuring vectors against the nearest document, and words against the best
// score they could have; comparing the clauses of a long query one by one;
// leaving stop words out of the embedded query; the glossary's English in the
// vector of queries whose words the index mostly has; twice the bonus for names;
// near words for words that the index has, or near the English for a word and
// not near the word; no glossary for queries that are mostly English; counting
// how near a tool's whole source is to the query; taking off how near a document
// is to all others; more weight for words that are near to the whole query; English
// words that translations or WordNet put together.
//
// How a query in an unknown language is treated stands in package text.
//
// # Invariants
//
//  1. The score of words is BM25F with idf log(1+(N-n+.5)/(n+.5)) and one
//     saturation over all fields (TestIDFTable, TestBM25TableWorkedByHand,
//     TestFieldsAreSaturatedTogether); vectors' products are cosines
//     (TestProductsInWholeNumbersAreCosines).
//  2. A document that the query names, in whatever case and with whatever of
//     - _ . / for each other, comes first and is not cut by the limit
//     (TestExactNamesArePinned); it does not change the order of the others
//     (TestAOneWordNameDoesNotBreakTheRanking).
//  3. A document that Keep refuses is never shown, named or not
//     (TestKeepHoldsForNamedDocumentsToo, TestEveryResultKeepsThePromises).
//  4. Nonsense finds nothing, with vectors too
//     (TestNonsenseFindsNothingAndOffersNearTerms, TestGibberishFindsNothingWithVectors).
//  5. Reasons add up to the score, and say what the vectors gave
//     (TestEveryResultKeepsThePromises, TestWhySaysWhatTheVectorsGave).
//  6. Equal catalogs and queries give equal results, alone, beside others and in
//     any order of the documents, whatever index they are built on; ties go by
//     name, those of words by spelling (TestEqualIndexesGiveEqualResults,
//     TestConcurrentSearchesEqualSingleOnes, TestTheOrderOfDocumentsDoesNotMatter,
//     TestAnIndexBesideAnotherIsTheSame, TestListsStayInOrderWhereOneDocumentBecomesTwo).
//  7. No input panics, and the work for a query is bounded whatever its length: by
//     MaxQueryBytes, MaxQueryWords, and how many unknown words are looked for
//     further (repeats.go, related.go). A word that is repeated counts again and is
//     looked up once (FuzzSearch, TestALongQueryIsCut,
//     TestTheWorkForALongQueryIsBounded, TestSmallAndOddCatalogs).
//  8. A document is read once while a cache remembers it, also by builds at the
//     same time, and a cache is bounded (TestEachDocumentIsReadOnce,
//     TestBuildsAtOnceShareTheirWork,
//     TestTheCacheIsBoundedAndForgetsTheLongestUnused).
//  9. No source fills a page alone where others offer the same
//     (TestNoSourceFillsThePageAlone).
//  10. Of several translations of a word the likeliest counts most, and only
//     requests that are mostly translated have English put beside them
//     (TestTheLikeliestTranslationCountsMost, TestOnlyTranslatedRequestsHaveAGloss);
//     what nobody wrote down is translated as learned
//     (TestTheLexiconTranslatesWhatTheGlossaryHasNot).
//  11. Who asks to be told something is not offered a change that was not named
//     (TestWhoAsksToBeToldIsNotOfferedAChange).
//  12. Idioms find what they mean, and single words are none where the index has
//     them (TestIdiomsFindWhatTheyMean).
//  13. Quality does not fall unnoticed (TestOwnSetGoldens,
//     TestPublicEvaluationSetsStayAboveFloors), and which questions count is not
//     chosen by what is found (TestObliqueQuestionsAvoidTheToolsWords).
package search
