package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/metrics"
)

func TestTheDecisionLog(t *testing.T) {
	var text bytes.Buffer
	d := newDecisionLog(metrics.New("1", func() catalog.Stats { return catalog.Stats{} }), slog.New(slog.NewTextHandler(&text, nil)), 32000)
	for range 3 {
		d.NotEdited("too_large")
	}
	if got := text.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "level=WARN") || !strings.Contains(got, "raise --max-edit") || !strings.Contains(got, "max_edit=32000") {
		t.Errorf("three answers, want one warning:\n%s", got)
	}
	text.Reset()
	d.Decided(sidecar.Answer, sidecar.Labels{Outcome: "refused", Reason: "catalog_unavailable", Detail: "bad_status", RequestID: "7f3c1d2e-0000-4a5b-8c9d-0123456789ab"}, time.Millisecond)
	if got := text.String(); !strings.Contains(got, "reason=catalog_unavailable detail=bad_status") || !strings.Contains(got, "request_id=7f3c1d2e-0000-4a5b-8c9d-0123456789ab") {
		t.Errorf("the line lacks the upstream's kind: %s", got)
	}
}
