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
//  6. Two callers never see, find or get a hint of each other's tools; what isn't there and what isn't theirs look alike
//     (TestTwoCallersNeverMeet, TestNotThereAndNotYoursLookAlike).
//  7. In the modern era headers that contradict the body are refused before anything else; in the legacy eras they
//     decide nothing and go no further (TestModernHeadersMustTellTheTruth, TestLegacyHeadersDecideNothing).
//  8. Every answer of ours is bounded, and what an upstream chose stays on its line and in its column
//     (TestASearchAnswerStaysInItsBudget, TestDescribe, TestAnEditedAnswerFitsTheGatewaysBuffer,
//     TestNamesOfAnUpstreamCannotPassForOurText).
//  9. Requests of our own carry the caller's identity and nothing else of the request's headers
//     (TestACallOfABatchCarriesWhatItMay).
//  10. No tool runs without arguments that it was given in another place (TestArgumentsBesideTheNameAreNeverLost).
//  11. An answer that goes on without our instructions is counted (TestAnAnswerThatGoesOnWithoutOurInstructionsIsCounted).
//  12. Progress of a batch only grows, comes before the answer, and never costs a client its challenge
//     (TestABatchTellsHowManyItemsAreDone, TestAChallengeIsNotLostToProgress); through a gateway it needs the batch door
//     (TestBatchesWithATokenGoToTheBatchDoor).
//  13. A client profile is one list for everybody (TestTheStrictListIsByteIdentical).
//  14. What is remembered of callers for figures is bounded and never crosses callers (TestAnotherCallersSearchIsNotFollowed,
//     TestCallersThatWereAwayLongestAreForgotten).
package sidecar
