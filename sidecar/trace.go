package sidecar

import (
	"time"

	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/wire"
)

// Tracer makes spans of requests. [tracing.Tracer] is the implementation.
type Tracer interface {
	// Request begins the span of a request that came at start, under the first of parents that is valid; the others are
	// ignored.
	Request(start time.Time, parents ...wire.Trace) Span
}

// Span is a piece of work in a trace. Its methods are called by several goroutines.
type Span interface {
	// Step begins a span under this one.
	Step(kind Step) Span
	// Trace is what requests made for this work carry.
	Trace() wire.Trace
	// TraceID names the trace in logs and exemplars: 32 hexadecimal digits, or "" when it isn't recorded.
	TraceID() string
	// End ends the span and says what came of it. Only the first call counts.
	End(f Facts)
}

// Step is a kind of work inside a request.
type Step int

// The steps.
const (
	StepSearch Step = iota // a search in the index
	StepCheck              // an inner call: the tool is looked up, its arguments are checked
	StepItem               // an item of call_read_tools
	StepCall               // a tools/call of our own
	StepOnward             // a request that goes on to the aggregate route: a call as re-issued, or as it came
)

// Facts are what a span says. As in [Labels], every value comes from a closed set or from the caller's catalog.
type Facts struct {
	Kind     string // of a request: its decision
	Labels   Labels // of a step: Method, Tool, Outcome and Reason alone
	Version  string // of a request: its protocol version, when it is one that exists
	Status   int    // HTTP status of the answer, when one came
	Tools    int    // of a search: the tools looked through
	Hits     int    // of a search: the tools returned
	Repaired int    // of a check: places decoded from JSON text
	Item     int    // its number, from 1
}

// span is the request's, begun when it is first asked for; nil without a tracer.
func (e *Engine) span(t *turn) Span {
	if t.span == nil && e.o.Tracer != nil {
		var inMeta wire.Trace
		if t.msg != nil {
			inMeta = t.msg.TraceOfMeta()
		}
		t.span = e.o.Tracer.Request(t.start, t.req.Trace, wire.TraceOf(t.req.Header), inMeta)
	}
	return t.span
}

// step begins a span under the turn's.
func (t *turn) step(kind Step) Span {
	if t.span == nil {
		return noSpan{}
	}
	return t.span.Step(kind)
}

// under is the turn as a step sees it, so that what the step starts is under its span. Its labels are nobody else's.
func (t *turn) under(s Span) *turn {
	if t.span == nil {
		return t
	}
	step := *t
	step.span = s
	return &step
}

// trace is what requests of our own carry.
func (t *turn) trace() wire.Trace {
	if t.span == nil {
		return wire.Trace{}
	}
	return t.span.Trace()
}

// noSpan is the span of a step when nothing is traced.
type noSpan struct{}

func (noSpan) Step(Step) Span    { return noSpan{} }
func (noSpan) Trace() wire.Trace { return wire.Trace{} }
func (noSpan) TraceID() string   { return "" }
func (noSpan) End(Facts)         {}

// carried are the open spans of a request that goes on: its own, and that of the way to the upstream and back.
type carried struct {
	request, onward Span
	facts           Facts
	status          int
}

// traced ends the span of a request that is answered here. One that goes on carries the span of its way, in the place of
// what came: the body stays as it is.
func (e *Engine) traced(t *turn, d *Decision) {
	span := e.span(t)
	if span == nil {
		return
	}
	d.Labels.TraceID = span.TraceID()
	facts := Facts{Kind: d.Kind.String(), Labels: d.Labels, Status: d.Status}
	if known(t.version) {
		facts.Version = t.version
	}
	if d.Kind == Answer {
		span.End(facts)
		return
	}
	c := &carried{request: span, onward: span.Step(StepOnward), facts: facts}
	c.onward.Trace().Apply(d.SetHeader)
	if t.req.Header.Get(wire.TracestateHeader) != "" && d.SetHeader.Get(wire.TracestateHeader) == "" {
		d.RemoveHeader = append(d.RemoveHeader, wire.TracestateHeader) // of another trace
	}
	d.edit.carried = c
}

func (c *carried) answered(status int) {
	if c != nil {
		c.status = status
	}
}

// Done ends the spans of a request that went on. A door calls it when it is finished with the request, however it ended.
func (d *Decision) Done() {
	c := d.edit.carried
	if c == nil {
		return
	}
	c.onward.End(Facts{Labels: Labels{Method: c.facts.Labels.Method, Tool: c.facts.Labels.Tool}, Status: c.status})
	c.facts.Status = c.status
	c.request.End(c.facts)
}

// checkFacts tells how a check ended.
func checkFacts(c checked, r *Refusal, err error) Facts {
	f := Facts{Labels: Labels{Outcome: "ok"}, Repaired: len(c.repaired)}
	if c.tool != nil {
		f.Labels.Tool = c.tool.Name
	}
	switch {
	case err != nil:
		f.Labels.Outcome, f.Labels.Reason = "error", catalog.Outcome(err)
	case r != nil:
		f.Labels.Outcome, f.Labels.Reason = "refused", string(r.Reason)
	}
	return f
}

// itemFacts tells how an item ended, by its outcome's label.
func itemFacts(number int, outcome string) Facts {
	f := Facts{Item: number, Labels: Labels{Outcome: outcome}}
	switch outcome {
	case "ok":
	case "error":
		f.Labels.Reason = outcome
	default:
		f.Labels.Outcome, f.Labels.Reason = "refused", outcome
	}
	return f
}

// callFacts tells how a call of our own ended.
func callFacts(c checked, outcome string, err error) Facts {
	f := Facts{Labels: Labels{Method: "tools/call", Tool: c.tool.Name, Outcome: outcome}}
	switch {
	case err != nil:
		f.Labels.Reason = catalog.Outcome(err)
	case outcome != "ok":
		f.Labels.Reason = "tool_error"
	}
	return f
}
