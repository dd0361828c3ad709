// Command demo is `make demo`: real MCP servers behind a real Envoy with the built sidecar, one conversation played and
// printed, then everything stays up for clients until Ctrl-C. DEMO=once exits after the conversation, with status 1
// when one of its steps did not go as it should. DEMO=full merges real MCP servers from npm and PyPI through the sidecar's
// own aggregate route instead (DEMO=full,once: and exits).
//
// Invariants:
//
//  1. Every step of the conversation checks its answer; a wrong one fails the demo (TestTheDemoPlaysOnce in package e2e,
//     TestTheFullDemoPlaysOnce in package e2e).
//  2. Only free ports on loopback are used, and nothing started outlives the demo.
package main
