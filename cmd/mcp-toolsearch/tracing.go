package main

import (
	"context"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/metrics"
	"mcp-toolsearch/sidecar/tracing"
)

// tracesTimeout is how long the end of the program waits for the last spans to be taken.
const tracesTimeout = 3 * time.Second

// otlpForTraces is the variable for traces alone, and the one for all signals.
const otlpForTraces, otlpForAll = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"

// telemetryWord says whether the value of a standard variable means something here. One that doesn't is ignored, as the
// OpenTelemetry specification wants it: these variables are set for all programs of a host.
func telemetryWord(name, value string, variables map[string]string) bool {
	switch name {
	case otlpForAll:
		exporter := strings.TrimSpace(variables["OTEL_TRACES_EXPORTER"])
		return (exporter == "" || exporter == "otlp") && endpointMistake(value) == nil
	case "OTEL_EXPORTER_OTLP_PROTOCOL":
		return value == tracing.HTTP || value == tracing.GRPC
	case "OTEL_TRACES_SAMPLER":
		return slices.Contains(tracing.Samplers(), value)
	case "OTEL_TRACES_SAMPLER_ARG":
		ratio, err := strconv.ParseFloat(value, 64)
		return err == nil && ratio >= 0 && ratio <= 1
	case "OTEL_SDK_DISABLED":
		return strings.EqualFold(value, "true")
	case "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_RESOURCE_ATTRIBUTES":
		_, ok := pairs(value)
		return ok
	}
	return true
}

// adoptTraces gives the endpoint for traces alone the place of the one for all signals, which it counts before.
func adoptTraces(variables map[string]string) {
	if own := strings.TrimSpace(variables[otlpForTraces]); own != "" && endpointMistake(own) == nil {
		variables[otlpForAll] = own
	}
}

// pairs reads key=value,key=value with percent-encoded values (OpenTelemetry specification, "Resource SDK").
func pairs(list string) (map[string]string, bool) {
	all := map[string]string{}
	for entry := range strings.SplitSeq(list, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		key, value, ok := strings.Cut(entry, "=")
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if key = strings.TrimSpace(key); !ok || key == "" || err != nil || strings.ContainsAny(key+decoded, "\r\n\x00") {
			return nil, false
		}
		all[key] = decoded
	}
	return all, true
}

func endpointMistake(endpoint string) error {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("--otlp-endpoint: the value is no http or https URL: write it like http://collector:4318")
	case u.User != nil || u.RawQuery != "":
		return fmt.Errorf("--otlp-endpoint: the value must hold no user and no query: put a key into --otlp-headers")
	}
	return nil
}

// tracingMistakes are those of the traces' settings, where there are traces.
func (s *Settings) tracingMistakes() []error {
	if s.OTLPEndpoint == "" || s.OTelSDKDisabled {
		return nil
	}
	mistakes := []error{endpointMistake(s.OTLPEndpoint), oneOf("--otlp-protocol", s.OTLPProtocol, tracing.HTTP, tracing.GRPC),
		oneOf("--otel-traces-sampler", s.OTelSampler, tracing.Samplers()...)}
	if _, ok := pairs(s.OTLPHeaders); !ok {
		mistakes = append(mistakes, fmt.Errorf("--otlp-headers: the value is no list like name=value,name=value; it is not printed"))
	}
	if _, ok := pairs(s.OTelResource); !ok {
		mistakes = append(mistakes, fmt.Errorf("--otel-resource-attributes: the value is no list like key=value,key=value"))
	}
	if !(s.OTelSamplerArg >= 0 && s.OTelSamplerArg <= 1) {
		mistakes = append(mistakes, fmt.Errorf("--otel-traces-sampler-arg: %g is no ratio: set a number from 0 to 1", s.OTelSamplerArg))
	}
	if s.OTLPCA == "" {
		return mistakes
	}
	if s.OTLPProtocol == tracing.GRPC {
		return append(mistakes, fmt.Errorf("--otlp-ca: it counts for http/protobuf only: set --otlp-protocol to that"))
	}
	_, err := s.receiverCAs()
	return append(mistakes, err)
}

// openTracer makes the tracer, where traces are on.
func (c *core) openTracer(ctx context.Context) error {
	if c.OTLPEndpoint == "" || c.OTelSDKDisabled {
		return nil
	}
	headers, _ := pairs(c.OTLPHeaders) // both are checked
	resource, _ := pairs(c.OTelResource)
	o := tracing.Options{Endpoint: c.OTLPEndpoint, Protocol: c.OTLPProtocol, Headers: headers, Sampler: c.OTelSampler, Ratio: c.OTelSamplerArg,
		Resource: resource, Service: c.OTelService, Version: version, Observer: &spanLog{Metrics: c.metrics, log: c.log}}
	if c.OTLPCA != "" {
		pool, err := c.receiverCAs()
		if err != nil {
			return usageError{err}
		}
		o.RootCAs = pool
	}
	tracer, err := tracing.New(ctx, o)
	if err != nil {
		return usageError{err}
	}
	c.tracer = tracer
	return nil
}

// receiverCAs reads --otlp-ca.
func (s *Settings) receiverCAs() (*x509.CertPool, error) {
	pem, err := readUpTo(s.OTLPCA, 1<<20)
	if err != nil {
		return nil, fmt.Errorf("--otlp-ca: the file can't be read: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("--otlp-ca: %s holds no certificate in PEM", s.OTLPCA)
	}
	return pool, nil
}

// spans is the engine's tracer; nil when traces are off.
func (c *core) spans() sidecar.Tracer {
	if c.tracer == nil {
		return nil
	}
	return c.tracer
}

// closeTracer sends what is left. What isn't taken in time is counted.
func (c *core) closeTracer() {
	if c.tracer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), tracesTimeout)
	defer cancel()
	_ = c.tracer.Close(ctx) // its text may hold what the receiver said; the spans are counted
}

// spanLog counts spans, and warns when some are lost.
type spanLog struct {
	*metrics.Metrics
	log *slog.Logger

	mu   sync.Mutex
	told map[string]time.Time // by outcome
}

// Spans implements [tracing.Observer].
func (l *spanLog) Spans(outcome string, n int) {
	l.Metrics.Spans(outcome, n)
	if outcome == "exported" {
		return
	}
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if last, ok := l.told[outcome]; ok && now.Sub(last) < warnEvery {
		return
	}
	if l.told == nil {
		l.told = map[string]time.Time{}
	}
	l.told[outcome] = now
	l.log.Warn("traces are lost; requests are not affected", "reason", outcome,
		"next", "check that the OTLP receiver is up and takes this many, and --otlp-endpoint, --otlp-protocol and --otlp-headers")
}
