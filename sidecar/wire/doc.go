// Package wire reads and edits JSON-RPC and MCP messages as raw bytes. It
// decides what a message is and whether all readers behind it would agree; it
// decides nothing about tools, callers or routes.
//
// Invariants, each with the test that holds it:
//
//  1. What Scan accepts, go-sdk and the Python SDK read with the same method,
//     id and name, or refuse: FuzzScan, TestGoSDKReadsTheSame,
//     TestPythonSDKReadsTheSame.
//  2. No name twice at any depth, also when spelled with escapes; no look-alike
//     of a key that steers: TestScanRefuses, TestLookAlike.
//  3. One value in well-formed UTF-8 and nothing around it, within the limits
//     of size and depth: TestScanRefuses, TestScanLimits.
//  4. An id is kept as its raw token and is a string or an integer within
//     ±(2^53-1): TestScanIDs.
//  5. A fault carries the id of its message when that is known, and nothing
//     else of the message: TestFaultsAnswerTheID, TestFaultsHoldNoValues.
//  6. Rewrite changes params.name and params.arguments, and no other byte:
//     TestRewrite, FuzzRewrite.
//  7. The headers of a modern request agree with its body, or it is refused;
//     what the recorded servers accepted is accepted: TestCheckHeaders,
//     TestRecordedTraffic.
//  8. A header value we write is decoded to the same text by us and by both
//     SDKs' rules: TestEncodeValue, FuzzDecodeValue.
//  9. An event is cut from a stream the same way wherever the stream's chunks
//     end, and keeps id, event, retry and comments when its data is replaced:
//     TestEventsAtEverySplit, TestWithData, FuzzFirstEvent.
//  10. Values that are judged later are cut where any JSON reader cuts them,
//     at every depth: FuzzTop, TestTopFieldsJudgeTheObjectsOwnNamesOnly.
//  11. A line is cut from a stream the same way wherever the stream's chunks
//     end, and one that is too long costs no more than the limit: FuzzLines,
//     TestALineOverTheLimitKeepsItsEnds.
//
// Nothing here has state or goroutines; all functions are safe for concurrent
// use, all values except an EventReader and a LineReader safe to share once made.
package wire
