// Package e2e tests the product as its users meet it: the built program behind a real Envoy, in front of real MCP servers,
// with the client libraries that people use.
//
// Invariants:
//  1. What a test starts is gone when it ends; logs are printed only when it failed (TestTheSidecarCanBeRestarted).
//  2. Every client plays every step: a client that stops early is a failure (TestClients).
//  3. The conformance suite's checks are counted, so that a skipped scenario can't look passed (TestConformance).
//  4. With the sidecar killed the search route fails closed and comes back (TestTheSidecarCanBeRestarted).
//  5. Routes that know nothing of tool search work as before, with the sidecar alive and dead (TestOtherRoutesAreLeftAlone).
//  6. All doors give the same answers, byte by byte (TestParity).
//  7. The SDKs' clients log in at a real authorization server through the search route, and step up (TestClientsLogIn).
//  8. What one of several servers does wrong does not hurt the others (TestFaultyServersDoNotHurtTheOthers,
//     TestFiftyServersOfWhichTenAreDown, TestACommandThatPrintsJunk).
//  9. Each client keeps its own session with each server, whatever the SDK on either side (TestRealServersMerged,
//     TestABrowserKeepsEachClientsPage).
//  10. Every sidecar that a test, a client or another program starts runs at the most verbose level, and everything that it
//     logs and serves for operators is looked through when all tests are over: no value of a request or an answer is in it
//     (TestEverySidecarIsRecorded, TestALeakIsFound, TestNoMarkedValueIsRecorded, TestNoMarkedValueIsRecordedByTheStdioDoor,
//     TestACrashDumpHoldsNoMark). So are the traces that tests receive.
package e2e
