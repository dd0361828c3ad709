package metrics_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"go.uber.org/goleak"

	"mcp-toolsearch/internal/errorpage"
	"mcp-toolsearch/internal/golden"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/bounds"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/metrics"
	"mcp-toolsearch/sidecar/tlsfiles"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// used is a Metrics that has been told one of everything.
func used() *metrics.Metrics {
	m := metrics.New("1.2.3", func() catalog.Stats {
		return catalog.Stats{Callers: 2, Tools: 30, Bytes: 4096, Oldest: 90 * time.Second}
	})
	m.Decided(sidecar.Forward, sidecar.Labels{Method: "tools/call", MetaTool: "call_read_tool", Tool: "mail_find", Outcome: "ok", Era: "modern"}, 20*time.Millisecond)
	m.Decided(sidecar.Answer, sidecar.Labels{Method: "tools/call", MetaTool: "call_read_tool", Outcome: "refused", Reason: "wrong_door", Era: "legacy"}, time.Millisecond)
	m.Decided(sidecar.Answer, sidecar.Labels{Method: "other", Outcome: "fault", Reason: "invalid_json", Era: "legacy"}, time.Millisecond)
	m.Repaired(3)
	m.BatchItem("ok")
	m.NotEdited("too_large")
	m.LimitReached(bounds.Listings)
	m.MemoryLimit(512 << 20)
	m.Followed(2)
	m.Definitions(700, 12000)
	m.CatalogUsed(time.Minute)
	m.Searched(500, 8, time.Millisecond, "")
	m.Searched(500, 0, time.Millisecond, "")
	m.Listed("ok", 15, 2048, time.Second, "")
	m.Listed("timed_out", 0, 0, 30*time.Second, "")
	m.Evicted()
	m.SchemaUncompilable()
	m.Dropped(catalog.Dropped{Malformed: 1, Repeated: 2, BadHeaders: 3})
	m.StreamOpened()
	m.StreamOpened()
	m.StreamClosed("done")
	m.AnswerBytes(512)
	m.RelayFailed("upstream_unreachable")
	m.ServerListed("mail", "ok", 12, time.Second)
	m.ServerListed("mail", "timed_out", 0, time.Second)
	m.ServerUp("mail", true)
	m.SessionReset("mail")
	m.Collided(2)
	m.CertificateEnds("http", "", "certificate", time.Now().Add(time.Hour))
	m.CertificateReloaded("http", "", "taken")
	m.HandshakeFailed("not_trusted")
	return m
}

func TestTheMetricsAreWellNamed(t *testing.T) {
	problems, err := testutil.GatherAndLint(used().Gatherer())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestWhatIsToldIsCounted(t *testing.T) {
	want := `
# HELP mcp_toolsearch_decisions_total Requests decided, by what was done with them.
# TYPE mcp_toolsearch_decisions_total counter
mcp_toolsearch_decisions_total{era="legacy",kind="answer",meta_tool="",method="other",outcome="fault"} 1
mcp_toolsearch_decisions_total{era="legacy",kind="answer",meta_tool="call_read_tool",method="tools/call",outcome="refused"} 1
mcp_toolsearch_decisions_total{era="modern",kind="forward",meta_tool="call_read_tool",method="tools/call",outcome="ok"} 1
# HELP mcp_toolsearch_refusals_total Calls refused with a result that teaches, by reason.
# TYPE mcp_toolsearch_refusals_total counter
mcp_toolsearch_refusals_total{reason="bad_arguments"} 0
mcp_toolsearch_refusals_total{reason="bad_call"} 0
mcp_toolsearch_refusals_total{reason="catalog_unavailable"} 0
mcp_toolsearch_refusals_total{reason="direct_call"} 0
mcp_toolsearch_refusals_total{reason="header_unsafe"} 0
mcp_toolsearch_refusals_total{reason="missing_name"} 0
mcp_toolsearch_refusals_total{reason="near_name"} 0
mcp_toolsearch_refusals_total{reason="self_call"} 0
mcp_toolsearch_refusals_total{reason="unknown_tool"} 0
mcp_toolsearch_refusals_total{reason="wrong_door"} 1
# HELP mcp_toolsearch_faults_total Requests answered with a JSON-RPC error, by reason.
# TYPE mcp_toolsearch_faults_total counter
mcp_toolsearch_faults_total{reason="invalid_json"} 1
# HELP mcp_toolsearch_argument_repairs_total Places in arguments that were decoded from JSON text.
# TYPE mcp_toolsearch_argument_repairs_total counter
mcp_toolsearch_argument_repairs_total 3
# HELP mcp_toolsearch_batch_items_total Items of call_read_tools, by outcome.
# TYPE mcp_toolsearch_batch_items_total counter
mcp_toolsearch_batch_items_total{outcome="bad_arguments"} 0
mcp_toolsearch_batch_items_total{outcome="bad_call"} 0
mcp_toolsearch_batch_items_total{outcome="catalog_unavailable"} 0
mcp_toolsearch_batch_items_total{outcome="error"} 0
mcp_toolsearch_batch_items_total{outcome="header_unsafe"} 0
mcp_toolsearch_batch_items_total{outcome="missing_name"} 0
mcp_toolsearch_batch_items_total{outcome="near_name"} 0
mcp_toolsearch_batch_items_total{outcome="ok"} 1
mcp_toolsearch_batch_items_total{outcome="self_call"} 0
mcp_toolsearch_batch_items_total{outcome="unknown_tool"} 0
mcp_toolsearch_batch_items_total{outcome="wrong_door"} 0
# HELP mcp_toolsearch_answers_not_edited_total Answers to initialize and server/discover that went on without the guidance for the five tools, by reason; too_large: over --max-edit.
# TYPE mcp_toolsearch_answers_not_edited_total counter
mcp_toolsearch_answers_not_edited_total{reason="too_large"} 1
# HELP mcp_toolsearch_searches_followed_total Searches of which a hit was called by the same caller within ten minutes, by its position among the hits. Divide by mcp_toolsearch_searches_total{result="hits"}.
# TYPE mcp_toolsearch_searches_followed_total counter
mcp_toolsearch_searches_followed_total{position="1"} 0
mcp_toolsearch_searches_followed_total{position="2-3"} 1
mcp_toolsearch_searches_followed_total{position="4-8"} 0
mcp_toolsearch_searches_followed_total{position="9-"} 0
# HELP mcp_toolsearch_searches_total Searches, by whether they found anything.
# TYPE mcp_toolsearch_searches_total counter
mcp_toolsearch_searches_total{result="empty"} 1
mcp_toolsearch_searches_total{result="hits"} 1
# HELP mcp_toolsearch_catalog_listings_total Listings of upstream tools, by outcome.
# TYPE mcp_toolsearch_catalog_listings_total counter
mcp_toolsearch_catalog_listings_total{outcome="auth"} 0
mcp_toolsearch_catalog_listings_total{outcome="bad_status"} 0
mcp_toolsearch_catalog_listings_total{outcome="busy"} 0
mcp_toolsearch_catalog_listings_total{outcome="cancelled"} 0
mcp_toolsearch_catalog_listings_total{outcome="endless"} 0
mcp_toolsearch_catalog_listings_total{outcome="failed"} 0
mcp_toolsearch_catalog_listings_total{outcome="garbage"} 0
mcp_toolsearch_catalog_listings_total{outcome="loop"} 0
mcp_toolsearch_catalog_listings_total{outcome="ok"} 1
mcp_toolsearch_catalog_listings_total{outcome="refused"} 0
mcp_toolsearch_catalog_listings_total{outcome="timed_out"} 1
mcp_toolsearch_catalog_listings_total{outcome="too_large"} 0
mcp_toolsearch_catalog_listings_total{outcome="unreachable"} 0
# HELP mcp_toolsearch_catalog_evictions_total Catalogs dropped because of the limits on callers or memory.
# TYPE mcp_toolsearch_catalog_evictions_total counter
mcp_toolsearch_catalog_evictions_total 1
# HELP mcp_toolsearch_uncompilable_schemas_total Input schemas that can't be compiled or are too dear to check; calls with them are not checked.
# TYPE mcp_toolsearch_uncompilable_schemas_total counter
mcp_toolsearch_uncompilable_schemas_total 1
# HELP mcp_toolsearch_catalog_dropped_tools_total Tools left out of a listing, by reason.
# TYPE mcp_toolsearch_catalog_dropped_tools_total counter
mcp_toolsearch_catalog_dropped_tools_total{reason="bad_headers"} 3
mcp_toolsearch_catalog_dropped_tools_total{reason="malformed"} 1
mcp_toolsearch_catalog_dropped_tools_total{reason="repeated"} 2
# HELP mcp_toolsearch_catalogs Catalogs kept, one a caller, route and era.
# TYPE mcp_toolsearch_catalogs gauge
mcp_toolsearch_catalogs 2
# HELP mcp_toolsearch_catalog_tools Tools in the kept catalogs, counted per caller.
# TYPE mcp_toolsearch_catalog_tools gauge
mcp_toolsearch_catalog_tools 30
# HELP mcp_toolsearch_catalog_bytes Memory of the kept catalogs, shared content counted once.
# TYPE mcp_toolsearch_catalog_bytes gauge
mcp_toolsearch_catalog_bytes 4096
# HELP mcp_toolsearch_catalog_oldest_seconds Age of the oldest kept catalog.
# TYPE mcp_toolsearch_catalog_oldest_seconds gauge
mcp_toolsearch_catalog_oldest_seconds 90
# HELP mcp_toolsearch_extproc_open_streams ext_proc streams open now.
# TYPE mcp_toolsearch_extproc_open_streams gauge
mcp_toolsearch_extproc_open_streams 1
# HELP mcp_toolsearch_extproc_streams_total ext_proc streams ended, by how.
# TYPE mcp_toolsearch_extproc_streams_total counter
mcp_toolsearch_extproc_streams_total{outcome="canceled"} 0
mcp_toolsearch_extproc_streams_total{outcome="done"} 1
mcp_toolsearch_extproc_streams_total{outcome="error"} 0
# HELP mcp_toolsearch_extproc_answer_bytes_total Bytes of upstreams' answers that passed through the sidecar.
# TYPE mcp_toolsearch_extproc_answer_bytes_total counter
mcp_toolsearch_extproc_answer_bytes_total 512
# HELP mcp_toolsearch_build_info Version of the running program; always 1.
# TYPE mcp_toolsearch_build_info gauge
mcp_toolsearch_build_info{version="1.2.3"} 1
`
	var names []string
	for _, m := range regexp.MustCompile(`# TYPE (\S+)`).FindAllStringSubmatch(want, -1) {
		names = append(names, m[1])
	}
	if err := testutil.GatherAndCompare(used().Gatherer(), strings.NewReader(want), names...); err != nil {
		t.Error(err)
	}
}

// TestTheSeriesOfClosedSetsExistAtTheStart: a rule about what never happened must not be a rule about nothing.
func TestTheSeriesOfClosedSetsExistAtTheStart(t *testing.T) {
	m := metrics.New("x", func() catalog.Stats { return catalog.Stats{} })
	for name, want := range map[string]int{"refusals_total": len(errorpage.Refusals()), "batch_items_total": len(errorpage.Refusals()) + 1, "searches_total": 2,
		"catalog_listings_total": 13, "catalog_dropped_tools_total": 3, "extproc_streams_total": 3, "relay_failures_total": 5, "tls_handshake_failures_total": len(tlsfiles.Reasons()), "certificate_reloads_total": 6, "answers_not_edited_total": 1, "searches_followed_total": 4, "definition_tokens_total": 2, "decision_duration_seconds": 4} {
		if n := len(family(t, m, "mcp_toolsearch_"+name).GetMetric()); n != want {
			t.Errorf("%s has %d series at the start, want %d", name, n, want)
		}
	}
	for _, r := range errorpage.Refusals() {
		if !slices.ContainsFunc(family(t, m, "mcp_toolsearch_refusals_total").GetMetric(), func(s *dto.Metric) bool { return s.GetLabel()[0].GetValue() == r.Reason }) {
			t.Errorf("there is no series of refusals for %s", r.Reason)
		}
	}
}

func TestTimesAreMeasured(t *testing.T) {
	for name, want := range map[string]uint64{"decision_duration_seconds": 3, "search_duration_seconds": 2, "catalog_listing_duration_seconds": 2, "catalog_age_seconds": 1} {
		f := family(t, used(), "mcp_toolsearch_"+name)
		n := uint64(0)
		for _, m := range f.GetMetric() {
			n += m.GetHistogram().GetSampleCount()
		}
		if n != want {
			t.Errorf("%s has %d samples, want %d", name, n, want)
		}
	}
}

func family(t *testing.T, m *metrics.Metrics, name string) *dto.MetricFamily {
	t.Helper()
	all, err := m.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(f *dto.MetricFamily) bool { return f.GetName() == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	return all[i]
}

func TestTheSizesAreAskedForOnceAScrape(t *testing.T) {
	asked := 0
	m := metrics.New("x", func() catalog.Stats { asked++; return catalog.Stats{} })
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK || asked != 1 {
		t.Errorf("HTTP %d, asked %d times", w.Code, asked)
	}
	if body := w.Body.String(); !strings.Contains(body, "mcp_toolsearch_catalogs 0") || !strings.Contains(body, "go_goroutines") || !strings.Contains(body, "process_open_fds") {
		t.Errorf("%.300s", body)
	}
}

// TestNoMarkedValueIsALabel puts real decisions about marked requests into real metrics.
func TestNoMarkedValueIsALabel(t *testing.T) {
	m := metrics.New("x", func() catalog.Stats { return catalog.Stats{} })
	up := upstreamtest.New(t, `{"name":"m4rk_tool","inputSchema":{"type":"object"}}`)
	d := testdoor.Open(t, up, func(s *testdoor.Setup) { s.Engine.Observer, s.Catalog.Observer = m, m })
	for _, body := range []string{`{"jsonrpc":"2.0","id":"m4rk","method":"m4rk"}`, `m4rk`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"m4rk"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_read_tool","arguments":{"name":"m4rk_tool"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_read_tools","arguments":{"calls":[{"name":"m4rk"},"m4rk"]}}}`} {
		for _, path := range []string{testdoor.SearchPath, "/m4rk"} {
			d.Decide(t.Context(), sidecar.Request{Method: "POST", Path: path, Header: http.Header{"X": {"m4rk"}}, Body: []byte(body)})
		}
	}
	d.Decide(t.Context(), sidecar.Request{Method: "M4RK", Path: testdoor.SearchPath})
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if body := w.Body.String(); strings.Contains(strings.ToLower(body), "m4rk") || !strings.Contains(body, "mcp_toolsearch_decisions_total{") {
		t.Errorf("the mark is in the metrics, or nothing is: %.2000s", body)
	}
}

func TestDocsMetrics(t *testing.T) {
	m := used()
	all, err := m.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# Metrics\n\nMade from the registry by `make docs`; served on `--admin-listen` at `/metrics`, with the usual `go_` and `process_` metrics. Labels come from closed\n" +
		"sets: no metric holds a query, an argument, a result, a token or a tool's name. Reasons are those of [errors.md](errors.md).\nSeries start at 0, but those of decisions and faults come with the first of each: in a rule about these, `or vector(0)`.\n\n| metric | type | labels | what it says |\n|---|---|---|---|\n")
	listed := map[string]bool{}
	for _, f := range all {
		if !strings.HasPrefix(f.GetName(), "mcp_toolsearch_") {
			continue
		}
		listed[f.GetName()] = true
		labels := "-"
		if pairs := f.GetMetric()[0].GetLabel(); len(pairs) > 0 {
			var names []string
			for _, p := range pairs {
				names = append(names, "`"+p.GetName()+"`")
			}
			labels = strings.Join(names, ", ")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.GetName(), strings.ToLower(f.GetType().String()), labels, f.GetHelp())
	}
	for _, name := range registered(m) {
		if !listed[name] {
			t.Errorf("%s is registered but was never told anything here: add it to used()", name)
		}
	}
	golden.InTree(t, "docs/metrics.md", b.String())
}

// registered are the names of all our metrics, also of those without a value.
func registered(m *metrics.Metrics) []string {
	out := make(chan *prometheus.Desc)
	go func() {
		defer close(out)
		m.Gatherer().(*prometheus.Registry).Describe(out)
	}()
	var names []string
	for d := range out {
		if found := regexp.MustCompile(`fqName: "(mcp_toolsearch_[^"]+)"`).FindStringSubmatch(d.String()); found != nil {
			names = append(names, found[1])
		}
	}
	return names
}

func TestAServerThatLeftHasNoSeries(t *testing.T) {
	m := used()
	m.ServerUp("files", false)
	m.ServerGone("mail")
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if body := w.Body.String(); strings.Contains(body, `server="mail"`) || !strings.Contains(body, `mcp_toolsearch_server_up{server="files"} 0`) || !strings.Contains(body, "mcp_toolsearch_server_collided_tools 2") {
		t.Errorf("%.3000s", body)
	}
}
