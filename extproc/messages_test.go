package extproc_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	filterv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"mcp-toolsearch/sidecar"
)

// The dialogues' notation. Values with spaces or line ends are Go strings.
//
//	> request_headers [end] [modes=REQUEST/RESPONSE] [observed] NAME=VALUE...
//	> request_body [end] "BODY"          likewise response_headers, response_body, request_trailers, response_trailers
//	> close                              Envoy half-closes
//	< ...                                what the door does, as printed by describe
type line struct {
	kind      string
	end       bool
	observed  bool
	modes     string
	headers   []*corev3.HeaderValue
	body      []byte
	asValue   bool // headers in value instead of raw_value
	malformed error
}

func parseLine(text string) line {
	var l line
	for i, word := range words(text) {
		name, value, isHeader := cutHeader(word)
		switch {
		case i == 0:
			l.kind = word
		case word == "end":
			l.end = true
		case word == "observed":
			l.observed = true
		case word == "as_value":
			l.asValue = true
		case strings.HasPrefix(word, "modes="):
			l.modes = strings.TrimPrefix(word, "modes=")
		case word[0] == '"' || word[0] == '`':
			body, err := strconv.Unquote(word)
			l.body, l.malformed = []byte(body), err
		case isHeader && l.asValue:
			l.headers = append(l.headers, &corev3.HeaderValue{Key: name, Value: value})
		case isHeader:
			l.headers = append(l.headers, &corev3.HeaderValue{Key: name, RawValue: []byte(value)})
		default:
			l.malformed = fmt.Errorf("what is %q?", word)
		}
	}
	return l
}

// cutHeader parts name=value; the value may be a Go string, the name may start with a colon.
func cutHeader(word string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(word, "=")
	if unquoted, err := strconv.Unquote(value); err == nil {
		value = unquoted
	}
	return name, value, ok
}

// words parts at spaces outside of Go strings.
func words(text string) []string {
	var all []string
	var word strings.Builder
	quote := rune(0)
	escaped := false
	for _, r := range text {
		switch {
		case quote == 0 && r == ' ':
			if word.Len() > 0 {
				all = append(all, word.String())
			}
			word.Reset()
			continue
		case escaped:
			escaped = false
		case quote == '"' && r == '\\':
			escaped = true
		case quote == 0 && (r == '"' || r == '`'):
			quote = r
		case r == quote:
			quote = 0
		}
		word.WriteRune(r)
	}
	return append(all, word.String())
}

func (l line) message(t *testing.T) *extprocv3.ProcessingRequest {
	t.Helper()
	if l.malformed != nil {
		t.Fatal(l.malformed)
	}
	m := &extprocv3.ProcessingRequest{ObservabilityMode: l.observed}
	if request, response, ok := strings.Cut(l.modes, "/"); ok {
		m.ProtocolConfig = &extprocv3.ProtocolConfiguration{RequestBodyMode: mode(request), ResponseBodyMode: mode(response)}
	}
	headers := &extprocv3.HttpHeaders{Headers: &corev3.HeaderMap{Headers: l.headers}, EndOfStream: l.end}
	body := &extprocv3.HttpBody{Body: l.body, EndOfStream: l.end}
	switch l.kind {
	case "request_headers":
		m.Request = &extprocv3.ProcessingRequest_RequestHeaders{RequestHeaders: headers}
	case "request_body":
		m.Request = &extprocv3.ProcessingRequest_RequestBody{RequestBody: body}
	case "request_trailers":
		m.Request = &extprocv3.ProcessingRequest_RequestTrailers{RequestTrailers: &extprocv3.HttpTrailers{}}
	case "response_headers":
		m.Request = &extprocv3.ProcessingRequest_ResponseHeaders{ResponseHeaders: headers}
	case "response_body":
		m.Request = &extprocv3.ProcessingRequest_ResponseBody{ResponseBody: body}
	case "response_trailers":
		m.Request = &extprocv3.ProcessingRequest_ResponseTrailers{ResponseTrailers: &extprocv3.HttpTrailers{}}
	case "unknown":
	default:
		t.Fatalf("what is %q?", l.kind)
	}
	return m
}

func mode(name string) filterv3.ProcessingMode_BodySendMode {
	if name == "DUPLEX" {
		name = "FULL_DUPLEX_STREAMED"
	}
	return filterv3.ProcessingMode_BodySendMode(filterv3.ProcessingMode_BodySendMode_value[name])
}

// decisionOf reads the stub engine of a dialogue: "kind", "path", "set NAME VALUE", "remove NAME", "body", "status",
// "headers_only" (decided without a body), "answer NAME VALUE" (header edits of the answer), "edit FROM TO".
func decisionOf(t *testing.T, text string) *stubEngine {
	t.Helper()
	d := sidecar.Decision{SetHeader: http.Header{}}
	e := always(d)
	e.answer = http.Header{}
	headersOnly := false
	for row := range strings.Lines(text) {
		w := words(strings.TrimSpace(row))
		for i := range w {
			if s, err := strconv.Unquote(w[i]); err == nil {
				w[i] = s
			}
		}
		switch w[0] {
		case "kind":
			d.Kind = map[string]sidecar.Kind{"pass": sidecar.Pass, "answer": sidecar.Answer, "forward": sidecar.Forward, "merge": sidecar.Merge}[w[1]]
		case "path":
			d.Path = w[1]
		case "set":
			d.SetHeader.Add(w[1], w[2])
		case "remove":
			d.RemoveHeader = append(d.RemoveHeader, w[1])
		case "body":
			d.NewBody = []byte(w[1])
		case "status":
			d.Status, _ = strconv.Atoi(w[1])
		case "headers_only":
			headersOnly = true
		case "answer":
			e.answer.Add(w[1], w[2])
		case "edit":
			e.edits = map[string]string{}
			if len(w) == 3 {
				e.edits[w[1]] = w[2]
			}
		default:
			t.Fatalf("what is %q?", row)
		}
	}
	if d.Kind == sidecar.Answer {
		d.Header, d.SetHeader, d.Body, d.NewBody = d.SetHeader, nil, d.NewBody, nil
	}
	if headersOnly {
		e.headers = &d
	}
	e.decide = always(d).decide
	return e
}

// describe prints an answer of the door's, a line for each thing it does.
func describe(r *extprocv3.ProcessingResponse) []string {
	var out []string
	var common *extprocv3.CommonResponse
	switch m := r.Response.(type) {
	case *extprocv3.ProcessingResponse_RequestHeaders:
		out, common = append(out, "request_headers"), m.RequestHeaders.Response
	case *extprocv3.ProcessingResponse_RequestBody:
		out, common = append(out, "request_body"), m.RequestBody.Response
	case *extprocv3.ProcessingResponse_ResponseHeaders:
		out, common = append(out, "response_headers"), m.ResponseHeaders.Response
	case *extprocv3.ProcessingResponse_ResponseBody:
		out, common = append(out, "response_body"), m.ResponseBody.Response
	case *extprocv3.ProcessingResponse_RequestTrailers:
		out = append(out, "request_trailers")
	case *extprocv3.ProcessingResponse_ResponseTrailers:
		out = append(out, "response_trailers")
	case *extprocv3.ProcessingResponse_ImmediateResponse:
		i := m.ImmediateResponse
		out = append(out, fmt.Sprintf("immediate %d", i.Status.Code))
		out = append(out, describeHeaders(i.Headers)...)
		out = append(out, fmt.Sprintf("  body %s", quoted(i.Body)))
	}
	if r.OverrideMessageTimeout != nil {
		out = append(out, "more time: "+r.OverrideMessageTimeout.AsDuration().String())
	}
	out = append(out, describeHeaders(common.GetHeaderMutation())...)
	if common.GetClearRouteCache() {
		out = append(out, "  clear_route_cache")
	}
	switch b := common.GetBodyMutation().GetMutation().(type) {
	case *extprocv3.BodyMutation_Body:
		out = append(out, "  body "+quoted(b.Body))
	case *extprocv3.BodyMutation_ClearBody:
		out = append(out, "  clear_body")
	case *extprocv3.BodyMutation_StreamedResponse:
		end := ""
		if b.StreamedResponse.EndOfStream {
			end = "end "
		}
		out = append(out, "  piece "+end+quoted(b.StreamedResponse.Body))
	}
	if o := r.ModeOverride; o != nil {
		out = append(out, fmt.Sprintf("  modes request=%s answer=%s answer_headers=%s", o.RequestBodyMode, o.ResponseBodyMode, o.ResponseHeaderMode))
	}
	return out
}

func describeHeaders(m *extprocv3.HeaderMutation) []string {
	var out []string
	for _, h := range m.GetSetHeaders() {
		verb := "set"
		if h.AppendAction == corev3.HeaderValueOption_APPEND_IF_EXISTS_OR_ADD {
			verb = "add"
		}
		out = append(out, fmt.Sprintf("  %s %s=%s", verb, h.Header.Key, h.Header.RawValue))
	}
	for _, name := range m.GetRemoveHeaders() {
		out = append(out, "  remove "+name)
	}
	return out
}

func quoted(body []byte) string {
	if len(body) > 200 {
		return fmt.Sprintf("of %d bytes", len(body))
	}
	if strconv.CanBackquote(string(body)) && len(body) > 0 {
		return "`" + string(body) + "`"
	}
	return strconv.Quote(string(body))
}

func describeEnd(s *status.Status) string {
	if s.Code() == codes.OK {
		return "the stream ends well"
	}
	return fmt.Sprintf("the stream ends with %s: %s", s.Code(), s.Message())
}
