package extproc

import (
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	filterv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	typev3 "github.com/envoyproxy/go-control-plane/envoy/type/v3"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"mcp-toolsearch/sidecar"
)

// immediate is an answer of our own. content-type is set by the decision: Envoy's default is text/plain.
func immediate(d *sidecar.Decision) *extprocv3.ProcessingResponse {
	return &extprocv3.ProcessingResponse{Response: &extprocv3.ProcessingResponse_ImmediateResponse{
		ImmediateResponse: &extprocv3.ImmediateResponse{
			Status:  &typev3.HttpStatus{Code: typev3.StatusCode(d.Status)},
			Headers: headerMutation(d.Header, nil),
			Body:    d.Body,
			Details: "toolsearch",
		}}}
}

// onward is what a decision changes in a request that is carried on. length is the new body's, or not positive when the
// body stays or is streamed.
func onward(d *sidecar.Decision, length int) *extprocv3.CommonResponse {
	m := headerMutation(d.SetHeader, d.RemoveHeader)
	if d.Path != "" {
		m.SetHeaders = append(m.SetHeaders, option(":path", d.Path, false))
	}
	if length > 0 {
		m.SetHeaders = append(m.SetHeaders, option("content-length", strconv.Itoa(length), false))
	}
	return &extprocv3.CommonResponse{HeaderMutation: m, ClearRouteCache: d.Path != ""}
}

func contentLength(n int) *extprocv3.HeaderMutation {
	return &extprocv3.HeaderMutation{SetHeaders: []*corev3.HeaderValueOption{option("content-length", strconv.Itoa(n), false)}}
}

// headerMutation sets and removes headers, in a fixed order.
func headerMutation(set http.Header, remove []string) *extprocv3.HeaderMutation {
	m := &extprocv3.HeaderMutation{}
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		for i, v := range slices.DeleteFunc(slices.Clone(set[name]), unsafeValue) {
			m.SetHeaders = append(m.SetHeaders, option(strings.ToLower(name), v, i > 0))
		}
	}
	for _, name := range remove {
		m.RemoveHeaders = append(m.RemoveHeaders, strings.ToLower(name))
	}
	sort.Strings(m.RemoveHeaders)
	return m
}

// unsafeValue says whether Envoy would refuse the header (RFC 9110 §5.5), and with it the whole answer.
func unsafeValue(v string) bool {
	return strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// option sets a header, or adds a further value to it. Envoy looks at append only (envoyproxy/envoy issue 36982), other
// gateways at append_action only.
func option(name, value string, add bool) *corev3.HeaderValueOption {
	o := &corev3.HeaderValueOption{Header: &corev3.HeaderValue{Key: name, RawValue: []byte(value)}}
	if add {
		//lint:ignore SA1019 the only field that Envoy reads
		o.Append, o.AppendAction = wrapperspb.Bool(true), corev3.HeaderValueOption_APPEND_IF_EXISTS_OR_ADD
		return o
	}
	o.AppendAction = corev3.HeaderValueOption_OVERWRITE_IF_EXISTS_OR_ADD
	return o
}

// valueOf reads a header's value: Envoy sends raw_value, other gateways may send value.
func valueOf(h *corev3.HeaderValue) string {
	if len(h.RawValue) > 0 {
		return string(h.RawValue)
	}
	return h.Value
}

func headersAnswer(c *extprocv3.CommonResponse, override *filterv3.ProcessingMode) *extprocv3.ProcessingResponse {
	return &extprocv3.ProcessingResponse{ModeOverride: override, Response: &extprocv3.ProcessingResponse_RequestHeaders{
		RequestHeaders: &extprocv3.HeadersResponse{Response: c}}}
}

func bodyAnswer(c *extprocv3.CommonResponse) *extprocv3.ProcessingResponse {
	return &extprocv3.ProcessingResponse{Response: &extprocv3.ProcessingResponse_RequestBody{
		RequestBody: &extprocv3.BodyResponse{Response: c}}}
}

func answerHeaders(c *extprocv3.CommonResponse, override *filterv3.ProcessingMode) *extprocv3.ProcessingResponse {
	return &extprocv3.ProcessingResponse{ModeOverride: override, Response: &extprocv3.ProcessingResponse_ResponseHeaders{
		ResponseHeaders: &extprocv3.HeadersResponse{Response: c}}}
}

func bodyOfAnswer(c *extprocv3.CommonResponse) *extprocv3.ProcessingResponse {
	return &extprocv3.ProcessingResponse{Response: &extprocv3.ProcessingResponse_ResponseBody{
		ResponseBody: &extprocv3.BodyResponse{Response: c}}}
}

func wholeBody(body []byte) *extprocv3.BodyMutation {
	return &extprocv3.BodyMutation{Mutation: &extprocv3.BodyMutation_Body{Body: body}}
}

// piece is a piece of body in full-duplex mode.
func piece(body []byte, end bool) *extprocv3.CommonResponse {
	return &extprocv3.CommonResponse{BodyMutation: &extprocv3.BodyMutation{Mutation: &extprocv3.BodyMutation_StreamedResponse{
		StreamedResponse: &extprocv3.StreamedBodyResponse{Body: body, EndOfStream: end}}}}
}

// moreTime extends the message timeout. Envoy takes it once for each message, and ignores more than its
// max_message_timeout.
func moreTime(d time.Duration) *extprocv3.ProcessingResponse {
	return &extprocv3.ProcessingResponse{OverrideMessageTimeout: durationpb.New(d)}
}
