package tracing_test

import (
	"bytes"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcp-toolsearch/internal/otlptest"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/tracing"
	"mcp-toolsearch/sidecar/wire"
)

const mark = "m4rk"

// marked sends a mark in every place of requests of all kinds.
func marked(t *testing.T, r *rig) {
	t.Helper()
	r.Upstream.Script("mail_find", upstreamtest.Script{Result: `{"content":[{"type":"text","text":"m4rk"}],"m4rk":1}`})
	h := http.Header{"Authorization": {"Bearer m4rk"}, "Mcp-Session-Id": {"m4rk"}, "X-M4rk": {"m4rk"}, "Traceparent": {parent}, "Tracestate": {"m4rk=m4rk"}, "Baggage": {"m4rk=m4rk"}}
	broken := h.Clone()
	broken.Set("Traceparent", "00-m4rk")
	for _, body := range []string{
		call("search_tools", `{"query":"m4rk mail"}`), call("search_tools", `{"query":"mail","server":"m4rk"}`), call("describe_tools", `{"names":["m4rk","mail_find"]}`),
		call("call_read_tool", `{"name":"m4rk","arguments":{"m4rk":1}}`), call("call_read_tool", `{"name":"mail_find","arguments":{"q":"m4rk"}}`),
		call("call_read_tool", `{"name":"mail_find","arguments":"{\"q\":\"m4rk\"}"}`), call("call_read_tool", `{"name":"mail_purge","arguments":{}}`), call("call_write_tool", `{"name":"mail_purge","arguments":{"m4rk":1}}`),
		call("call_read_tools", `{"calls":[{"name":"m4rk"},{"name":"mail_find","arguments":{"q":"m4rk"}},"m4rk"]}`), call("m4rk", `{}`), call("mail_find", `{"q":"m4rk"}`),
		`{"jsonrpc":"2.0","id":"m4rk","method":"m4rk/m4rk","params":{"m4rk":1}}`, `{"jsonrpc":"2.0","id":"m4rk","method":"tools/list","params":{"cursor":"m4rk"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"m4rk","version":"m4rk"}}}`,
	} {
		for _, era := range []wire.Era{wire.Legacy, wire.Modern} {
			r.send(t, era, body, h)
			r.send(t, era, body, broken)
			wrong := h.Clone()
			wrong.Set("Mcp-Protocol-Version", mark)
			r.send(t, era, body, wrong)
		}
	}
	r.Upstream.Fail("", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 401, Header: http.Header{"Www-Authenticate": {mark}}, Body: `{"m4rk":1}`})
	h.Set("Authorization", "Bearer another m4rk")
	r.send(t, wire.Modern, call("search_tools", `{"query":"x"}`), h)
}

func TestNoMarkedValueIsExported(t *testing.T) {
	r := open(t, nil)
	marked(t, r)
	spans := r.close(t)
	if len(spans) < 100 {
		t.Errorf("only %d spans", len(spans))
	}
	raw := r.receiver.Raw()
	if i := bytes.Index(bytes.ToLower(raw), []byte(mark)); i >= 0 {
		t.Errorf("the mark is exported: %q", raw[max(0, i-100):min(len(raw), i+100)])
	}
}

func TestSpansHoldNothingElse(t *testing.T) {
	r := open(t, nil)
	marked(t, r)
	missing := map[string]bool{}
	for _, a := range tracing.Attributes() {
		missing[a.Key] = true
		if a.Meaning == "" || a.Values == "" {
			t.Errorf("%s is not defined", a.Key)
		}
	}
	defined := maps.Clone(missing)
	r.get(t)
	names := regexp.MustCompile(`^(search|check|item|metadata|other|GET|(initialize|tools/(call|list))( (mail_find|mail_purge|(search|describe)_tools|call_(read|write)_tools?))?)$`)
	for _, s := range r.close(t) {
		if !names.MatchString(s.Name) {
			t.Errorf("a span is called %q", s.Name)
		}
		if len(s.Events)+len(s.Links) > 0 {
			t.Errorf("%s has events or links", s.Name)
		}
		for key, value := range otlptest.Attributes(s) {
			if !defined[key] {
				t.Errorf("%s has the attribute %s=%s", s.Name, key, value)
			}
			delete(missing, key)
		}
		if m := s.Status.GetMessage(); m != otlptest.Attributes(s)["error.type"] {
			t.Errorf("%s says %q", s.Name, m)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no span has %s", strings.Join(slices.Sorted(maps.Keys(missing)), ", "))
	}
}
