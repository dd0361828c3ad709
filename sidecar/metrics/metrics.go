package metrics

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/catalog"
)

// Metrics is one process's metrics, in a registry of its own. It observes the engine, the catalogs and the doors.
// It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	decisions    *prometheus.CounterVec
	refusals     *prometheus.CounterVec
	faults       *prometheus.CounterVec
	duration     *prometheus.HistogramVec
	repairs      prometheus.Counter
	batchItems   *prometheus.CounterVec
	searches     *prometheus.CounterVec
	searchTime   prometheus.Histogram
	listings     *prometheus.CounterVec
	listingTime  prometheus.Histogram
	evictions    prometheus.Counter
	schemas      prometheus.Counter
	dropped      *prometheus.CounterVec
	open         prometheus.Gauge
	streams      *prometheus.CounterVec
	answerBytes  prometheus.Counter
	notEdited    *prometheus.CounterVec
	relayFailed  *prometheus.CounterVec
	spans        *prometheus.CounterVec
	followed     *prometheus.CounterVec
	definitions  *prometheus.CounterVec
	catalogAge   prometheus.Histogram
	limits       *prometheus.CounterVec
	memoryLimit  prometheus.Gauge
	servers      servers
	certificates *certificates
}

// decisionBuckets reach from an answer out of memory to a cold listing at its limit, in seconds.
var decisionBuckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// ageBuckets reach from a fresh listing to the default of --catalog-max-stale, and beyond, in seconds.
var ageBuckets = []float64{1, 10, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600}

// New returns metrics for a program of the given version. stats is asked at each scrape.
func New(version string, stats func() catalog.Stats) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.decisionMetrics()
	m.catalogMetrics(stats)
	m.streamMetrics()
	m.spanMetrics()
	m.serverMetrics()
	m.certificateMetrics()
	m.limitMetrics()
	m.start()
	build := m.gauge("build_info", "Version of the running program; always 1.", prometheus.Labels{"version": version})
	build.Set(1)
	return m
}

func (m *Metrics) decisionMetrics() {
	m.decisions = m.counterVec("decisions_total", "Requests decided, by what was done with them.", "kind", "method", "meta_tool", "outcome", "era")
	m.refusals = m.counterVec("refusals_total", "Calls refused with a result that teaches, by reason.", "reason")
	m.faults = m.counterVec("faults_total", "Requests answered with a JSON-RPC error, by reason.", "reason")
	m.duration = m.histogramVec("decision_duration_seconds", "Time to decide a request, listings and batches included.", decisionBuckets, "kind")
	m.repairs = m.counter("argument_repairs_total", "Places in arguments that were decoded from JSON text.")
	m.batchItems = m.counterVec("batch_items_total", "Items of call_read_tools, by outcome.", "outcome")
	m.searches = m.counterVec("searches_total", "Searches, by whether they found anything.", "result")
	m.searchTime = m.histogramVec("search_duration_seconds", "Time of one search in the index.", decisionBuckets).WithLabelValues().(prometheus.Histogram)
	m.followed = m.counterVec("searches_followed_total", "Searches of which a hit was called by the same caller within ten minutes, by its position among the hits. Divide by mcp_toolsearch_searches_total{result=\"hits\"}.", "position")
	m.definitions = m.counterVec("definition_tokens_total", "What callers are told of tools, in tokens of four bytes: shown by the five and the answers of search_tools and describe_tools; avoided, which whole catalogs in their place would have shown, counted when a caller who listed the five uses one. The difference is what is saved.", "kind")
}

func (m *Metrics) catalogMetrics(stats func() catalog.Stats) {
	m.listings = m.counterVec("catalog_listings_total", "Listings of upstream tools, by outcome.", "outcome")
	m.listingTime = m.histogramVec("catalog_listing_duration_seconds", "Time of one listing, all pages.", decisionBuckets).WithLabelValues().(prometheus.Histogram)
	m.evictions = m.counter("catalog_evictions_total", "Catalogs dropped because of the limits on callers or memory.")
	m.catalogAge = m.histogramVec("catalog_age_seconds", "Age of the catalog that a request used.", ageBuckets).WithLabelValues().(prometheus.Histogram)
	m.schemas = m.counter("uncompilable_schemas_total", "Input schemas that can't be compiled or are too dear to check; calls with them are not checked.")
	m.dropped = m.counterVec("catalog_dropped_tools_total", "Tools left out of a listing, by reason.", "reason")
	register(m, newKept(stats))
}

func (m *Metrics) streamMetrics() {
	m.open = m.gauge("extproc_open_streams", "ext_proc streams open now.", nil)
	m.streams = m.counterVec("extproc_streams_total", "ext_proc streams ended, by how.", "outcome")
	m.notEdited = m.counterVec("answers_not_edited_total", "Answers to initialize and server/discover that went on without the guidance for the five tools, by reason; too_large: over --max-edit.", "reason")
	m.answerBytes = m.counter("extproc_answer_bytes_total", "Bytes of upstreams' answers that passed through the sidecar.")
	m.relayFailed = m.counterVec("relay_failures_total", "Requests through the HTTP door whose upstream gave no usable answer, by reason.", "reason")
}

// Handler serves the metrics in Prometheus' text formats.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry, EnableOpenMetrics: true})
}

// Gatherer gives the metrics to tests and to the documentation.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

var (
	_ sidecar.Observer = (*Metrics)(nil)
	_ catalog.Observer = (*Metrics)(nil)
)

// Decided implements [sidecar.Observer].
func (m *Metrics) Decided(kind sidecar.Kind, l sidecar.Labels, took time.Duration) {
	m.decisions.WithLabelValues(kind.String(), l.Method, l.MetaTool, l.Outcome, l.Era).Inc()
	observe(m.duration.WithLabelValues(kind.String()), took, l.TraceID)
	switch l.Outcome {
	case "refused":
		m.refusals.WithLabelValues(l.Reason).Inc()
	case "fault":
		m.faults.WithLabelValues(l.Reason).Inc()
	}
}

// Repaired implements [sidecar.Observer].
func (m *Metrics) Repaired(places int) { m.repairs.Add(float64(places)) }

// BatchItem implements [sidecar.Observer].
func (m *Metrics) BatchItem(outcome string) { m.batchItems.WithLabelValues(outcome).Inc() }

// NotEdited implements [sidecar.Observer].
func (m *Metrics) NotEdited(reason string) { m.notEdited.WithLabelValues(reason).Inc() }

// Searched implements [sidecar.Observer].
func (m *Metrics) Searched(_, hits int, took time.Duration, traceID string) {
	result := "hits"
	if hits == 0 {
		result = "empty"
	}
	m.searches.WithLabelValues(result).Inc()
	observe(m.searchTime, took, traceID)
}

// Followed implements [sidecar.Observer].
func (m *Metrics) Followed(position int) { m.followed.WithLabelValues(positionLabel(position)).Inc() }

// positionLabel groups positions among hits: the first, those with a schema by default, those of a default search, the rest.
func positionLabel(position int) string {
	switch {
	case position <= 1:
		return "1"
	case position <= 3:
		return "2-3"
	case position <= 8:
		return "4-8"
	}
	return "9-"
}

// Definitions implements [sidecar.Observer].
func (m *Metrics) Definitions(shown, avoided int) {
	m.definitions.WithLabelValues("shown").Add(float64(shown))
	m.definitions.WithLabelValues("avoided").Add(float64(avoided))
}

// CatalogUsed implements [sidecar.Observer].
func (m *Metrics) CatalogUsed(age time.Duration) { m.catalogAge.Observe(age.Seconds()) }

// Listed implements [catalog.Observer].
func (m *Metrics) Listed(outcome string, _ int, _ int64, took time.Duration, traceID string) {
	m.listings.WithLabelValues(outcome).Inc()
	observe(m.listingTime, took, traceID)
}

// Evicted implements [catalog.Observer].
func (m *Metrics) Evicted() { m.evictions.Inc() }

// SchemaUncompilable implements [catalog.Observer].
func (m *Metrics) SchemaUncompilable() { m.schemas.Inc() }

// Dropped implements [catalog.Observer].
func (m *Metrics) Dropped(d catalog.Dropped) {
	m.dropped.WithLabelValues("malformed").Add(float64(d.Malformed))
	m.dropped.WithLabelValues("repeated").Add(float64(d.Repeated))
	m.dropped.WithLabelValues("bad_headers").Add(float64(d.BadHeaders))
}

// StreamOpened counts an ext_proc stream.
func (m *Metrics) StreamOpened() { m.open.Inc() }

// StreamClosed counts its end.
func (m *Metrics) StreamClosed(outcome string) {
	m.open.Dec()
	m.streams.WithLabelValues(outcome).Inc()
}

// AnswerBytes counts bytes of answers that passed through the sidecar.
func (m *Metrics) AnswerBytes(n int) { m.answerBytes.Add(float64(n)) }

// RelayFailed counts a request through the HTTP door without an answer.
func (m *Metrics) RelayFailed(reason string) { m.relayFailed.WithLabelValues(reason).Inc() }
