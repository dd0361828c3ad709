// Package servers says which MCP servers there are to merge, and what goes to
// each: from the variables that people already have, and from the mcpServers
// file that their clients already use. It imports nothing of ours, opens no
// connection and starts no process.
//
// Invariants: nothing in it can be printed.
//
package servers
