package tracing_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/tracing"
)

var update = flag.Bool("update", false, "write the generated part of docs/tracing.md anew")

// TestDocsTracing holds that docs/tracing.md ends with the spans and attributes that there are.
func TestDocsTracing(t *testing.T) {
	const page, from = "../../docs/tracing.md", "<!-- generated -->\n"
	var b strings.Builder
	b.WriteString("\n| span | what it is |\n|---|---|\n")
	for _, s := range tracing.SpanNames() {
		b.WriteString("| `" + s.Name + "` | " + s.Meaning + " |\n")
	}
	b.WriteString("\n| attribute | what it says | values |\n|---|---|---|\n")
	for _, a := range tracing.Attributes() {
		b.WriteString("| `" + a.Key + "` | " + a.Meaning + " | " + a.Values + " |\n")
	}
	b.WriteString("\nNo span holds a query, an argument, a result, a token, a header's value or an id of a caller's. A failed span's status is its `error.type`.\n" +
		"\nAt most 2,048 spans wait; further ones are dropped, and nothing waits for the receiver: `mcp_toolsearch_trace_spans_total` counts both. At its end the\n" +
		"program gives the receiver three seconds. The histograms of durations have `trace_id` exemplars, for scrapers that ask for OpenMetrics.\n")
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, tail, ok := strings.Cut(string(raw), from)
	if !ok {
		t.Fatal("the page has no generated part")
	}
	if tail == b.String() {
		return
	}
	if !*update {
		t.Fatal("docs/tracing.md is out of date; run make docs")
	}
	if err := os.WriteFile(page, []byte(head+from+b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
