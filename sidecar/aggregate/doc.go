// Package aggregate merges several MCP servers into one: an http.Handler that
// speaks streamable HTTP in both eras and sends everything to the server that
// owns it. It decides nothing about tools but their names and their source.
//
// Invariants, and the tests that hold them:
//
//  1. A name belongs to the first configured server that lists it; another's is
//     listed as server__name, and a call under that name reaches it
//     (TestEqualNamesAreKeptApart, TestMergedBytes, FuzzMerge).
//  2. Of a listed tool only the name, _meta's own members and, where the
//     operator says so, readOnlyHint change; of a call only the name
//     (TestMergedBytes, TestEqualNamesAreKeptApart).
//  3. Prompts, resources, completion, subscriptions, progress, cancellation,
//     questions to the client and tasks go to and come from the server that
//     owns them, in every pair of eras
//     (TestPromptsResourcesAndCompletionReachTheirServers,
//     TestProgressAndLogsArriveFromEachServer, TestServersAskTheirClients,
//     TestACancelledCallIsCancelledAtItsServer,
//     TestASubscriberHearsOfItsResource, TestSubscriptionsOfAllServersAreOne,
//     TestTasksReachTheServerThatMadeThem).
//  4. A session id is sealed: whoever has the key can go on with it, and nobody
//     else can make or read one (TestASessionGoesOnAtAnotherReplica,
//     TestAnIdThatWasNotSealedHereIsUnknown, FuzzOpen). It is not a credential:
//     the caller's own headers go with every request, and in-memory sessions
//     belong to session and caller together.
//  5. A server's request comes back as a response to that server alone, and an
//     event id resumes at its own (FuzzIDs, FuzzInward,
//     TestAStreamIsResumedAtTheRightServer).
//  6. No server holds the others up, and no answer waits longer than a second
//     for one that never answered (TestFiftyServersOfWhichTenAreDown,
//     TestAServerThatHangsDoesNotHoldTheOthersUp).
//  7. What was known of a server that is down stays listed and is marked; a call
//     says what is wrong; it is listed again by itself
//     (TestAServerThatGoesAndComesBack, TestAllServersDown).
//  8. Changes are gathered, and a client that was told of one gets it with its
//     next listing (TestAServerThatChangesItsToolsAllTheTime,
//     TestAListChangedThatAClientHearsIsInItsNextListing).
//  9. Callers never share a listing, and nothing of theirs is on disk
//     (TestEachCallerHasToolsOfTheirOwn, TestCallersToolsAreNotKeptOnDisk).
//  10. A manifest is whole or set aside, and gives every tool's bytes back
//     (TestACorruptManifestIsSetAside, FuzzManifest, FuzzManifestKeepsTheBytes).
//  11. With one server everything is relayed as it is
//     (TestOneServerIsRelayedAsItIs).
//  12. A reload ends no running call (TestAReloadLetsRunningCallsEnd).
//  13. A loop ends, and a search route is no server (TestALoopIsRefused,
//     TestASearchRouteIsNoServer).
//  14. What is remembered is bounded: callers and their bytes, clients, tasks,
//     items (TestWhatIsRememberedIsBounded, TestOneListingIsBounded).
//  15. An answer is the answer to its caller's call, also while servers restart
//     (TestNoAnswerIsAnothersWhileServersRestart).
//  16. A batch is answered whole, each message by the server that it is for
//     (TestABatchIsAnsweredByTheServersThatItsMessagesAreFor,
//     TestAMessageOfABatchWhoseAnswerBreaksOff, TestABatchAsAStream).
//  17. Every goroutine ends with its request or with Close (goleak watches all
//     tests).
//
// Locks: Aggregate's, a shelf's, the library's, a table's; none is taken while
// another is held, but the library's before a shelf's, and none is held while
// anything is sent.
package aggregate
