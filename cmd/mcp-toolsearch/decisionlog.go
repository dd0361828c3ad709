package main

import (
	"log/slog"
	"sync"
	"time"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/metrics"
)

// decisionLog counts decisions and writes a line for each: names, outcome and timing only.
type decisionLog struct {
	*metrics.Metrics
	log       *slog.Logger
	maxEdit   int
	notEdited *sync.Once
}

func newDecisionLog(m *metrics.Metrics, log *slog.Logger, maxEdit int) decisionLog {
	return decisionLog{Metrics: m, log: log, maxEdit: maxEdit, notEdited: &sync.Once{}}
}

// Decided implements [sidecar.Observer].
func (d decisionLog) Decided(kind sidecar.Kind, l sidecar.Labels, took time.Duration) {
	d.Metrics.Decided(kind, l, took)
	d.log.Info("decided", "kind", kind.String(), "method", l.Method, "meta_tool", l.MetaTool, "tool", l.Tool,
		"outcome", l.Outcome, "reason", l.Reason, "detail", l.Detail, "era", l.Era, "ms", float64(took.Microseconds())/1000,
		"request_id", l.RequestID, "trace_id", l.TraceID)
}

// NotEdited implements [sidecar.Observer]. It counts every time and warns once: every connection would say the same.
func (d decisionLog) NotEdited(reason string) {
	d.Metrics.NotEdited(reason)
	d.notEdited.Do(func() {
		d.log.Warn("an upstream's answer to initialize or server/discover is larger than --max-edit: it went on as it came, without the guidance "+
			"for the five tools, and --max-instructions was not applied. Shorten the upstream's instructions, or raise --max-edit and with it the "+
			"gateway's buffer limit. Further ones are only counted, in mcp_toolsearch_answers_not_edited_total.", "reason", reason, "max_edit", d.maxEdit)
	})
}
