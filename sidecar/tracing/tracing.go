package tracing

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// Protocols by which spans are exported.
const (
	HTTP = "http/protobuf"
	GRPC = "grpc"
)

// Observer counts spans.
type Observer interface {
	// Spans reports n spans that were "exported", "failed" (the receiver didn't take them) or "dropped" (the queue was
	// full, or they were too late).
	Spans(outcome string, n int)
}

// Options configure a [Tracer]. Zero values mean the defaults named beside each field.
type Options struct {
	Endpoint string            // of the OTLP receiver: scheme://host:port; by HTTP /v1/traces is added where it isn't there
	Protocol string            // HTTP or GRPC; HTTP
	Headers  map[string]string // sent to the receiver; never printed
	RootCAs  *x509.CertPool    // by HTTP, for https; the system's
	Sampler  string            // one of Samplers; parentbased_always_on
	Ratio    float64           // of the samplers with a ratio: 0 to 1
	Resource map[string]string // attributes of the process; "service.name" is Service when that is set
	Service  string            // service.name; mcp-toolsearch
	Version  string            // service.version
	Queue    int               // spans that wait for export; 2048
	Every    time.Duration     // how often they are exported; 5 s
	Timeout  time.Duration     // of one export, with its retries; 10 s
	Observer Observer
}

// Tracer makes spans and exports them. It implements [sidecar.Tracer] and is safe for concurrent use. Close it.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	queue    *queue
	exporter *exporter
}

// New returns a tracer. Observer must be set. It connects to nothing yet.
func New(ctx context.Context, o Options) (*Tracer, error) {
	o = o.withDefaults()
	// The SDK's own messages may hold what a receiver answered, or headers that can't be parsed.
	otel.SetLogger(logr.Discard())
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
	sampler, err := o.sampler()
	if err != nil {
		return nil, err
	}
	inner, err := o.otlp(ctx)
	if err != nil {
		return nil, err
	}
	waiting := &queue{room: int64(o.Queue), observer: o.Observer}
	out := newExporter(inner, waiting)
	waiting.SpanProcessor = sdk.NewBatchSpanProcessor(out, sdk.WithMaxQueueSize(o.Queue), sdk.WithMaxExportBatchSize(min(o.Queue, 512)),
		sdk.WithBatchTimeout(o.Every), sdk.WithExportTimeout(o.Timeout))
	provider := sdk.NewTracerProvider(sdk.WithSampler(sampler), sdk.WithSpanProcessor(waiting), sdk.WithResource(o.resource()),
		sdk.WithRawSpanLimits(limits()))
	return &Tracer{provider: provider, tracer: provider.Tracer("mcp-toolsearch", trace.WithInstrumentationVersion(o.Version)), queue: waiting, exporter: out}, nil
}

func (o Options) withDefaults() Options {
	if o.Protocol == "" {
		o.Protocol = HTTP
	}
	if o.Sampler == "" {
		o.Sampler = "parentbased_always_on"
	}
	if o.Service == "" {
		o.Service = o.Resource["service.name"]
	}
	if o.Service == "" {
		o.Service = "mcp-toolsearch"
	}
	if o.Queue <= 0 {
		o.Queue = sdk.DefaultMaxQueueSize
	}
	if o.Every <= 0 {
		o.Every = 5 * time.Second
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	return o
}

// limits bound a span: names of tools are an upstream's, everything else is short.
func limits() sdk.SpanLimits {
	return sdk.SpanLimits{AttributeValueLengthLimit: 256, AttributeCountLimit: 32, EventCountLimit: 0, LinkCountLimit: 0,
		AttributePerEventCountLimit: 0, AttributePerLinkCountLimit: 0}
}

// resource says which process it was. The id tells replicas apart and is another at each start.
func (o Options) resource() *resource.Resource {
	attributes := []attribute.KeyValue{
		attribute.String("telemetry.sdk.name", "opentelemetry"), attribute.String("telemetry.sdk.language", "go"),
		attribute.String("telemetry.sdk.version", otel.Version()), attribute.String("service.instance.id", rand.Text()),
		attribute.String("service.version", o.Version),
	}
	for key, value := range o.Resource {
		attributes = append(attributes, attribute.String(key, value))
	}
	return resource.NewSchemaless(append(attributes, attribute.String("service.name", o.Service))...)
}

// Request implements [sidecar.Tracer].
func (t *Tracer) Request(start time.Time, parents ...wire.Trace) sidecar.Span {
	ctx, state := context.Background(), ""
	for _, p := range parents {
		if with, ok := valid(p); ok {
			ctx, state = with, stateOf(p)
			break
		}
	}
	_, s := t.tracer.Start(ctx, "request", trace.WithTimestamp(start), trace.WithSpanKind(trace.SpanKindServer))
	return &span{tracer: t, otel: s, state: state, kind: request}
}

// Listing begins the span of a listing under a request's. own goes with the listing's requests; ended ends the span and
// gives the trace's id when it is recorded. It is what [catalog.Options] call Trace.
func (t *Tracer) Listing(of wire.Trace) (own wire.Trace, ended func(outcome string, tools int) (traceID string)) {
	ctx, state := context.Background(), ""
	if with, ok := valid(of); ok {
		ctx, state = with, stateOf(of)
	}
	_, o := t.tracer.Start(ctx, "tools/list", trace.WithSpanKind(trace.SpanKindClient))
	s := &span{tracer: t, otel: o, state: state, kind: listing}
	return s.Trace(), func(outcome string, tools int) string {
		f := sidecar.Facts{Labels: sidecar.Labels{Method: "tools/list", Outcome: outcome}, Tools: tools}
		if outcome != "ok" {
			f.Labels.Outcome, f.Labels.Reason = "error", outcome
		}
		s.End(f)
		return s.TraceID()
	}
}

// valid reads a trace context strictly (W3C Trace Context, section 3.2). The state isn't read: it would be exported.
func valid(t wire.Trace) (context.Context, bool) {
	if t.Parent == "" {
		return nil, false
	}
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": t.Parent})
	return ctx, trace.SpanContextFromContext(ctx).IsValid()
}

// stateOf is the tracestate as it goes on; one that isn't valid goes no further, without a word about the parent.
func stateOf(t wire.Trace) string {
	state, err := trace.ParseTraceState(t.State)
	if err != nil {
		return ""
	}
	return state.String()
}

// Close exports what is there until ctx ends, and drops the rest.
func (t *Tracer) Close(ctx context.Context) error {
	defer context.AfterFunc(ctx, t.exporter.abort)()
	err := t.provider.Shutdown(context.WithoutCancel(ctx)) // ends with the exports, which end with ctx
	t.queue.close()
	return err
}
