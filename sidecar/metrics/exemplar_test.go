package metrics_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/metrics"
)

func TestDurationsHaveTheirTraceAsExemplar(t *testing.T) {
	m := metrics.New("x", func() catalog.Stats { return catalog.Stats{} })
	const decided, searched, listed = "0af7651916cd43dd8448eb211c80319a", "0af7651916cd43dd8448eb211c80319b", "0af7651916cd43dd8448eb211c80319c"
	m.Decided(sidecar.Answer, sidecar.Labels{Outcome: "ok", TraceID: decided}, time.Millisecond)
	m.Searched(5, 1, time.Millisecond, searched)
	m.Listed("ok", 5, 1, time.Second, listed)
	scrape := func(accept string) string {
		r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		m.Handler().ServeHTTP(w, r)
		text, err := io.ReadAll(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	open, plain := scrape("application/openmetrics-text; version=1.0.0"), scrape("text/plain")
	for name, id := range map[string]string{"decision_duration_seconds": decided, "search_duration_seconds": searched, "catalog_listing_duration_seconds": listed} {
		found := false
		for line := range strings.Lines(open) {
			found = found || strings.HasPrefix(line, "mcp_toolsearch_"+name+"_bucket") && strings.Contains(line, `# {trace_id="`+id+`"}`)
		}
		if !found || strings.Contains(plain, id) {
			t.Errorf("%s: exemplar %t, in the plain format %t", name, found, strings.Contains(plain, id))
		}
	}
}
