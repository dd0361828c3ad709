// Package member is one MCP server as a member of the aggregate: its era, its
// sessions, its credentials, and the translation between the eras, so that a
// client of either era gets answers in its own.
//
// The client's own era is used wherever the server has it; then bodies and
// streams pass as they are. Only what the server lacks is translated. Which
// eras it has is found by asking (server/discover, initialize), remembered, and
// forgotten after a failure.
//
// In the legacy eras each key (a client's session, else a caller, else
// everybody) has one session at the server. Sessions are bounded, end when idle,
// and may be resumed by their id in another process.
//
// A call in which the server asks the client for something, where the eras
// differ, waits in this process: on another replica nobody knows it, and the
// client is told to call again. The same holds for resource subscriptions and the
// log level of a legacy client at a modern server, which the client utters anew
// in a new session.
//
// Invariants, and the tests that hold them:
//
//  1. In one era nothing is changed, neither body nor stream
//     (TestAMessagePassesUntouchedInItsOwnEra, TestTheStreamsOfOneEraPassUntouched,
//     TestRelayChangesNothingButTheCredentials).
//  2. What a client of one era can do on a server of its own, it can do on one of
//     the other, where both eras have it (TestEveryClientOnEveryServer,
//     TestServersAskClientsOfEveryEra, TestLogMessagesReachClientsThatWantThem,
//     TestCancellingReachesTheServer, TestSubscriptionsReachClientsOfEveryEra,
//     TestThePythonServer); also what a legacy server asks or tells on the session's
//     own stream during a modern client's call
//     (TestALegacyServerThatAsksOnItsOwnStream,
//     TestWhatALegacyServerTellsOnItsOwnStreamDuringACall).
//  3. Credentials go to this server only, and only those that the configuration
//     names; redirects are never followed; nothing of them is printed
//     (TestWhoseCredentialsGo, TestAMessagePassesUntouchedInItsOwnEra,
//     TestARedirectIsNotFollowed).
//  4. One session for each key, however many ask at once (TestOneSessionPerKey,
//     TestConcurrentResetsJoin); none is left open (TestOneSessionPerKey,
//     TestIdleSessionsAreEnded, TestTheSessionsAreBounded), but those that other
//     processes may use (TestAResumedSession).
//  5. A lost session is opened anew once, and only what can't have run is sent
//     again (TestALostSessionIsOpenedAnewOnce, TestACallThatMayHaveRunIsNotRepeated,
//     TestAServerThatEndsTheStreamToBePolled). A 400 is a lost session only
//     when the session doesn't answer a ping either.
//  6. Callers that share a session never get each other's answers
//     (TestSeveralCallersCallsInOneSession, TestWhatALegacyServerAsksBecomesInputRequired,
//     TestWithSeveralCallsTheOnlyOneThatCanBeAskedIsAsked,
//     TestListenersOfOneCallerShareTheServersStream).
//  7. Everything ends: silence, pages, items, bytes, rounds of questions
//     (TestASilentServerIsGivenUp, TestListingsEnd, TestAServerThatAsksWithoutEnd);
//     a client that leaves ends the work (TestAModernClientThatLeaves,
//     TestALegacyClientThatRefusesOrLeavesWhileAsked). A legacy client that only
//     disconnects has not cancelled (spec 2025-11-25 basic/transports).
//  8. A server that is down costs one request after each pause, the others fail at
//     once (TestAServerThatIsDownIsTriedWithGrowingPauses,
//     TestOneRequestIsLetThroughAfterThePause); it may come back as another one
//     (TestAServerComesBackAsAnother, TestAServerThatIsExchangedBetweenCalls).
//  9. Errors say what to do and hold no value of a request or an answer
//     (mustKind and noSecrets, in every failure test).
//  10. What a server or a client sends breaks nothing (FuzzTranslation).
//
// Every goroutine belongs to the Member, to an answer or to a stream, and ends
// with it; Close waits for the Member's (TestMain looks for leaks).
package member
