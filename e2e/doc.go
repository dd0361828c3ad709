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
package e2e
