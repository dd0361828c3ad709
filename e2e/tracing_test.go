package e2e_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/otlptest"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

const (
	callersTrace = "0af7651916cd43dd8448eb211c80319c"
	callersSpan  = "00-" + callersTrace + "-b7ad6b7169203331-01"
)

// TestOneTraceThroughEnvoy: the client's span, ours, and what the upstream is told are one trace; also where Envoy makes
// spans of its own.
func TestOneTraceThroughEnvoy(t *testing.T) {
	for name, rendered := range map[string]func(*otlptest.Receiver) func(string) string{
		"Envoy doesn't trace": func(*otlptest.Receiver) func(string) string { return nil },
		"Envoy traces too":    func(r *otlptest.Receiver) func(string) string { return withTracer(r) },
	} {
		t.Run(name, func(t *testing.T) {
			ours, envoys := traceReceiver(t), otlptest.New(t)
			up := upstreamtest.New(t, toolOf("mail_find", "Find mail.", true))
			up.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
			s := e2e.Start(t, e2e.Options{Program: programs.Build(t, e2e.Sidecar), Envoy: fixtures.Envoys(t)[0], Pairs: scripted(up), Rendered: rendered(envoys),
				Flags: []string{"--otlp-endpoint", ours.URL()}})
			traced := func(h http.Header) { h.Set("Traceparent", callersSpan); h.Set("Tracestate", mark+"=1") }
			for _, body := range []string{
				callBody("search_tools", map[string]any{"query": mark + " mail"}),
				callBody("call_read_tool", map[string]any{"name": "mail_find", "arguments": map[string]any{"q": mark}}),
				callBody("call_read_tools", map[string]any{"calls": []any{map[string]any{"name": "mail_find"}}}),
			} {
				if r := ask(t, question{url: s.URL("/mcp/search"), token: mark, era: wire.Modern, body: body, alter: traced}); r.status != http.StatusOK || r.failed {
					t.Fatalf("HTTP %d: %s", r.status, r.body)
				}
			}
			known := map[string]bool{}
			ours.Wait(t, func(all []*otlp.Span) bool {
				names := map[string]bool{}
				for _, sp := range all { // the look whether it is up is a trace of its own
					if fmt.Sprintf("%x", sp.TraceId) == callersTrace {
						names[sp.Name], known[fmt.Sprintf("%x", sp.SpanId)] = true, true
					}
				}
				return names["tools/list"] && names["search"] && names["check"] && names["item"] && names["tools/call call_read_tool"] && names["tools/call call_read_tools"]
			})
			calls := up.RequestsOf("tools/call")
			for _, r := range append(calls, up.RequestsOf("tools/list")...) {
				got := r.Header.Get("Traceparent")
				if !strings.HasPrefix(got, "00-"+callersTrace) || rendered(envoys) == nil && !known[got[36:52]] {
					t.Errorf("%s came with traceparent %q, which is no span of ours", r.Method, got)
				}
			}
			if len(calls) != 2 {
				t.Errorf("%d calls", len(calls))
			}
			if bytes.Contains(bytes.ToLower(ours.Raw()), []byte(strings.ToLower(mark))) {
				t.Error("a marked value is exported")
			}
		})
	}
}

// traceReceiver is a receiver of a sidecar's traces, which are looked through in the end.
func traceReceiver(t *testing.T) *otlptest.Receiver {
	t.Helper()
	r := otlptest.New(t)
	t.Cleanup(func() { e2e.Keep(programs.Build(t, e2e.Sidecar), "trace", r.Raw()) })
	return r
}

// withTracer makes Envoy trace by OTLP over HTTP.
func withTracer(r *otlptest.Receiver) func(string) string {
	host, port, _ := strings.Cut(strings.TrimPrefix(r.URL(), "http://"), ":")
	return func(config string) string {
		config = strings.Replace(config, "          stat_prefix: mcp\n", "          stat_prefix: mcp\n"+
			"          tracing: { provider: { name: envoy.tracers.opentelemetry, typed_config: { \"@type\": type.googleapis.com/envoy.config.trace.v3.OpenTelemetryConfig, "+
			"service_name: gateway, http_service: { http_uri: { uri: \""+r.URL()+"/v1/traces\", cluster: otlp, timeout: 1s } } } } }\n", 1)
		return strings.Replace(config, "  clusters:\n", "  clusters:\n  - { name: otlp, connect_timeout: 1s, load_assignment: { cluster_name: otlp, endpoints: [ { lb_endpoints: [ { endpoint: "+
			"{ address: { socket_address: { address: "+host+", port_value: "+port+" } } } } ] } ] } }\n", 1)
	}
}

// TestCallsGoOnWithoutAReceiver: an exporter that can't connect changes no answer, and what is lost is counted.
func TestCallsGoOnWithoutAReceiver(t *testing.T) {
	up := upstreamtest.New(t, toolOf("mail_find", "Find mail.", true))
	up.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
	s := e2e.Start(t, e2e.Options{Program: programs.Build(t, e2e.Sidecar), Envoy: fixtures.Envoys(t)[0], Pairs: scripted(up),
		Flags: []string{"--otlp-endpoint", "http://" + e2e.FreeAddress(t)}})
	for range 50 {
		r := ask(t, question{url: s.URL("/mcp/search"), token: "one", era: wire.Modern, body: callBody("call_read_tool", map[string]any{"name": "mail_find"})})
		if r.status != http.StatusOK || r.failed {
			t.Fatalf("HTTP %d: %s", r.status, r.body)
		}
	}
}
