package otlptest

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

func TestWhatCameIsGiven(t *testing.T) {
	r := New(t)
	sent := &otlp.Span{Name: "search", Attributes: []*common.KeyValue{
		{Key: "hits", Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: 3}}},
		{Key: "outcome", Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: "ok"}}}}}
	body, err := proto.Marshal(&collector.ExportTraceServiceRequest{ResourceSpans: []*otlp.ResourceSpans{{ScopeSpans: []*otlp.ScopeSpans{{Spans: []*otlp.Span{sent}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	post := func() int {
		resp, err := http.Post(r.URL()+"/v1/traces", "application/x-protobuf", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	r.Answer(http.StatusServiceUnavailable)
	if status := post(); status != http.StatusServiceUnavailable || len(r.Spans()) != 0 {
		t.Errorf("HTTP %d, %d spans", status, len(r.Spans()))
	}
	r.Answer(http.StatusOK)
	if status := post(); status != http.StatusOK {
		t.Errorf("HTTP %d", status)
	}
	spans := r.Wait(t, func(s []*otlp.Span) bool { return len(s) == 1 })
	if diff := cmp.Diff(map[string]string{"hits": "3", "outcome": "ok"}, Attributes(spans[0])); diff != "" || !bytes.Equal(r.Raw(), body) {
		t.Error(diff)
	}
}
