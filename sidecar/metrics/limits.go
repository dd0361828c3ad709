package metrics

import (
	"mcp-toolsearch/sidecar/bounds"
)

func (m *Metrics) limitMetrics() {
	m.limits = m.counterVec("limit_reached_total", "Times that a limit on work or memory was reached, and something was refused or let go; the limits are in docs/limits.md.", "limit")
	m.memoryLimit = m.gauge("memory_limit_bytes", "Memory that the program keeps to, by GOMEMLIMIT or its control group; 0 for no limit.", nil)
	for _, limit := range bounds.All() {
		m.limits.WithLabelValues(string(limit))
	}
}

// MemoryLimit says how much memory the program keeps to, in bytes; 0: there is no limit.
func (m *Metrics) MemoryLimit(bytes int64) {
	m.memoryLimit.Set(float64(bytes))
}

// LimitReached counts work that was refused, or catalogs that were let go.
func (m *Metrics) LimitReached(limit bounds.Limit) { m.limits.WithLabelValues(string(limit)).Inc() }
