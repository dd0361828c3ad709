// Package measure says how good and how fast a search is on a catalog with
// questions whose answers are known. The figures of the project's own catalog
// and those of an operator's are made by the same code.
//
// # Invariants
//
//  1. Hit@k, Recall@5 and MRR are what their definitions say
//     (TestFiguresWorkedByHand).
//  2. A report has the keys that docs/search.md names and no others
//     (TestTheReportHasTheKeysOfItsDocument).
//  3. A line that can't be read is an error that names it
//     (TestALineThatCantBeReadIsNamed, FuzzReadQuestions).
package measure
