package aggregate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"

	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/wire"
)

// maxEvent bounds one event of a server's stream.
const maxEvent = 64 << 20

// streamKind is the media type of an event stream.
const streamKind = "text/event-stream"

// pass sends a server's answer on as it comes.
func (x *exchange) pass(e *entry, answer *member.Answer) {
	defer answer.Body.Close()
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if answer.Status >= http.StatusBadRequest && answer.Status != http.StatusUnauthorized && answer.Status != http.StatusForbidden && kind != streamKind {
		x.passError(e, answer)
		return
	}
	maps.Copy(x.w.Header(), answer.Header)
	if kind != streamKind {
		x.passBody(e, answer)
		return
	}
	x.startStream(answer.Status)
	x.passEvents(e, answer.Body)
}

// maxErrorBytes bounds the body read of a server's 4xx or 5xx.
const maxErrorBytes = 64 << 10

// passError sends a server's JSON-RPC error on, and says what happened where
// there is none. Its status is about the server's own session and transport: a
// 404 would tell a legacy client that its session here is over.
func (x *exchange) passError(e *entry, answer *member.Answer) {
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxErrorBytes))
	a, scanned := wire.ScanAnswer(body)
	if err == nil && scanned == nil && !a.Error.Absent() && bytes.Equal(a.ID, x.msg.ID) {
		status := answer.Status
		if x.era == wire.Legacy {
			status = http.StatusOK
		}
		x.write(status, body)
		return
	}
	x.failed(e, &statusError{e.server.Name, answer.Status}, true)
}

// statusError is a server's answer that is no JSON-RPC.
type statusError struct {
	server string
	status int
}

// Error says what happened and what to do next.
func (e *statusError) Error() string {
	return fmt.Sprintf("server %s answered HTTP %d, which is no answer to this; try again in a moment, or check the server's log for the reason", e.server, e.status)
}

// startStream begins an event stream: a proxy in front must not wait for its end.
func (x *exchange) startStream(status int) {
	h := x.w.Header()
	h.Set("Content-Type", streamKind)
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	x.w.WriteHeader(status)
	x.flush()
}

// flush sends what was written; a writer that can't has nothing to wait for.
func (x *exchange) flush() { _ = http.NewResponseController(x.w).Flush() }

// passBody sends JSON, or whatever else, on.
func (x *exchange) passBody(e *entry, answer *member.Answer) {
	body := io.Reader(answer.Body)
	if x.mayMakeTask() {
		head, err := io.ReadAll(io.LimitReader(answer.Body, maxTaskAnswer))
		if err == nil && len(head) < maxTaskAnswer {
			x.noteTask(e, head)
		}
		body = io.MultiReader(bytes.NewReader(head), answer.Body)
	}
	x.w.WriteHeader(answer.Status)
	if _, err := io.Copy(flushing{x}, body); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// flushing writes through at once.
type flushing struct{ x *exchange }

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.x.w.Write(p)
	f.x.flush()
	return n, err
}

// passEvents sends a stream on, event by event.
func (x *exchange) passEvents(e *entry, body io.Reader) {
	events := wire.NewEventReader(body, maxEvent)
	resumable := false
	for {
		ev, err := events.Next()
		if err != nil {
			x.broke(e, err, resumable)
			return
		}
		resumable = resumable || ev.HasID
		if _, err := x.w.Write(x.outwardEvent(e, ev)); err != nil {
			return // nobody listens
		}
		x.flush()
		if x.answers(ev.Data) {
			return
		}
	}
}

// answers says that an event is the answer to the client's message: what a
// server sends behind it nobody waits for.
func (x *exchange) answers(data []byte) bool {
	if x.msg == nil || x.msg.Kind != wire.Request || len(data) == 0 {
		return false
	}
	a, err := wire.ScanAnswer(data)
	return err == nil && a.Method == "" && bytes.Equal(a.ID, x.msg.ID)
}

// broke answers in place of a server whose stream ended before its answer; of
// a stream with event ids the rest can still be fetched.
func (x *exchange) broke(e *entry, err error, resumable bool) {
	if x.ctx.Err() != nil || resumable || x.msg == nil || x.msg.Kind != wire.Request {
		return
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	text := failureText(e, err, true)
	body := wire.ErrorBody(x.msg.ID, wire.CodeInternal, text, nil)
	if x.msg.Method == "tools/call" {
		body = wire.ResultBody(x.msg.ID, x.era, wire.TextResult(text, true))
	}
	x.event(body)
}

// event sends a message of our own.
func (x *exchange) event(message []byte) {
	_, _ = x.w.Write(slices.Concat([]byte("event: message\ndata: "), message, []byte("\n\n"))) // nobody listens: the stream ends
	x.flush()
}

// outwardEvent is an event as the client gets it: ids of requests and of events
// say whose they are. What a server says about its lists is taken note of.
func (x *exchange) outwardEvent(e *entry, ev wire.Event) []byte {
	if ev.HasID {
		ev.Raw = withServer(ev.Raw, e.server.Name)
	}
	if len(ev.Data) == 0 || ev.Type != "" && ev.Type != "message" {
		return ev.Raw
	}
	a, err := wire.ScanAnswer(ev.Data)
	if err != nil {
		return ev.Raw
	}
	if a.Method == "" {
		if x.mayMakeTask() {
			x.noteTask(e, ev.Data)
		}
		return ev.Raw
	}
	for _, k := range changedKinds(a.Method) {
		x.a.shelf(x.who, k).note(e.server.Name)
	}
	if x.era != wire.Legacy || a.ID == nil {
		return ev.Raw
	}
	message := outwardRequest(e.server.Name, ev.Data)
	if bytes.Equal(message, ev.Data) {
		return ev.Raw
	}
	return ev.WithData(message)
}

// withServer puts a server's name before the ids of an event; an empty id,
// which takes back what was said before, stays.
func withServer(raw []byte, server string) []byte {
	var out []byte
	for line := range bytes.Lines(raw) {
		value, found := bytes.CutPrefix(line, []byte("id:"))
		value = bytes.TrimPrefix(value, []byte(" "))
		if !found || len(bytes.TrimRight(value, "\r\n")) == 0 {
			out = append(out, line...)
			continue
		}
		out = append(append(append(out, "id: "...), outwardEventID(server, "")...), value...)
	}
	return out
}
