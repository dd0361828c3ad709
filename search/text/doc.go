// Package text turns names and prose into index terms. It knows no index.
//
// A text goes through four steps: [Words] (NFKC, lower case, cut at white space
// and separators, camelCase and digit borders, pairs of characters for scripts
// without spaces), stop words ([IsStop], [IsQueryStop]), [Stem], and, where a
// query word is still unknown to an index, [OtherStems] and [Synonyms]. [Idioms] says
// what people mean who don't speak of tools.
//
// # A text in an unknown language
//
// No language is detected: queries are two to ten words, often of mixed
// languages (a German sentence around GitHub and Branch), and a wrong guess
// would cost every word of the query. Each word is read by itself instead.
//
//   - Its script chooses the stemmer of its index term: Latin letters English,
//     because tools describe themselves in it; Cyrillic Russian; Arabic; Tamil.
//     Every other script is only folded. Scripts without spaces (and Korean,
//     whose particles stick to the word) become bigrams, which need no language.
//   - A word in Latin letters that the index has, after English stemming, is
//     taken as that. Only one that it has not is tried as a word of fifteen
//     other languages, Lithuanian first: a stem that the index has, or that a
//     word of a text with non-English letters shares, counts, for less than the
//     word itself. So sąskaitą finds sąskaitos, and evento finds event.
//   - Such a word is also looked up in a glossary of what software does and to
//     what ([Glossary]: over six hundred lines in twelve languages, 1,400 more in Lithuanian), by its
//     stems, then by a beginning shared but for a short ending, and, as a Lithuanian
//     verb, without its prefix;
//     Chinese, Japanese and Hindi words are looked for inside the text. So the
//     commonest requests in these languages work without vectors.
//   - It is looked up in the [Lexicon] as well, which was learned from translations:
//     sixty-six thousand stems of twenty-nine languages, less sure and for less. A stem
//     counts as the language whose stemmer gave it; a word that is not there counts
//     as the one that it shares its beginning with, as in the glossary.
//   - Where a word is one of several languages (kur), the meaning counts that it has
//     in those which most words of the query may be of ([FunctionWord]); that is the
//     only thing that depends on such a guess.
//   - Articles, question words and the like of ten languages are no words to look
//     for.
//   - Stems under four letters are not tried: over fifteen languages they fall
//     together by chance.
//
// What words alone can't give is left to vectors, in whose query numbers, ids,
// dates and quotations don't stand ([WithoutValues]).
//
// # Invariants
//
//  1. Folding is idempotent and words are valid UTF-8 whatever the bytes
//     (FuzzTokens); the table by which Latin letters are folded gives what taking
//     a word apart gives (TestFoldingRuneByRuneIsFolding).
//  2. Words cuts and joins as its table says, in every script named there
//     (TestWords); folding takes off spelling aids and never a vowel (TestFold).
//  3. Two spellings of a tool's name are equal exactly when they differ in case,
//     compatibility forms, accents or - _ . / alone (TestNameKey).
//  4. Lithuanian equals the reference stemmer on ten thousand words
//     (TestLithuanianAgreesWithReference).
//  5. Synonyms are mutual and never of a stop word (TestWordLists).
//  6. What looks like data is left out of a request, and never all of it
//     (TestWithoutValues).
//  7. The glossary has a word in every language for every concept, and takes
//     none out of the middle of another (TestGlossaryTableIsWhole,
//     TestLithuanianTableIsWhole, TestGlossaryFindsWordsWithoutBorders); it knows forms of a word by stem and
//     by beginning (TestGlossaryKnowsOtherForms,
//     TestGlossaryKnowsFormsThatStemmingLeavesApart).
//  8. Every word of the lexicon's file is found, in its languages, and the work for
//     one text is bounded (TestLexiconIsWhole, TestLexiconKnowsWordsOfManyLanguages,
//     TestLexiconKnowsFormsThatStemmingLeavesApart,
//     TestALongTextWithoutBordersIsReadInParts).
//  9. What asks to be told something, and which names say that a tool changes
//     something, stands in tables (TestAsks, TestChangingVerb).
//  10. An idiom is there once and means words that can be looked for, and is found
//     in a request whole (TestIdiomTableIsWhole, TestIdiomsAreFoundInARequest).
package text
