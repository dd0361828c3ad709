package tracing_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"mcp-toolsearch/internal/otlptest"
	"mcp-toolsearch/sidecar/tracing"
	"mcp-toolsearch/sidecar/wire"
)

// tree is every span with its parent's name, sorted.
func tree(spans []*otlp.Span) []string {
	names := map[string]string{spanID: "(caller)", "": "(none)"}
	for _, s := range spans {
		names[fmt.Sprintf("%x", s.SpanId)] = s.Name
	}
	var lines []string
	for _, s := range spans {
		lines = append(lines, names[fmt.Sprintf("%x", s.ParentSpanId)]+" > "+s.Name)
	}
	slices.Sort(lines)
	return lines
}

func TestOneTraceJoinsCallerStepsAndUpstream(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"a search": {call("search_tools", `{"query":"mail"}`), []string{"(caller) > tools/call search_tools", "tools/call search_tools > search", "tools/call search_tools > tools/list"}},
		"a call": {call("call_read_tool", `{"name":"mail_find","arguments":{"q":"x"}}`), []string{"(caller) > tools/call call_read_tool",
			"check > tools/list", "tools/call call_read_tool > check", "tools/call call_read_tool > tools/call mail_find"}},
		"a refusal": {call("call_read_tool", `{"name":"mail_purge"}`), []string{"(caller) > tools/call call_read_tool", "check > tools/list", "tools/call call_read_tool > check"}},
		"a batch": {call("call_read_tools", `{"calls":[{"name":"mail_find"},{"name":"nothing_like_it"}]}`), []string{"(caller) > tools/call call_read_tools",
			"item > check", "item > check", "item > tools/call mail_find", "tools/call call_read_tools > item", "tools/call call_read_tools > item", "tools/call call_read_tools > tools/list"}},
		"a message that passes": {`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, []string{"(caller) > prompts/list", "prompts/list > prompts/list"}},
	} {
		for _, era := range []wire.Era{wire.Legacy, wire.Modern} {
			t.Run(name+" "+era.String(), func(t *testing.T) {
				r := open(t, nil)
				r.send(t, era, c.body, asChild())
				spans := r.close(t)
				if diff := cmp.Diff(c.want, tree(spans)); diff != "" {
					t.Error(diff)
				}
				known := map[string]bool{}
				for _, s := range spans {
					known[header(s)] = true
					if fmt.Sprintf("%x", s.TraceId) != traceID || s.TraceState != "" {
						t.Errorf("%s is of trace %x with state %q", s.Name, s.TraceId, s.TraceState)
					}
				}
				for _, u := range r.Upstream.Requests() {
					if got := u.Header.Get("Traceparent"); !known[got] {
						t.Errorf("%s came with traceparent %q, which is no span of ours", u.Method, got)
					}
				}
			})
		}
	}
}

func TestWhatGoesOnCarriesItsSpan(t *testing.T) {
	r := open(t, nil)
	r.send(t, wire.Modern, call("call_read_tool", `{"name":"mail_find"}`), http.Header{"Traceparent": {parent}, "Tracestate": {"a=1,b=2"}})
	r.meta = `"traceparent":"` + parent + `","tracestate":"c=3","x":1,`
	r.send(t, wire.Modern, call("call_read_tools", `{"calls":[{"name":"mail_find"}]}`), nil)
	requests := r.Upstream.RequestsOf("tools/call")
	spans := r.close(t)
	var calls []*otlp.Span
	for _, s := range spans {
		if s.Name == "tools/call mail_find" {
			calls = append(calls, s)
		}
	}
	if len(requests) != 2 || len(calls) != 2 {
		t.Fatalf("%d requests, %q", len(requests), otlptest.Names(spans))
	}
	for i, state := range []string{"a=1,b=2", "c=3"} {
		h := requests[i].Header
		if h.Get("Traceparent") != header(calls[i]) || h.Get("Tracestate") != state {
			t.Errorf("call %d came with %q and %q, want %q and %q", i, h.Get("Traceparent"), h.Get("Tracestate"), header(calls[i]), state)
		}
	}
	if body := string(requests[1].Body); strings.Contains(body, parent) || !strings.Contains(body, `"traceparent":"`+header(calls[1])+`"`) || !strings.Contains(body, `"tracestate":"c=3"`) || !strings.Contains(body, `"x":1`) {
		t.Errorf("the item of a batch is %s", body)
	}
}

// TestARewrittenBodyKeepsItsTraceContext: only name and arguments change, whatever is traced.
func TestARewrittenBodyKeepsItsTraceContext(t *testing.T) {
	r := open(t, nil)
	meta := `"_meta":{"traceparent":"` + parent + `", "tracestate" : "c=3"}`
	r.send(t, wire.Legacy, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+meta+`,"name":"call_read_tool","arguments":{"name":"mail_find","arguments":{"q":"x"}}}}`, nil)
	want := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + meta + `,"name":"mail_find","arguments":{"q":"x"}}}`
	requests := r.Upstream.RequestsOf("tools/call")
	if len(requests) != 1 || string(requests[0].Body) != want {
		t.Fatalf("%d requests: %s", len(requests), requests[0].Body)
	}
	if got := requests[0].Header.Get("Tracestate"); got != "c=3" {
		t.Errorf("the tracestate is %q", got)
	}
}

func TestTheCallerDecidesWhatIsRecorded(t *testing.T) {
	unsampled := strings.TrimSuffix(parent, "01") + "00"
	for name, c := range map[string]struct {
		sampler  string
		ratio    float64
		parent   string
		recorded bool
	}{
		"a sampled caller":                      {"", 0, parent, true},
		"an unsampled caller":                   {"", 0, unsampled, false},
		"no caller":                             {"", 0, "", true},
		"a sampled caller, off at the root":     {"parentbased_always_off", 0, parent, true},
		"no caller, off at the root":            {"parentbased_always_off", 0, "", false},
		"an unsampled caller, always on":        {"always_on", 0, unsampled, true},
		"a sampled caller, always off":          {"always_off", 0, parent, false},
		"no caller, a ratio of nothing":         {"parentbased_traceidratio", 0, "", false},
		"no caller, a ratio of all":             {"parentbased_traceidratio", 1, "", true},
		"a sampled caller, a ratio of nothing":  {"traceidratio", 0, parent, false},
		"an unsampled caller, a ratio of all":   {"parentbased_traceidratio", 1, unsampled, false},
		"a sampled caller, by a later version":  {"", 0, "01" + parent[2:] + "-more", true},
		"a sampled caller, with the random bit": {"", 0, strings.TrimSuffix(parent, "01") + "03", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, func(o *tracing.Options) { o.Sampler, o.Ratio = c.sampler, c.ratio })
			h := http.Header{}
			if c.parent != "" {
				h.Set("Traceparent", c.parent)
			}
			r.send(t, wire.Modern, call("call_read_tool", `{"name":"mail_find"}`), h)
			if got := len(r.close(t)) > 0; got != c.recorded {
				t.Errorf("recorded: %t", got)
			}
			sent := r.Upstream.RequestsOf("tools/call")[0].Header.Get("Traceparent")
			if c.parent != "" && sent[3:35] != traceID {
				t.Errorf("the upstream is in trace %s", sent)
			}
			if sampled := strings.HasSuffix(sent, "1") || strings.HasSuffix(sent, "3"); sampled != c.recorded {
				t.Errorf("the upstream gets %s", sent)
			}
			if id := r.Seen.Last().TraceID; (id != "") != c.recorded {
				t.Errorf("the trace id is %q", id)
			}
		})
	}
}

func TestAnInvalidTraceContextIsIgnored(t *testing.T) {
	other := "00-11111111111111111111111111111111-2222222222222222-01"
	for name, c := range map[string]struct {
		header http.Header
		meta   string
		want   string // the trace that goes on, "" a new one
	}{
		"a header":                       {http.Header{"Traceparent": {parent}}, "", traceID},
		"_meta without a header":         {nil, parent, traceID},
		"a header and another in _meta":  {http.Header{"Traceparent": {parent}}, other, traceID},
		"a broken header, and _meta":     {http.Header{"Traceparent": {"00-x"}}, parent, traceID},
		"two headers":                    {http.Header{"Traceparent": {parent, parent}}, "", ""},
		"upper case":                     {http.Header{"Traceparent": {strings.ToUpper(parent)}}, "", ""},
		"a trace of zeros":               {http.Header{"Traceparent": {"00-" + strings.Repeat("0", 32) + "-" + spanID + "-01"}}, "", ""},
		"a span of zeros":                {http.Header{"Traceparent": {"00-" + traceID + "-" + strings.Repeat("0", 16) + "-01"}}, "", ""},
		"version ff":                     {http.Header{"Traceparent": {"ff" + parent[2:]}}, "", ""},
		"something after it":             {http.Header{"Traceparent": {parent + "-x"}}, "", ""},
		"a space before it":              {http.Header{"Traceparent": {" " + parent}}, "", ""},
		"no hexadecimal digits in _meta": {nil, strings.ReplaceAll(parent, "a", "g"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, nil)
			if c.meta != "" {
				r.meta = `"traceparent":"` + c.meta + `",`
			}
			h := c.header.Clone()
			if h == nil {
				h = http.Header{}
			}
			h.Set("Tracestate", "m4rk=1")
			r.send(t, wire.Modern, call("call_read_tool", `{"name":"mail_find"}`), h)
			sent := r.Upstream.RequestsOf("tools/call")[0].Header
			joined := strings.Contains(sent.Get("Traceparent"), traceID)
			if joined != (c.want != "") || len(sent.Values("Traceparent")) != 1 {
				t.Errorf("the upstream gets %q", sent.Values("Traceparent"))
			}
			if fromHeader := joined && len(c.header) > 0 && c.header.Get("Traceparent") == parent; (sent.Get("Tracestate") != "") != fromHeader {
				t.Errorf("the upstream gets the state %q", sent.Get("Tracestate"))
			}
			for _, s := range r.close(t) {
				if c.want == "" && fmt.Sprintf("%x", s.TraceId) == traceID {
					t.Errorf("%s is of the trace that isn't valid", s.Name)
				}
			}
		})
	}
}
