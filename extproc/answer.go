package extproc

import (
	"bytes"
	"net/http"
	"strconv"

	filterv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	extprocv3 "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
)

// wantAnswerHeaders asks for the answer's headers, for filters configured to skip them. It restates the body modes,
// because an override replaces both. Full-duplex filters take no override.
func (st *stream) wantAnswerHeaders() *filterv3.ProcessingMode {
	if st.requestMode == duplex || st.responseMode == duplex {
		return nil
	}
	return &filterv3.ProcessingMode{ResponseHeaderMode: filterv3.ProcessingMode_SEND,
		RequestBodyMode: st.requestMode, ResponseBodyMode: st.responseMode}
}

func (st *stream) responseHeaders(m *extprocv3.HttpHeaders) (done bool, err error) {
	code, h := statusAndHeader(m)
	if !st.answered { // a local reply of Envoy's came before the request was decided, its 413 for example
		return st.responseMode != duplex || m.EndOfStream, st.send(answerHeaders(&extprocv3.CommonResponse{}, nil))
	}
	set := st.server.o.Engine.AnswerHeader(&st.decision, st.req, code, h)
	common := &extprocv3.CommonResponse{HeaderMutation: headerMutation(set, nil)}
	if !m.EndOfStream && st.server.o.Engine.EditsBody(&st.decision, code, h) {
		st.hold = newHold(st, h)
	}
	if st.hold != nil && st.hold.mode != buffered && h.Get("Content-Length") != "" {
		// The length goes out before it is known what the body will be.
		common.HeaderMutation.RemoveHeaders = []string{"content-length"}
	}
	if st.responseMode == duplex {
		return m.EndOfStream, st.send(answerHeaders(common, nil))
	}
	if st.hold == nil {
		return true, st.send(answerHeaders(common, nil))
	}
	st.askedForBody = true
	return false, st.send(answerHeaders(common, &filterv3.ProcessingMode{ResponseHeaderMode: filterv3.ProcessingMode_SEND,
		RequestBodyMode: st.requestMode, ResponseBodyMode: st.hold.mode}))
}

// answerMode says how the body of an answer will come that is wanted in this mode: the wanted one, or what is
// configured where Envoy takes no override. none means that it can't be edited.
func (st *stream) answerMode(wanted bodyMode) bodyMode {
	switch {
	case st.responseMode == duplex, st.responseMode == streamed:
		return st.responseMode
	case st.responseMode == filterv3.ProcessingMode_BUFFERED_PARTIAL: // what is held back of a part would be lost
		return none
	case st.requestMode != duplex:
		return wanted
	}
	if st.responseMode == none {
		st.server.warnMute()
	}
	return st.responseMode
}

func (st *stream) responseBody(m *extprocv3.HttpBody) (done bool, err error) {
	st.sawBody = true
	st.server.sawBody.Store(true)
	st.server.o.Observer.AnswerBytes(len(m.Body))
	if st.hold == nil && st.responseMode != duplex { // a filter configured to send bodies that nobody asked for
		return true, st.send(bodyOfAnswer(&extprocv3.CommonResponse{}))
	}
	out, over := m.Body, false
	if st.hold != nil {
		err := st.within(st.responseMode, func() { out, over = st.hold.add(st.ctx, m.Body, m.EndOfStream) })
		if err != nil {
			return false, err
		}
	}
	if st.responseMode == duplex {
		return st.duplexBody(m, out, over)
	}
	common := &extprocv3.CommonResponse{}
	switch {
	case st.hold.mode == buffered && st.hold.Edited():
		common.HeaderMutation = contentLength(len(out))
		common.BodyMutation = wholeBody(out)
	case len(out) == 0 && len(m.Body) > 0:
		common.BodyMutation = &extprocv3.BodyMutation{Mutation: &extprocv3.BodyMutation_ClearBody{ClearBody: true}}
	case !bytes.Equal(out, m.Body):
		common.BodyMutation = wholeBody(out)
	}
	return over || m.EndOfStream, st.send(bodyOfAnswer(common))
}

// duplexBody passes a piece of a full-duplex answer on. Such a stream must not be left before its end.
func (st *stream) duplexBody(m *extprocv3.HttpBody, out []byte, over bool) (done bool, err error) {
	if over {
		st.hold = nil
	}
	if len(out) == 0 && !m.EndOfStream {
		return false, nil // held: nothing to pass on yet
	}
	return m.EndOfStream, st.send(bodyOfAnswer(piece(out, m.EndOfStream)))
}

func (st *stream) responseTrailers() (done bool, err error) {
	if st.hold != nil && st.responseMode == duplex {
		var out []byte
		err := st.within(duplex, func() { out, _ = st.hold.add(st.ctx, nil, true) })
		if err != nil {
			return false, err
		}
		if len(out) > 0 {
			if err := st.send(bodyOfAnswer(piece(out, false))); err != nil {
				return false, err
			}
		}
	}
	return true, st.send(&extprocv3.ProcessingResponse{Response: &extprocv3.ProcessingResponse_ResponseTrailers{
		ResponseTrailers: &extprocv3.TrailersResponse{}}})
}

// statusAndHeader reads an answer's headers. A status that can't be read is 0, which no edit applies to.
func statusAndHeader(m *extprocv3.HttpHeaders) (int, http.Header) {
	code, header := 0, http.Header{}
	for _, h := range m.GetHeaders().GetHeaders() {
		if h.Key == ":status" {
			code, _ = strconv.Atoi(valueOf(h))
			continue
		}
		header.Add(h.Key, valueOf(h))
	}
	return code, header
}
