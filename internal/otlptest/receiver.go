package otlptest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Receiver collects spans. It is safe for concurrent use.
type Receiver struct {
	server *httptest.Server

	mu     sync.Mutex
	status int
	spans  []*otlp.Span
	raw    bytes.Buffer
	header http.Header
}

// New starts a receiver that ends with the test.
func New(t testing.TB) *Receiver {
	r := &Receiver{status: http.StatusOK}
	r.server = httptest.NewServer(r)
	t.Cleanup(r.server.Close)
	return r
}

// URL is the endpoint, without the path of traces.
func (r *Receiver) URL() string { return r.server.URL }

// Answer makes it answer with another HTTP status, and keep nothing, unless that is 200.
func (r *Receiver) Answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// ServeHTTP implements [http.Handler].
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil || req.URL.Path != "/v1/traces" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.status != http.StatusOK {
		w.WriteHeader(r.status)
		return
	}
	var m collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &m); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.keep(&m, body)
	r.header = req.Header.Clone()
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (r *Receiver) keep(m *collector.ExportTraceServiceRequest, body []byte) {
	r.raw.Write(body)
	for _, resource := range m.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
}

// Spans are those that came so far.
func (r *Receiver) Spans() []*otlp.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.spans)
}

// Raw is all that came, as it came.
func (r *Receiver) Raw() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.raw.Bytes())
}

// Header is that of the last export.
func (r *Receiver) Header() http.Header {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.header
}

// Wait waits until enough says that the spans are all there.
func (r *Receiver) Wait(t testing.TB, enough func([]*otlp.Span) bool) []*otlp.Span {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		spans := r.Spans()
		if enough(spans) {
			return spans
		}
		if time.Now().After(deadline) {
			t.Fatalf("the spans didn't come; there are %q", Names(spans))
		}
		<-time.After(20 * time.Millisecond)
	}
}

// Names are the spans' names in order.
func Names(spans []*otlp.Span) []string {
	names := make([]string, len(spans))
	for i, s := range spans {
		names[i] = s.Name
	}
	return names
}

// Attributes are a span's, as text.
func Attributes(s *otlp.Span) map[string]string {
	all := map[string]string{}
	for _, a := range s.Attributes {
		all[a.Key] = a.Value.GetStringValue()
		if n, ok := a.Value.Value.(*common.AnyValue_IntValue); ok {
			all[a.Key] = strconv.FormatInt(n.IntValue, 10)
		}
	}
	return all
}
