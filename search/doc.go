// Package search finds tools by words. It knows no MCP and no model.
package search
