// Package reliability breaks what stands around the product, and the product itself, at every stage of a request and under
// load, through a real Envoy and through the HTTP door: make reliability writes docs/reliability.md; a short form runs with
// the other tests. What is broken are real processes and connections: a tap on a connection kills or resets when the n-th
// piece of a request has come by.
//
// Invariants:
//
//  1. No answer is wrong: each carries the marker of its request, and a write that is said to have run has run (TestFaults).
//  2. No write runs twice, whatever breaks at whatever stage: the server counts what runs (TestFaults).
//  3. When the fault is over the next requests succeed, and nothing is left open (TestFaults).
package reliability
