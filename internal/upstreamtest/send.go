package upstreamtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

func envelope(id json.RawMessage, member, value string) string {
	if id == nil {
		id = json.RawMessage("null")
	}
	return `{"jsonrpc":"2.0","id":` + string(id) + `,"` + member + `":` + value + `}`
}

func errorObject(code int, message, data string) string {
	text, _ := json.Marshal(message)
	object := fmt.Sprintf(`{"code":%d,"message":%s`, code, text)
	if data != "" {
		object += `,"data":` + data
	}
	return object + "}"
}

func (x *exchange) result(raw string) {
	x.send(http.StatusOK, envelope(x.r.ID, "result", raw), nil)
}

// error answers in JSON, as servers do whatever their stream setting.
func (x *exchange) error(status, code int, message, data string) {
	x.body(status, "application/json", envelope(x.r.ID, "error", errorObject(code, message, data)))
}

// send answers with a message, after events, in the form Behaviour wants.
func (x *exchange) send(status int, message string, events []string) {
	if (!x.b.SSE && len(events) == 0) || status != http.StatusOK {
		x.body(status, "application/json", message)
		return
	}
	x.startStream()
	for _, e := range events {
		x.event(e)
	}
	x.event(message)
}

func (x *exchange) body(status int, contentType, body string) {
	x.w.Header().Set("Content-Type", contentType)
	if !x.b.Chunked {
		x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	x.w.WriteHeader(status)
	half := len(body) / 2
	_, _ = io.WriteString(x.w, body[:half])
	if x.b.Chunked {
		x.flush()
	}
	_, _ = io.WriteString(x.w, body[half:])
}

func (x *exchange) startStream() {
	x.w.Header().Set("Content-Type", "text/event-stream")
	x.w.WriteHeader(http.StatusOK)
	if x.b.Prime {
		_, _ = io.WriteString(x.w, "event: prime\nid: STREAM_0\ndata: \n\n")
	}
	if x.b.Chatter {
		_, _ = io.WriteString(x.w, ": keep-alive\n\n")
	}
	x.flush()
}

func (x *exchange) event(message string) {
	fmt.Fprintf(x.w, "event: message\ndata: %s\n\n", message)
	x.flush()
}

func (x *exchange) flush() { _ = http.NewResponseController(x.w).Flush() }
