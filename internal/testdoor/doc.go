// Package testdoor carries out an engine's decisions over net/http, in the test's own process and in milliseconds. It
// is the smallest door there is: the tests of the decisions, and the cases that also run through Envoy, go through it.
// It is for tests only; the doors of the product have flow control, limits and drains that this one lacks.
//
// Invariants:
//
//  1. It adds nothing to a decision: what reaches the upstream is the request with the decision's edits and nothing
//     else (TestTheDoorOnlyCarriesOut).
//  2. It edits the answer of an SSE stream as it passes, without waiting for its end (TestAStreamedAnswerIsEditedAsItPasses).
//  3. The product's own HTTP door with the same engine ([Serve]) gives the same answers
//     (TestTheServedDoorAnswersTheSame; internal/dialogue plays all dialogues through both).
package testdoor
