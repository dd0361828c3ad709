// Package admin is the operator's listener: health, readiness and metrics. It is not for clients and binds to
// loopback unless told otherwise.
//
// Invariants:
//
//  1. Three pages are served, to GET only, and a refresh, to POST only and to no browser; nothing served holds a query,
//     an argument, a result or a token (TestThreePagesAndNoMore, TestARefreshSaysWhatThereIs).
//  2. /readyz is 503 from the first moment of a drain on (TestReadyEndsWithTheDrain).
package admin
