package wire_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-toolsearch/sidecar/wire"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestATraceContextIsReadFromHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		header http.Header
		want   wire.Trace
	}{
		"none":                    {},
		"a parent":                {http.Header{"Traceparent": {parent}}, wire.Trace{Parent: parent}},
		"with a state":            {http.Header{"Traceparent": {parent}, "Tracestate": {"a=1"}}, wire.Trace{Parent: parent, State: "a=1"}},
		"a state in two headers":  {http.Header{"Traceparent": {parent}, "Tracestate": {"a=1", "b=2"}}, wire.Trace{Parent: parent, State: "a=1,b=2"}},
		"two parents":             {http.Header{"Traceparent": {parent, parent}, "Tracestate": {"a=1"}}, wire.Trace{}},
		"a state without parent":  {http.Header{"Tracestate": {"a=1"}}, wire.Trace{}},
		"a parent that is broken": {http.Header{"Traceparent": {"00-1"}}, wire.Trace{Parent: "00-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, wire.TraceOf(c.header)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestATraceContextIsReadFromMeta(t *testing.T) {
	for name, c := range map[string]struct {
		meta string
		want wire.Trace
	}{
		"none":                     {`{}`, wire.Trace{}},
		"a parent":                 {`{"traceparent":"` + parent + `"}`, wire.Trace{Parent: parent}},
		"with a state":             {`{"tracestate":"a=1","traceparent":"` + parent + `"}`, wire.Trace{Parent: parent, State: "a=1"}},
		"a state without parent":   {`{"tracestate":"a=1"}`, wire.Trace{}},
		"a state of another type":  {`{"tracestate":1,"traceparent":"` + parent + `"}`, wire.Trace{Parent: parent}},
		"a parent of another type": {`{"traceparent":{}}`, wire.Trace{}},
	} {
		t.Run(name, func(t *testing.T) {
			m, fault := wire.Scan([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":`+c.meta+`}}`), wire.DefaultLimits())
			if fault != nil {
				t.Fatal(fault)
			}
			if diff := cmp.Diff(c.want, m.TraceOfMeta()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestATraceContextReplacesWhatAHeaderHad(t *testing.T) {
	for name, c := range map[string]struct {
		trace wire.Trace
		want  http.Header
	}{
		"none":         {wire.Trace{}, http.Header{"Traceparent": {"old"}, "Tracestate": {"old=1"}}},
		"a parent":     {wire.Trace{Parent: parent}, http.Header{"Traceparent": {parent}}},
		"with a state": {wire.Trace{Parent: parent, State: "a=1"}, http.Header{"Traceparent": {parent}, "Tracestate": {"a=1"}}},
	} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{"Traceparent": {"old"}, "Tracestate": {"old=1"}}
			c.trace.Apply(h)
			if diff := cmp.Diff(c.want, h); diff != "" {
				t.Error(diff)
			}
		})
	}
}
