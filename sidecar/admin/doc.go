// Package admin is the operator's listener: health, readiness and metrics. It is not for clients and binds to
// loopback unless told otherwise.
//
// Invariants:
//
//  1. Three pages are served, to GET only, and a refresh, to POST only and to no browser; nothing served holds a query,
//     an argument, a result or a token (TestThreePagesAndNoMore, TestARefreshSaysWhatThereIs).
//  2. /readyz is 503 from the first moment of a drain on (TestReadyEndsWithTheDrain).
//  3. Profiles are served only when asked for, without the command line (TestThreePagesAndNoMore,
//     TestProfilesAreServedWhenAskedFor), and by no other listener (TestProfilesAreOnTheAdminListenerAlone in package e2e).
package admin
