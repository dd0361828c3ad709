package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// observe adds a duration to a histogram, with the trace it was measured in as its exemplar when that is recorded.
// Exemplars are in the OpenMetrics format only, which a scraper asks for.
func observe(h prometheus.Observer, took time.Duration, traceID string) {
	if e, ok := h.(prometheus.ExemplarObserver); ok && traceID != "" {
		e.ObserveWithExemplar(took.Seconds(), prometheus.Labels{"trace_id": traceID})
		return
	}
	h.Observe(took.Seconds())
}
