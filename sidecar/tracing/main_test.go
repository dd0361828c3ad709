package tracing_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/otlptest"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/tracing"
	"mcp-toolsearch/sidecar/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// counts is what became of spans.
type counts struct {
	mu sync.Mutex
	by map[string]int
}

func (c *counts) Spans(outcome string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[string]int{}
	}
	c.by[outcome] += n
}

func (c *counts) of(outcome string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.by[outcome]
}

// rig is a door that traces, with a receiver of its spans.
type rig struct {
	*testdoor.Door
	receiver *otlptest.Receiver
	tracer   *tracing.Tracer
	counts   *counts
	meta     string // members of _meta in the modern era, each with a comma behind it
}

// The tools of a rig.
func tools() []string {
	return []string{
		`{"name":"mail_find","description":"Find mail.","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`,
		`{"name":"mail_purge","description":"Empty a folder.","inputSchema":{"type":"object"}}`,
	}
}

func open(t *testing.T, change func(*tracing.Options)) *rig {
	t.Helper()
	r := &rig{receiver: otlptest.New(t), counts: &counts{}}
	o := tracing.Options{Endpoint: r.receiver.URL(), Every: time.Hour, Version: "1.2.3", Observer: r.counts}
	if change != nil {
		change(&o)
	}
	var err error
	if r.tracer, err = tracing.New(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.close(t) })
	r.Door = testdoor.Open(t, upstreamtest.New(t, tools()...), func(s *testdoor.Setup) {
		s.Engine.Tracer, s.Catalog.Trace = r.tracer, r.tracer.Listing
	})
	return r
}

// close exports what is there.
func (r *rig) close(t *testing.T) []*otlp.Span {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := r.tracer.Close(ctx); err != nil {
		t.Error(err)
	}
	return r.receiver.Spans()
}

// send sends a message of an era through the door and gives the answer's status.
func (r *rig) send(t *testing.T, era wire.Era, body string, header http.Header) int {
	t.Helper()
	dressed, h, err := cases.Dress([]byte(body), era, "")
	if err != nil {
		t.Fatal(err)
	}
	dressed = bytes.Replace(dressed, []byte(`"_meta":{`), []byte(`"_meta":{`+r.meta), 1)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+testdoor.Host+testdoor.SearchPath, bytes.NewReader(dressed))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = h
	req.Header.Set("Authorization", "Bearer one")
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := r.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

func call(tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
}

// The caller's trace.
const (
	traceID = "0af7651916cd43dd8448eb211c80319c"
	spanID  = "b7ad6b7169203331"
	parent  = "00-" + traceID + "-" + spanID + "-01"
)

func asChild() http.Header { return http.Header{"Traceparent": {parent}} }

// header is a span as a traceparent.
func header(s *otlp.Span) string { return fmt.Sprintf("00-%x-%x-01", s.TraceId, s.SpanId) }

// get opens a stream as clients of the legacy eras do.
func (r *rig) get(t *testing.T) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+testdoor.Host+testdoor.SearchPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := r.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
}
