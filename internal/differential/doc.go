// Package differential is a test bench for one claim: what was authorised is what runs. The same bytes go to the engine
// and, as it sends them on, to every kind of reader that may stand behind it: go-sdk, encoding/json, the Python SDK in its
// three ways, the TypeScript SDK and JSON.parse. They must read the same kind, method, id, name and arguments, or refuse.
// It is for tests only; [Reader]s in other languages are child processes that speak frames of a length and bytes.
//
// Invariants:
//
//  1. Nothing is sent on that two readers read differently, or that the door it came through doesn't allow; the table in
//     docs/security.md says what was counted (TestWhatIsSentOnIsReadAlike).
//  2. The same holds of any bytes, for the readers in Go (FuzzSentOnIsReadAlike).
//  3. Bytes that are bad HTTP reach a server as the one call that was authorised or not at all (TestRawRequestsRunNothingElse).
//  4. The comparison can fail: a reader that takes the first of two keys is found out (TestADifferenceIsFound).
package differential
