// Package wire reads and edits JSON-RPC and MCP messages as raw bytes.
package wire
