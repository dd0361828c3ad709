package sidecar

import (
	"slices"

	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// callOf builds a request of our own for one item: the caller's era and session, its _meta without what only the
// caller itself could answer.
func (e *Engine) callOf(t *turn, c checked) upstream.Call {
	return upstream.Call{Era: t.era, Version: t.version, Session: t.req.Header.Get("Mcp-Session-Id"),
		Name: c.tool.Name, Arguments: c.arguments, Meta: batchMeta(t), ParamHeaders: c.headers, Judged: judged(c.tool, true), Trace: t.trace()}
}

// batchMeta is the caller's _meta without progressToken (the token belongs to the outer request), with our span as its
// trace context when there is one, and, in the modern
// era, without the client capabilities that let an upstream ask back: it must then say what it needs as an error
// (spec 2026-07-28 basic/index, -32021) instead of waiting for an answer nobody can give.
func batchMeta(t *turn) []byte {
	if t.era != wire.Modern {
		return nil
	}
	fields, err := wire.Fields(t.msg.Meta.In(t.msg.Body))
	if err != nil {
		return nil
	}
	trace := t.trace()
	if trace.Parent != "" {
		fields = append(withoutTrace(fields), traceFields(trace)...)
	}
	return object(fields, func(f wire.Field) []byte {
		switch f.Key {
		case "progressToken":
			return nil
		case "io.modelcontextprotocol/clientCapabilities":
			return quietCapabilities(f.Value)
		}
		return f.Value
	})
}

// withoutTrace drops the caller's trace context (MCP SEP-414).
func withoutTrace(fields []wire.Field) []wire.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f wire.Field) bool { return f.Key == "traceparent" || f.Key == "tracestate" })
}

func traceFields(trace wire.Trace) []wire.Field {
	fields := []wire.Field{{Key: "traceparent", Value: wire.Quote(trace.Parent)}}
	if trace.State != "" {
		fields = append(fields, wire.Field{Key: "tracestate", Value: wire.Quote(trace.State)})
	}
	return fields
}

func quietCapabilities(raw []byte) []byte {
	fields, err := wire.Fields(raw)
	if err != nil {
		return []byte("{}")
	}
	return object(fields, func(f wire.Field) []byte {
		switch f.Key {
		case "elicitation", "sampling", "roots", "tasks":
			return nil
		case "extensions":
			inner, err := wire.Fields(f.Value)
			if err != nil {
				return nil
			}
			return object(inner, func(f wire.Field) []byte {
				if f.Key == "io.modelcontextprotocol/tasks" {
					return nil
				}
				return f.Value
			})
		}
		return f.Value
	})
}

// object writes the members for which value returns something.
func object(fields []wire.Field, value func(wire.Field) []byte) []byte {
	out := []byte{'{'}
	for _, f := range fields {
		v := value(f)
		if v == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, wire.Quote(f.Key)...), ':'), v...)
	}
	return append(out, '}')
}
