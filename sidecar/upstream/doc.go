// Package upstream speaks to the MCP servers we list and call, with net/http
// and raw bytes.
package upstream
