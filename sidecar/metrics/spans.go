package metrics

// Spans counts spans by what became of them: "exported", "failed" or "dropped".
func (m *Metrics) Spans(outcome string, n int) { m.spans.WithLabelValues(outcome).Add(float64(n)) }

func (m *Metrics) spanMetrics() {
	m.spans = m.counterVec("trace_spans_total", "Spans of traces, by what became of them; failed: the OTLP receiver didn't take them, dropped: too many waited.", "outcome")
	for _, outcome := range []string{"exported", "failed", "dropped"} {
		m.spans.WithLabelValues(outcome)
	}
}
