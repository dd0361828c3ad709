// Package demoserver serves made-up MCP tools with working answers over streamable HTTP, for the demo: a real server of
// the go-sdk, so that what runs against it runs against a server that others wrote. What else a server can do (progress,
// elicitation, prompts, resources) is in package featureserver.
//
// Invariants:
//
//  1. The server lists exactly the given tools, with their schemas and annotations as written (TestListsToolsAsWritten).
//  2. The same tool and arguments give the same answer, and what a write made a later read of the same server shows
//     (TestTheSameCallHasTheSameAnswer, TestWritesAreSeenByReads).
//  3. Arguments that don't fit the schema are an isError result that names the fault (TestBadArgumentsAreRefused).
package demoserver
