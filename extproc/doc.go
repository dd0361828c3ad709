// Package extproc is the Envoy door: one gRPC stream of Envoy's ext_proc filter for one HTTP request, one decision of
// the engine, carried out as header and body mutations or an immediate response.
//
// Invariants:
//
//  1. The stream ends as soon as its work is done, so that long answers survive a restart of the sidecar
//     (TestALongAnswerOutlivesTheSidecar in e2e). Only a full-duplex response body is held to its end: Envoy loses
//     chunks otherwise.
//  2. The stream never ends well before the request was answered: Envoy would then carry the unmodified request on.
//     Every unusual end is a gRPC error (TestEveryUnusualEndIsAnError).
//  3. A replaced body always comes with its content-length (TestAForwardedCallSetsContentLength).
//  4. Of an answer only what may need an edit is copied: a JSON body up to the edit limit, or the first event of an SSE
//     stream; everything else leaves the sidecar at its headers (TestOnlyTheFirstEventIsCopied).
//  5. No value of a request or an answer is logged.
package extproc
