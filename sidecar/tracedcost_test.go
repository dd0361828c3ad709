package sidecar

import (
	"net/http"
	"testing"

	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/wire"
)

// TestTracesThatAreOffCostNothing counts what every place that could make a span allocates without a tracer.
func TestTracesThatAreOffCostNothing(t *testing.T) {
	e := &Engine{}
	turn := &turn{req: Request{Header: http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}}}
	d := &Decision{Kind: Pass}
	tool := &catalog.Tool{Name: "mail_find"}
	refusal := &Refusal{Reason: WrongDoor}
	n := testing.AllocsPerRun(100, func() {
		if e.span(turn) != nil || turn.trace() != (wire.Trace{}) {
			t.Error("there is a span")
		}
		step := turn.step(StepCheck)
		if turn.under(step) != turn || step.Step(StepSearch).TraceID() != "" {
			t.Error("there is a step")
		}
		step.End(checkFacts(checked{tool: tool}, refusal, nil))
		step.End(itemFacts(1, "ok"))
		step.End(callFacts(checked{tool: tool}, "ok", nil))
		e.traced(turn, d)
		d.Done()
	})
	if n != 0 {
		t.Errorf("%.0f allocations", n)
	}
}
