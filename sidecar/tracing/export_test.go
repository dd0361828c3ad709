package tracing_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"

	"mcp-toolsearch/internal/otlptest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/tracing"
	"mcp-toolsearch/sidecar/wire"
)

func newTracer(t *testing.T, o tracing.Options) (*tracing.Tracer, *counts) {
	t.Helper()
	c := &counts{}
	o.Observer = c
	if o.Every == 0 {
		o.Every = time.Hour
	}
	tracer, err := tracing.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return tracer, c
}

func (r *rig) request() sidecar.Span { return r.tracer.Request(time.Now()) }

func end(tracer *tracing.Tracer) {
	tracer.Request(time.Now(), wire.Trace{Parent: parent}).End(sidecar.Facts{Labels: sidecar.Labels{Method: "ping"}})
}

func TestCloseExportsWhatIsThere(t *testing.T) {
	r := open(t, func(o *tracing.Options) { o.Headers = map[string]string{"x-key": "k"} })
	for range 3 {
		r.request().End(sidecar.Facts{Labels: sidecar.Labels{Method: "ping"}})
	}
	if n := len(r.receiver.Spans()); n != 0 {
		t.Errorf("%d spans came before", n)
	}
	if n := len(r.close(t)); n != 3 || r.counts.of("exported") != 3 || r.receiver.Header().Get("X-Key") != "k" {
		t.Errorf("%d spans, %d counted", n, r.counts.of("exported"))
	}
	r.request().End(sidecar.Facts{})
	if n := r.counts.of("dropped"); n > 1 {
		t.Errorf("%d dropped", n)
	}
}

func TestSpansAreExportedByAndBy(t *testing.T) {
	r := open(t, func(o *tracing.Options) { o.Every = 10 * time.Millisecond })
	r.request().End(sidecar.Facts{Labels: sidecar.Labels{Method: "ping"}})
	r.receiver.Wait(t, func(s []*otlpSpan) bool { return len(s) == 1 })
}

// TestAFullQueueDropsAndCounts has a receiver that doesn't answer: ending spans goes on, and each is accounted for.
func TestAFullQueueDropsAndCounts(t *testing.T) {
	release := make(chan struct{})
	var came sync.WaitGroup
	came.Add(1)
	var once sync.Once
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		once.Do(came.Done)
		<-release
	}))
	defer s.Close()
	tracer, c := newTracer(t, tracing.Options{Endpoint: s.URL, Queue: 4, Every: time.Millisecond})
	end(tracer)
	came.Wait() // the exporter is busy from now on
	for range 20 {
		end(tracer)
	}
	if n := c.of("dropped"); n != 17 {
		t.Errorf("%d of 20 dropped, with room for 3 beside the one that is being sent", n)
	}
	close(release)
	if err := tracer.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if n := c.of("exported"); n != 4 {
		t.Errorf("%d exported", n)
	}
}

func TestCloseEndsAtItsDeadline(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer s.Close()
	defer close(release)
	tracer, c := newTracer(t, tracing.Options{Endpoint: s.URL, Timeout: time.Hour})
	for range 3 {
		end(tracer)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_ = tracer.Close(ctx) // it returns: that is what is tested
	if n := c.of("failed"); n != 3 {
		t.Errorf("%d failed", n)
	}
}

func TestAReceiverThatFailsIsCounted(t *testing.T) {
	for name, endpoint := range map[string]func(*testing.T) string{
		"it says 400": func(t *testing.T) string { r := otlptest.New(t); r.Answer(http.StatusBadRequest); return r.URL() },
		"it is away": func(t *testing.T) string {
			s := httptest.NewServer(nil)
			s.Close()
			return s.URL
		},
		"it redirects": func(t *testing.T) string {
			to := otlptest.New(t)
			s := httptest.NewServer(http.RedirectHandler(to.URL()+"/v1/traces", http.StatusTemporaryRedirect))
			t.Cleanup(s.Close)
			return s.URL
		},
	} {
		t.Run(name, func(t *testing.T) {
			tracer, c := newTracer(t, tracing.Options{Endpoint: endpoint(t), Timeout: 200 * time.Millisecond})
			end(tracer)
			_ = tracer.Close(t.Context())
			if c.of("failed") != 1 || c.of("exported") != 0 {
				t.Errorf("%d failed, %d exported", c.of("failed"), c.of("exported"))
			}
		})
	}
}

func TestAnEndpointMayNameThePath(t *testing.T) {
	for _, path := range []string{"", "/", "/v1/traces", "/v1/traces/"} {
		r := otlptest.New(t)
		tracer, c := newTracer(t, tracing.Options{Endpoint: r.URL() + path})
		end(tracer)
		if err := tracer.Close(t.Context()); err != nil || c.of("exported") != 1 {
			t.Errorf("%q: %v, %d exported", path, err, c.of("exported"))
		}
	}
}

type otlpSpan = otlp.Span

type grpcReceiver struct {
	collector.UnimplementedTraceServiceServer
	spans chan int
}

func (r *grpcReceiver) Export(_ context.Context, m *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	r.spans <- len(m.ResourceSpans[0].ScopeSpans[0].Spans)
	return &collector.ExportTraceServiceResponse{}, nil
}

func TestSpansAreExportedByGRPC(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	receiver := &grpcReceiver{spans: make(chan int, 1)}
	server := grpc.NewServer()
	collector.RegisterTraceServiceServer(server, receiver)
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(listener) })
	defer served.Wait()
	defer server.Stop()
	tracer, c := newTracer(t, tracing.Options{Endpoint: "http://" + listener.Addr().String(), Protocol: tracing.GRPC})
	end(tracer)
	if err := tracer.Close(t.Context()); err != nil || c.of("exported") != 1 || <-receiver.spans != 1 {
		t.Errorf("%v, %d exported", err, c.of("exported"))
	}
}

func TestWhatCantBeMeantIsRefused(t *testing.T) {
	for name, o := range map[string]tracing.Options{
		"no URL":             {Endpoint: "collector:4318"},
		"another scheme":     {Endpoint: "ftp://collector"},
		"an unknown sampler": {Endpoint: "http://collector:4318", Sampler: "jaeger_remote"},
	} {
		if _, err := tracing.New(t.Context(), o); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
