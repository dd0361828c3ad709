// Package relay is the HTTP door: a search route without a gateway. Clients connect to it, and it carries their
// requests to one upstream, as the engine decides. Before it stands the stdio door, for one client that starts the
// program as a local command: each of its messages becomes a request to the HTTP door of the same process.
//
// Invariants:
//
//  1. The decisions are carried out as through Envoy: the case files give the same answers (TestCasesThroughTheHTTPDoor).
//  2. Nothing but the identity headers and those of the protocol goes upstream (TestOnlyIdentityAndProtocolGoUpstream).
//  3. An answer goes on as it comes: an event isn't held for the next one (TestTheFirstEventArrivesBeforeTheSecondIsSent).
//  4. A browser's request reaches nothing unless its Origin is listed or this machine's own, and while the door is bound
//     to loopback neither does one for a foreign host (TestOrigins, TestHosts).
//  5. A client that leaves ends its request at the upstream, and nothing of it stays
//     (TestAClientThatLeavesEndsItsCall; goleak watches all tests).
//  6. Whatever goes wrong on the way is a JSON-RPC error, never plain text (TestAFailingUpstreamIsAJSONRPCError,
//     TestWhatIsNoHTTPIsAJSONRPCError).
//  7. A request that comes back here is refused, so that a loop ends (TestALoopEnds).
//  8. When it stops, answers under way arrive and streams without an end are ended (TestShutdownLetsAnswersArrive,
//     TestShutdownEndsEndlessStreams).
//  9. What is told ahead of an answer arrives at once, and a stream opened for it is never silent for long
//     (TestProgressOfABatchArrivesWhileItRuns, TestAnOpenStreamIsNeverSilentForLong).
//  10. A handler of this process is asked as a server over a connection would be: its answers stream, and who leaves
//     ends the other side (TestWhatIsFlushedArrivesAtOnce, TestWhoLeavesEndsTheOtherSide).
//  11. The token of --token-file goes nowhere else (TestClientsNeedTheTokenOfTheFile).
//  12. A silent stream is kept alive by comments, which stand between events (TestASilentStreamIsKeptAlive).
//  13. At the stdio door both eras work side by side (TestBothErasOnOnePipe, TestAConversationOverStdio), and nothing
//     but whole messages goes to stdout, whatever comes in (FuzzLinesOfAClient, TestWhatIsNoAnswerBecomesOne).
//  14. Each request of the stdio door's client is answered once, but for those it cancels: also when the upstream forgets
//     the session, breaks off, or the program ends (TestAForgottenSessionIsOpenedAgain,
//     TestAStreamThatEndsBeforeItsAnswerIsResumed, TestTheEndWaitsForNobodyForever).
//  15. Requests, streams, connections and bodies beyond their bounds are told to come again, and reach nothing
//     (TestTooManyRequestsAreToldToComeAgain, TestTooManyStreamsAreToldToComeAgain,
//     TestTooManyConnectionsAreToldToComeAgain, TestTooManyBytesOfBodiesAreToldToComeAgain).
package relay
