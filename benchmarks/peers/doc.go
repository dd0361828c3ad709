// Command peers times search beside bleve v2 in one run, on the same catalogs, fields and questions. It is a module of
// its own, so that bleve never enters the product's module graph; make bench-peers runs it, and peers.py for the peers
// that have Python packages.
//
// Invariants:
//
//  1. All contenders index the same texts and answer the same questions, turn by turn, on one core
//     (TestEveryContenderAnswersTheQuestions).
package main
