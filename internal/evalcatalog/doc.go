// Package evalcatalog reads the project's evaluation catalog (made-up tools of
// made-up servers, and questions about them) and generates larger ones.
//
// Invariants:
//
//  1. The catalog has exactly 500 tools with unique names, on servers with at
//     least two tools each (TestCatalogHasFiveHundredTools).
//  2. Every input schema is an object schema that compiles without fetching
//     anything (TestEverySchemaCompiles).
//  3. Every question exists in English and in Lithuanian with the same relevant
//     names, and every relevant name is a tool of the catalog
//     (TestQuestionsAreCompleteInBothLanguages).
//  4. Generate gives the same bytes for the same size and seed, on every
//     platform (TestGenerateIsDeterministic).
//  5. Tools are varied like real ones: share of annotated, read-only and
//     contradictory tools, mean definition size (TestCatalogIsVariedLikeRealOnes).
package evalcatalog
