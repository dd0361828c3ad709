// Package aggregate merges several MCP servers into one.
package aggregate
