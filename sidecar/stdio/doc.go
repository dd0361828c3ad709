// Package stdio presents MCP servers that are local commands as MCP servers over streamable HTTP: an [http.RoundTripper]
// that starts processes instead of connecting. Who speaks HTTP to servers then speaks to commands too.
//
// Invariants:
//
//  1. A message goes to the process, and an answer comes back, as the bytes they are, but for line breaks outside strings
//     (TestBytesPassAsTheyAre, FuzzOneLine, FuzzLines in package sidecar/wire).
//  2. A session is a process of its own, with its client's ids; requests without a session share one, with ids and
//     progress tokens of ours, so that no client gets what is another's (TestASessionIsAProcess,
//     TestClientsOfTheSharedProcessNeverCollide, TestALogMessageGoesToNobodyWhenItIsUnclearWhose).
//  3. Every request ends: with its answer, with its client's leaving (the process is told), or with an error that says
//     whether it may have run (TestADroppedRequestIsCancelled, TestACrashInMidCallSaysThatItMayHaveRun,
//     TestWhatTheProcessNeverGotWasNotRun).
//  4. Nothing of a process is left behind, whatever it started in its group and however it clings to life
//     (TestNothingIsLeftAfterClose, TestWhoIgnoresEverythingIsKilled; goleak watches all tests).
//  5. A command gets a small safe part of our environment and what was configured for it (TestEnvironment).
//  6. What it prints on stderr is in no answer, and in the log only when the operator asks for it
//     (TestStderrIsOnlyCounted, TestStderrIsLoggedOnRequest).
//  7. Nothing a process prints makes us hold more than a bound: lines, early messages, unread events
//     (TestAnAnswerThatIsTooLongEndsItsCall, TestASlowReaderLosesNotificationsOnly).
//  8. A command that keeps ending is started at longer and longer intervals, and who asks is told how it ended
//     (TestACrashLoopIsToldWithItsLastStatus).
//  9. A client of servers over HTTP notices no difference (TestTheSDKsClientWithAPythonServer).
package stdio
