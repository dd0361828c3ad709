// Package demoserver serves made-up MCP tools with working answers over
// streamable HTTP, for the demo and for tests: a real server of the go-sdk, so
// that what runs against it runs against a server that others wrote.
//
// Invariants:
//
//  1. Without fixtures the server lists exactly the given tools, with their
//     schemas and annotations as written (TestListsToolsAsWritten).
//  2. The same tool and arguments give the same answer, and what a write made a
//     later read of the same server shows (TestWritesAreSeenByReads).
//  3. Arguments that don't fit the schema are an isError result that names the
//     fault (TestBadArgumentsAreRefused).
//  4. A caller neither lists nor calls a tool that is not visible to its token
//     (TestCallersSeeOnlyTheirTools).
package demoserver
