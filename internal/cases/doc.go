// Package cases plays the case files of e2e/testdata/cases: dialogues made from public bug reports, each given without
// an era, a session or headers. A case file holds a catalog, requests, and what must be true of the answer and of what
// the upstream received. The same files run through any door: give [Run] a function that opens one.
//
// Invariants:
//
//  1. Every key of a case file is understood; an unknown one is an error, so that no expectation goes unchecked
//     (TestAnUnknownKeyIsAnError).
//  2. Every expectation can fail (TestEveryExpectationCanFail).
//  3. Each case runs in both eras, but for results that only the modern era has (TestCasesRunInBothEras).
package cases
