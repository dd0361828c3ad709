package wire

import (
	"net/http"
	"strings"
)

// The headers of W3C Trace Context; in _meta they have the same names in lower case (MCP SEP-414).
const (
	TraceparentHeader = "Traceparent"
	TracestateHeader  = "Tracestate"
)

// Trace is a W3C Trace Context as it travels: the values of traceparent and tracestate. One that was received may hold
// anything; one that is sent is made by the tracer. The zero Trace is none.
type Trace struct{ Parent, State string }

// TraceOf reads the trace context of a request's headers. Two traceparents are none: nobody could say which counts
// (W3C Trace Context, section 3.2); several tracestates are one list (section 3.3.1).
func TraceOf(h http.Header) Trace {
	parents := h[TraceparentHeader]
	if len(parents) != 1 {
		return Trace{}
	}
	t := Trace{Parent: parents[0]}
	if states := h[TracestateHeader]; len(states) > 0 {
		t.State = strings.Join(states, ",")
	}
	return t
}

// TraceOfMeta reads the trace context of a request's _meta.
func (m *Message) TraceOfMeta() Trace {
	t := Trace{Parent: m.Meta.Traceparent}
	if t.Parent == "" {
		return t
	}
	fields, err := Fields(m.Meta.In(m.Body))
	if err != nil {
		return t
	}
	for _, f := range fields {
		if f.Key == "tracestate" {
			t.State, _ = String(f.Value)
		}
	}
	return t
}

// Apply sets the headers of a request to the trace context; without one it leaves them as they are.
func (t Trace) Apply(h http.Header) {
	if t.Parent == "" {
		return
	}
	h.Set(TraceparentHeader, t.Parent)
	h.Del(TracestateHeader)
	if t.State != "" {
		h.Set(TracestateHeader, t.State)
	}
}
