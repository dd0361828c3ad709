// Package sidecar is the mind of the product: it decides what happens to one request on a search route.
//
// A door (package extproc, later relay) hands over a [Request] and carries out the [Decision]: pass it on to the
// aggregate route, answer it here, forward it as the real tools/call, or pass it on and merge our text into the answer.
// Decisions are plain values; nothing in this package knows gRPC, Envoy or net/http servers.
//
// Invariants:
//
//  1. What was checked is what is sent: a forwarded call is the received body with params.name and params.arguments
//     replaced, every other byte the same (TestAForwardedCallKeepsEveryOtherByte).
//  2. Nothing that may write runs through a read door; a tool is read-only only when the catalog says Read
//     (TestNothingThatMayWriteRunsThroughAReadDoor).
//  3. Only exact names run; a near name is offered, never used (TestATypoIsRefusedWithDidYouMean).
//  4. The answer to tools/list is the same bytes for every caller and catalog (TestToolsListIsByteIdentical).
//  5. No refusal, fault, log line or metric label carries a query, an argument, a result or a token, except that a
//     refusal shown to the caller may name the caller's own keys (TestNoMarkedValueIsObserved).
package sidecar
