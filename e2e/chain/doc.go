// Command chain is what the conformance suite's client sets run as "the client": it starts the product in front of the
// suite's mock server, and lets the SDK's own conformance client talk to the product. What the suite then sees and
// judges are the product's requests.
//
//	chain -sidecar PROGRAM -client PROGRAM [-beside URL] MOCK_SERVER_URL
//
// Without -beside the client is on the search route, behind the inverse shim, which takes the client's own Mcp-Param-*
// away; with it the mock server and the server at that URL are merged, and the client is on the aggregate route.
//
// Invariants:
//
//  1. What does not start is told with its name, and leaves nothing behind (TestWhatDoesNotStartIsToldAndLeavesNothing).
package main
