package member

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// What next gives.
type receivedKind int

const (
	isPassed       receivedKind = iota // an answer that is no message: passed on as it is
	isNotification                     // of the server
	isRequest                          // of the server, to the client
	isResponse                         // to our request
)

// received is one message of a server's answer.
type received struct {
	kind   receivedKind
	status int
	header http.Header // of isPassed
	body   []byte
	answer *wire.Answer
}

// incoming reads a server's answer, JSON or a stream, message by message.
type incoming struct {
	m       *Member
	ctx     context.Context
	patient *patience
	resp    *http.Response
	id      []byte // of our request

	events *wire.EventReader
	lastID string // of the last event that has one
	pause  time.Duration
}

func (in *incoming) close() { in.resp.Body.Close() }

// errEnded says that a stream ended before the response.
var errEnded = errors.New("the stream ended before the answer")

// next gives the next message that matters. The error is an *Error or the
// context's; an *Error that wraps errEnded when a stream ended too early.
func (in *incoming) next() (received, error) {
	if in.events != nil {
		return in.nextEvent()
	}
	resp := in.resp
	if err := in.m.unusable(resp); err != nil {
		return received{}, err
	}
	if resp.StatusCode < 400 && mediaType(resp.Header) == "text/event-stream" {
		in.events = wire.NewEventReader(heardReader{resp.Body, in.patient}, maxMessage)
		return in.nextEvent()
	}
	limit := int64(maxMessage)
	if resp.StatusCode >= 400 {
		limit = maxHeld
	}
	body, err := io.ReadAll(io.LimitReader(heardReader{resp.Body, in.patient}, limit+1))
	if err != nil {
		return received{}, in.failure()
	}
	if int64(len(body)) > limit {
		return received{}, &Error{Server: in.m.Name(), Kind: upstream.TooLarge, Status: resp.StatusCode, Detail: "the answer is longer than the limit"}
	}
	return in.whole(body)
}

// whole judges an answer that is no stream.
func (in *incoming) whole(body []byte) (received, error) {
	status := in.resp.StatusCode
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		return received{kind: isPassed, status: status, header: passedBack(in.resp.Header), body: body}, nil
	}
	a, err := wire.ScanAnswer(body)
	switch {
	case err == nil && a.Method == "" && (!a.Result.Absent() || !a.Error.Absent()):
		return received{kind: isResponse, status: status, body: body, answer: a}, nil
	case status >= 400:
		return received{}, &Error{Server: in.m.Name(), Kind: upstream.BadStatus, Status: status, Detail: "the request was refused"}
	}
	return received{}, &Error{Server: in.m.Name(), Kind: upstream.Garbage, Status: status, Detail: "the answer is not a JSON-RPC response"}
}

func (in *incoming) nextEvent() (received, error) {
	for {
		ev, err := in.events.Next()
		if err != nil {
			return received{}, in.eventFailure(err)
		}
		if ev.HasID {
			in.lastID = ev.ID
		}
		if pause, ok := retryOf(ev.Raw); ok {
			in.pause = pause
		}
		if len(ev.Data) == 0 || ev.Type != "" && ev.Type != "message" {
			continue
		}
		a, err := wire.ScanAnswer(ev.Data)
		switch {
		case err != nil:
			return received{}, &Error{Server: in.m.Name(), Kind: upstream.Garbage, Detail: "an event is not a JSON-RPC message"}
		case a.Method != "" && a.ID == nil:
			return received{kind: isNotification, body: ev.Data, answer: a}, nil
		case a.Method != "":
			return received{kind: isRequest, body: ev.Data, answer: a}, nil
		case in.ours(a):
			return received{kind: isResponse, status: http.StatusOK, body: ev.Data, answer: a}, nil
		}
	}
}

// ours says that a response is to our request. Servers that fail before they
// read the id send null.
func (in *incoming) ours(a *wire.Answer) bool {
	return bytes.Equal(a.ID, in.id) || !a.Error.Absent() && (a.ID == nil || wire.IsNull(a.ID))
}

func (in *incoming) eventFailure(err error) error {
	if errors.Is(err, wire.ErrEventTooLarge) {
		return &Error{Server: in.m.Name(), Kind: upstream.TooLarge, Detail: "an event is longer than the limit"}
	}
	if errors.Is(err, io.EOF) && in.ctx.Err() == nil {
		return &Error{Server: in.m.Name(), Kind: upstream.Unreachable, Detail: errEnded.Error(), cause: errEnded}
	}
	return in.failure()
}

func (in *incoming) failure() error {
	switch {
	case errors.Is(context.Cause(in.ctx), errSilent):
		return in.m.silent()
	case in.ctx.Err() != nil:
		return in.ctx.Err()
	}
	return in.m.broke()
}

// heardReader tells that the server still says something.
type heardReader struct {
	r io.Reader
	p *patience
}

func (r heardReader) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	if n > 0 {
		r.p.heard()
	}
	return n, err
}

// The pause before a stream is taken up again, when the server says none, and
// the longest it may say.
const (
	defaultRetry = time.Second
	longestRetry = 30 * time.Second
)

// retry is how long to wait before the stream is taken up again.
func (in *incoming) retry() time.Duration {
	if in.pause == 0 {
		return defaultRetry
	}
	return in.pause
}

// retryOf reads an event's retry field, in milliseconds.
func retryOf(event []byte) (time.Duration, bool) {
	for line := range bytes.SplitSeq(event, []byte{'\n'}) {
		value, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r"), []byte("retry:"))
		if !ok {
			continue
		}
		ms, err := strconv.ParseUint(string(bytes.TrimPrefix(value, []byte{' '})), 10, 32)
		if err == nil {
			return min(time.Duration(ms)*time.Millisecond, longestRetry), true
		}
	}
	return 0, false
}
