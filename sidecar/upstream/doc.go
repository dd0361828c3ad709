// Package upstream speaks to the MCP servers we list and call, with net/http
// and raw bytes: an SDK's client would round big integers, drop unknown
// members and fail on content types it doesn't know.
//
// A Client lists a Target's tools as a caller, sends single tools/call
// requests for batches, and fetches protected-resource metadata. The eras are
// tried modern first; which one worked is remembered per target and probed
// again after a failure. In the legacy eras a listing opens a session of its
// own and ends it, whatever happens.
//
// Invariants, and the tests that hold them:
//
//  1. A request of ours carries the caller's identity headers, protocol
//     headers, User-Agent and, when given, traceparent; nothing else
//     (TestOurRequestsCarryNothingElse, TestWhatACallSends).
//  2. Credentials go only where the operator said: redirects are not followed,
//     metadata stays on its origin and is asked for without credentials
//     (TestARedirectIsNotFollowed, TestMetadataStaysOnItsOrigin, TestMetadata).
//  3. Tools, results and error data are the upstream's bytes
//     (TestListKeepsEveryByteOfEveryTool, TestAResultComesBackByteForByte,
//     TestAJSONRPCErrorIsAnAnswer, FuzzPages).
//  4. Everything ends: pages, tools, bytes and time are bounded, a repeated
//     cursor is an error, a caller who leaves ends the work
//     (TestListFailures, TestLimits, TestAnAnswerBeyondTheLimit,
//     TestTheCallerLeaving, TestCancellingACall, TestASlowGoodbyeEnds).
//  5. No session of ours stays open (TestListKeepsEveryByteOfEveryTool,
//     TestLoginIsPassedOnAtEveryStep, TestTheCallerLeaving).
//  6. 401 and 403 are an AuthError with the challenge, at every step, and are
//     told apart from every other failure (TestLoginIsPassedOnAtEveryStep).
//  7. An error says what to do next and holds no value of a request or an
//     answer (mustKind and noSecrets, in every failure test).
//  8. Ids are strings with a random prefix: in a session borrowed from a
//     client they can't collide with the client's (TestIDsAreStringsThatNeverRepeat).
//  9. What is wrong inside one tool spoils no other: a listing is judged
//     around its tools only (TestOneBadToolDoesNotSpoilTheOthers).
//
// The package starts no goroutines of its own.
package upstream
