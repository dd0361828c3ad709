package tracing

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// tracesPath is added to an endpoint (OTLP specification, "OTLP/HTTP Request").
const tracesPath = "/v1/traces"

// otlp is the exporter that the settings name. It connects when it has something to send.
func (o Options) otlp(ctx context.Context) (sdk.SpanExporter, error) {
	if o.Protocol == GRPC {
		return otlptracegrpc.New(ctx, otlptracegrpc.WithEndpointURL(o.Endpoint), otlptracegrpc.WithHeaders(o.Headers), otlptracegrpc.WithTimeout(o.Timeout))
	}
	address, err := tracesURL(o.Endpoint)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{DialContext: (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second, MaxIdleConns: 2, IdleConnTimeout: 90 * time.Second, ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs}}
	client := &http.Client{Transport: transport, Timeout: o.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }} // the headers may hold a key
	inner, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(address), otlptracehttp.WithHeaders(o.Headers), otlptracehttp.WithHTTPClient(client))
	return closing{inner, transport}, err
}

// tracesURL is where spans are posted to.
func tracesURL(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("the OTLP endpoint is no http or https URL: write it like http://collector:4318")
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	if !strings.HasSuffix(u.Path, tracesPath) {
		u.Path += tracesPath
	}
	u.RawPath = ""
	return u.String(), nil
}

// closing ends the connections with the exporter.
type closing struct {
	*otlptrace.Exporter
	transport *http.Transport
}

// Shutdown implements [sdk.SpanExporter].
func (c closing) Shutdown(ctx context.Context) error {
	defer c.transport.CloseIdleConnections()
	return c.Exporter.Shutdown(ctx)
}

// queue counts the spans that wait, so that the batches behind it never have to drop one unseen.
type queue struct {
	sdk.SpanProcessor
	room     int64
	observer Observer
	waiting  atomic.Int64
	closed   atomic.Bool
}

// OnEnd implements [sdk.SpanProcessor]. It never waits.
func (q *queue) OnEnd(s sdk.ReadOnlySpan) {
	if !s.SpanContext().IsSampled() {
		return
	}
	if q.closed.Load() {
		q.observer.Spans("dropped", 1)
		return
	}
	if q.waiting.Add(1) > q.room {
		q.waiting.Add(-1)
		q.observer.Spans("dropped", 1)
		return
	}
	q.SpanProcessor.OnEnd(s)
}

// handed counts spans that were given to the receiver.
func (q *queue) handed(n int, err error) {
	q.waiting.Add(int64(-n))
	outcome := "exported"
	if err != nil {
		outcome = "failed"
	}
	q.observer.Spans(outcome, n)
}

// close counts what came too late.
func (q *queue) close() {
	q.closed.Store(true)
	if n := q.waiting.Swap(0); n > 0 {
		q.observer.Spans("dropped", int(n))
	}
}

// exporter counts what the real one does with spans. Its errors go no further: their texts may hold what a receiver said.
type exporter struct {
	sdk.SpanExporter
	queue   *queue
	aborted context.Context
	abort   context.CancelFunc
}

func newExporter(inner sdk.SpanExporter, q *queue) *exporter {
	aborted, abort := context.WithCancel(context.Background())
	return &exporter{SpanExporter: inner, queue: q, aborted: aborted, abort: abort}
}

// ExportSpans implements [sdk.SpanExporter].
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.aborted, cancel)()
	e.queue.handed(len(spans), e.SpanExporter.ExportSpans(ctx, spans))
	return nil
}
