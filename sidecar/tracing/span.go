package tracing

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// kind is what a span is of: a step, or one of these.
type kind int

const (
	request kind = iota
	listing
	search
	check
	item
	call
	onward
)

// span implements [sidecar.Span].
type span struct {
	tracer *Tracer
	otel   trace.Span
	state  string // tracestate: it goes on, and isn't exported
	kind   kind
}

// steps say what a step's span is called before it is over, and its kind.
var steps = map[sidecar.Step]struct {
	kind kind
	name string
	role trace.SpanKind
}{
	sidecar.StepSearch: {search, "search", trace.SpanKindInternal},
	sidecar.StepCheck:  {check, "check", trace.SpanKindInternal},
	sidecar.StepItem:   {item, "item", trace.SpanKindInternal},
	sidecar.StepCall:   {call, "tools/call", trace.SpanKindClient},
	sidecar.StepOnward: {onward, "onward", trace.SpanKindClient},
}

// Step implements [sidecar.Span]. What isn't recorded has no steps either.
func (s *span) Step(of sidecar.Step) sidecar.Span {
	if !s.otel.IsRecording() {
		return s
	}
	step := steps[of]
	_, o := s.tracer.tracer.Start(trace.ContextWithSpan(context.Background(), s.otel), step.name, trace.WithSpanKind(step.role))
	return &span{tracer: s.tracer, otel: o, state: s.state, kind: step.kind}
}

// Trace implements [sidecar.Span].
func (s *span) Trace() wire.Trace {
	headers := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpan(context.Background(), s.otel), headers)
	return wire.Trace{Parent: headers["traceparent"], State: s.state}
}

// TraceID implements [sidecar.Span].
func (s *span) TraceID() string {
	c := s.otel.SpanContext()
	if !c.IsSampled() {
		return ""
	}
	return c.TraceID().String()
}

// End implements [sidecar.Span].
func (s *span) End(f sidecar.Facts) {
	if !s.otel.IsRecording() {
		return
	}
	s.otel.SetName(s.name(f.Labels))
	s.otel.SetAttributes(s.attributes(f)...)
	if reason := s.fault(f); reason != "" {
		s.otel.SetAttributes(attribute.String(ErrorType, reason))
		s.otel.SetStatus(codes.Error, reason)
	}
	s.otel.End()
}

// name is "{method} {tool}" (semantic conventions for MCP), or the step's.
func (s *span) name(l sidecar.Labels) string {
	switch s.kind {
	case search:
		return "search"
	case check:
		return "check"
	case item:
		return "item"
	}
	if tool := s.toolOf(l); tool != "" {
		return l.Method + " " + tool
	}
	return l.Method
}

// toolOf is the tool that a call names: of a request one of the five first.
func (s *span) toolOf(l sidecar.Labels) string {
	switch {
	case s.kind == request && l.MetaTool != "":
		return l.MetaTool
	case s.kind == request, s.kind == call, s.kind == onward:
		return l.Tool
	}
	return ""
}

// fault is why the work failed, in a word: our reason, or the HTTP status of what an upstream answered.
func (s *span) fault(f sidecar.Facts) string {
	switch {
	case f.Labels.Reason != "":
		return f.Labels.Reason
	case s.kind == onward && f.Status == 0:
		return "no_answer"
	case s.kind == onward && f.Status >= http.StatusBadRequest, s.kind == request && f.Status >= http.StatusInternalServerError:
		return strconv.Itoa(f.Status)
	}
	return ""
}

// attributes are those of [Attributes] that the facts give.
func (s *span) attributes(f sidecar.Facts) []attribute.KeyValue {
	l := f.Labels
	var all []attribute.KeyValue
	text := func(key, value string) {
		if value != "" {
			all = append(all, attribute.String(key, value))
		}
	}
	number := func(key string, n int) { all = append(all, attribute.Int(key, n)) }
	if httpMethod(l.Method) {
		text(HTTPMethod, l.Method)
	} else if strings.Contains(l.Method, "/") || l.Method == "initialize" || l.Method == "ping" {
		text(Method, l.Method)
	}
	if tool := s.toolOf(l); tool != "" {
		text(Tool, tool)
		text(Operation, "execute_tool")
	}
	if l.Tool != "" && (l.MetaTool != "" || s.kind == check) {
		text(InnerTool, l.Tool)
	}
	text(Version, f.Version)
	text(Decision, f.Kind)
	text(Outcome, l.Outcome)
	text(Era, l.Era)
	if f.Status != 0 {
		number(Status, f.Status)
	}
	switch s.kind {
	case search:
		number(Tools, f.Tools)
		number(Hits, f.Hits)
	case listing:
		number(Tools, f.Tools)
	case check:
		number(Repaired, f.Repaired)
	case item:
		number(Item, f.Item)
	}
	return all
}

func httpMethod(m string) bool {
	switch m {
	case http.MethodGet, http.MethodDelete, http.MethodOptions, http.MethodHead:
		return true
	}
	return false
}
