// Package member is one MCP server as a member of the aggregate: its era, its
// sessions, its credentials, and the translation between the eras.
package member
