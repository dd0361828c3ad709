package main

import (
	"mcp-toolsearch/sidecar/metrics"
	"mcp-toolsearch/sidecar/upstream"
)

// serverMetrics counts what happens to merged servers.
type serverMetrics struct{ *metrics.Metrics }

// Up implements [member.Observer].
func (m serverMetrics) Up(server string) { m.ServerUp(server, true) }

// Down implements [member.Observer].
func (m serverMetrics) Down(server string, _ upstream.Kind) { m.ServerUp(server, false) }
