package extproc

import (
	"net/http"
	"sort"
	"strconv"
	"strings"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	filterv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	typev3 "github.com/envoyproxy/go-control-plane/envoy/type/v3"

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

// mutation is what a decision changes in a request's headers. length is the new body's, or not positive when the body
// stays or is streamed.
func mutation(d *sidecar.Decision, length int) *extprocv3.HeaderMutation {
	m := headerMutation(d.SetHeader, d.RemoveHeader)
	if d.Path != "" {
		m.SetHeaders = append(m.SetHeaders, option(":path", d.Path, false))
	}
	if length > 0 {
		m.SetHeaders = append(m.SetHeaders, option("content-length", strconv.Itoa(length), false))
	}
	return m
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
		for i, v := range set[name] {
			m.SetHeaders = append(m.SetHeaders, option(strings.ToLower(name), v, i > 0))
		}
	}
	for _, name := range remove {
		m.RemoveHeaders = append(m.RemoveHeaders, strings.ToLower(name))
	}
	sort.Strings(m.RemoveHeaders)
	return m
}

func option(name, value string, add bool) *corev3.HeaderValueOption {
	action := corev3.HeaderValueOption_OVERWRITE_IF_EXISTS_OR_ADD
	if add {
		action = corev3.HeaderValueOption_APPEND_IF_EXISTS_OR_ADD
	}
	return &corev3.HeaderValueOption{Header: &corev3.HeaderValue{Key: name, RawValue: []byte(value)}, AppendAction: action}
}

func headersAnswer(c *extprocv3.CommonResponse) *extprocv3.ProcessingResponse {
	return &extprocv3.ProcessingResponse{Response: &extprocv3.ProcessingResponse_RequestHeaders{
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

// streamed is a piece of body in full-duplex mode.
func streamed(body []byte, end bool) *extprocv3.CommonResponse {
	return &extprocv3.CommonResponse{BodyMutation: &extprocv3.BodyMutation{Mutation: &extprocv3.BodyMutation_StreamedResponse{
		StreamedResponse: &extprocv3.StreamedBodyResponse{Body: body, EndOfStream: end}}}}
}

// statusAndHeader reads an answer's headers. A status that can't be read is 0, which no edit applies to.
func statusAndHeader(m *extprocv3.HttpHeaders) (int, http.Header) {
	code, header := 0, http.Header{}
	for _, h := range m.GetHeaders().GetHeaders() {
		v := string(h.RawValue)
		if v == "" {
			v = h.Value
		}
		if h.Key == ":status" {
			code, _ = strconv.Atoi(v)
			continue
		}
		header.Add(h.Key, v)
	}
	return code, header
}
