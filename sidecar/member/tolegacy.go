package member

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// postToLegacy answers a modern client's message from a legacy server.
func (s *Session) postToLegacy(ctx context.Context, msg *wire.Message) (*Answer, error) {
	switch msg.Kind {
	case wire.Notification:
		return accepted(), nil // closing a stream cancels; the era has no others from a client
	case wire.Response, wire.Batch:
		return faultAnswer(notARequest(), wire.Modern), nil
	}
	switch {
	case msg.Method == "server/discover":
		result, err := s.discoverResult(ctx)
		if err != nil {
			return nil, err
		}
		return jsonAnswer(http.StatusOK, wire.ResultBody(msg.ID, wire.Modern, result)), nil
	case msg.Method == "subscriptions/listen":
		return s.listenLegacy(ctx, msg.ID, filterOf(msg))
	case endedMethod(msg.Method):
		return faultAnswer(unknownMethod(msg.ID), wire.Modern), nil
	}
	if state := member(msg.Params.In(msg.Body), "requestState"); state != nil && !wire.IsNull(state) {
		text, _ := wire.String(state) // given out here, or at another replica: a legacy server gives none
		return s.resume(ctx, msg, text)
	}
	return s.callLegacy(ctx, msg)
}

// endedMethod tells the methods that the modern era doesn't have. Tasks are
// there in both, but are not the same.
func endedMethod(method string) bool {
	switch method {
	case "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		return true
	}
	return strings.HasPrefix(method, "tasks/")
}

// discoverResult is what a modern server of this description would say.
func (s *Session) discoverResult(ctx context.Context) ([]byte, error) {
	d, err := s.describe(ctx)
	if err != nil {
		return nil, err
	}
	capabilities := orEmpty(d.Capabilities)
	if kept, err := wire.RemoveFields(capabilities, "tasks"); err == nil {
		capabilities = kept
	}
	fields := [][]byte{[]byte(`"resultType":"complete"`), []byte(`"supportedVersions":["` + wire.ModernVersion + `"]`),
		append([]byte(`"capabilities":`), capabilities...)}
	if d.Instructions != "" {
		fields = append(fields, append([]byte(`"instructions":`), wire.Quote(d.Instructions)...))
	}
	fields = append(fields, []byte(`"ttlMs":0`), []byte(`"cacheScope":"private"`))
	if d.ServerInfo != nil {
		fields = append(fields, append([]byte(`"_meta":{"io.modelcontextprotocol/serverInfo":`), append(d.ServerInfo, '}')...))
	}
	return object(fields...), nil
}

// callLegacy sends a request of a modern client's under an id of ours: other
// requests of the same caller share the session.
func (s *Session) callLegacy(ctx context.Context, msg *wire.Message) (*Answer, error) {
	out := newOutlet()
	c := &legacyCall{s: s, method: msg.Method, id: s.m.newID(), clientID: slices.Clone(msg.ID), out: out, can: capabilitiesOf(msg), over: make(chan struct{})}
	params, level, err := withoutMeta(msg)
	if err != nil {
		return faultAnswer(unreadableParams(msg.ID), wire.Modern), nil
	}
	c.logs, c.token = level != "", slices.Clone(msg.Meta.ProgressToken)
	leave := s.s.enter()
	ok := s.m.spawn(func(ctx context.Context) {
		defer leave()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer s.s.start(string(c.id), cancel)()
		c.setLevel(ctx, level)
		c.run(ctx, request(c.id, msg.Method, params))
	})
	if !ok {
		leave()
		return nil, s.s.endedError()
	}
	return out.answer(ctx)
}

// withoutMeta are a modern message's params as a legacy server wants them: some
// servers would take the era from _meta.
func withoutMeta(msg *wire.Message) (params []byte, level string, err error) {
	params = orEmpty(msg.Params.In(msg.Body))
	if params, err = wire.RemoveFields(params, "inputResponses", "requestState"); err != nil || msg.Meta.Absent() {
		return params, "", err
	}
	meta := msg.Meta.In(msg.Body)
	level, _ = wire.String(member(meta, metaLogLevel))
	if meta, err = wire.RemoveFields(meta, metaVersion, metaCapabilities, metaInfo, metaLogLevel); err != nil {
		return nil, "", err
	}
	if string(meta) == "{}" {
		params, err = wire.RemoveFields(params, "_meta")
	} else {
		params, err = wire.SetField(params, "_meta", meta)
	}
	return params, level, err
}

// capabilitiesOf says which requests of a server's a client can answer.
func capabilitiesOf(msg *wire.Message) map[string]bool {
	raw := msg.Meta.ClientCapabilities.In(msg.Body)
	return map[string]bool{"elicitation/create": member(raw, "elicitation") != nil,
		"sampling/createMessage": member(raw, "sampling") != nil, "roots/list": member(raw, "roots") != nil}
}

// legacyCall is a modern client's request at a legacy server. While the server
// waits for something of the client's, the call is parked and has no outlet.
type legacyCall struct {
	s        *Session
	method   string
	id       []byte // at the server
	clientID []byte // of the client's current request
	out      *outlet
	can      map[string]bool
	logs     bool   // the client wants log messages
	token    []byte // of the progress that the client wants to hear of; nil for none
	over     chan struct{}
}

// setLevel tells the server which log messages are wanted. It is a property of
// the session there; the last one who asks for some sets it.
func (c *legacyCall) setLevel(ctx context.Context, level string) {
	if level == "" || !c.s.s.setLevel(level) {
		return
	}
	o, err := c.s.s.ensure(ctx, c.s.c, c.s.who)
	if err != nil {
		return // the call itself will tell
	}
	ctx, cancel := context.WithTimeout(ctx, partingTimeout)
	defer cancel()
	_, _ = c.s.m.ask(ctx, c.s.who, o.hop("logging/setLevel"), object(append([]byte(`"level":`), wire.Quote(level)...)), nil)
}

// run carries the call from its request to its response.
func (c *legacyCall) run(ctx context.Context, body []byte) {
	ctx, patient := withPatience(ctx, c.s.limit(c.method))
	defer patient.end()
	left := c.watch(patient)
	defer left.stop()
	said, leave, err := c.attend(ctx)
	if err != nil {
		c.out.fail(c.gone(left, err))
		return
	}
	defer leave()
	reading := &reading{c: c, s: c.s, body: body, patient: patient, steps: make(chan step)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		reading.run(ctx)
	}()
	defer func() {
		close(c.over)
		patient.end()
		<-done
	}()
	for {
		select {
		case st := <-reading.steps:
			if c.step(ctx, st, patient, left) {
				return
			}
		case what := <-said:
			if c.take(ctx, what.o, what.received, patient, left) {
				return
			}
		}
	}
}

// step does what one step of the exchange wants.
func (c *legacyCall) step(ctx context.Context, st step, patient *patience, left *watched) (done bool) {
	switch {
	case st.err == nil:
		return c.take(ctx, st.o, st.received, patient, left)
	case !st.answered:
		if st.o != nil && ctx.Err() != nil {
			c.s.m.cancelCall(ctx, c.s.who, st.o.hop(""), c.id) // the client left, or the server was silent
		}
		c.out.fail(c.gone(left, st.err))
	default:
		if !errors.Is(st.err, errEnded) {
			c.s.m.cancelCall(ctx, c.s.who, st.o.hop(""), c.id)
		}
		c.failed(left, st.err)
	}
	return true
}

// take does what one message of the server's wants.
func (c *legacyCall) take(ctx context.Context, o *opened, got received, patient *patience, left *watched) (done bool) {
	switch got.kind {
	case isPassed:
		c.out.finish(got.status, got.header, c.answered(got.body))
		return true
	case isResponse:
		if result := c.visit(got.answer); result != nil {
			c.out.finish(http.StatusOK, nil, wire.ResultBody(c.clientID, wire.Modern, result))
			return true
		}
		status, body := modernResponse(c.method, c.clientID, got.answer)
		c.out.finish(status, nil, body)
		return true
	case isNotification:
		if c.passes(got.answer.Method) {
			_ = c.out.event(got.body) // a client that left is seen by the watch
		} else if h := c.s.s.listening(); h != nil {
			h.broadcast(got.answer.Method, got.body)
		}
	case isRequest:
		return c.asks(ctx, o, got.answer, patient, left)
	}
	return false
}

// passes says which notifications belong on a call's own stream.
func (c *legacyCall) passes(method string) bool {
	return method == "notifications/progress" || method == "notifications/message" && c.logs
}

// modernResponse is a legacy response as the modern era has it.
func modernResponse(method string, id []byte, a *wire.Answer) (status int, body []byte) {
	if !a.Error.Absent() {
		return modernError(id, a)
	}
	result := a.Result.In(a.Body)
	if !wire.IsObject(result) {
		return http.StatusOK, wire.ErrorBody(id, wire.CodeInternal, "the server's result is not an object", nil)
	}
	switch method {
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read":
		// What legacy servers say of caching means nothing (SDKs' defaults).
		for _, f := range []wire.Field{{Key: "ttlMs", Value: []byte("0")}, {Key: "cacheScope", Value: []byte(`"private"`)}} {
			if set, err := wire.SetField(result, f.Key, f.Value); err == nil {
				result = set
			}
		}
	}
	return http.StatusOK, wire.ResultBody(id, wire.Modern, result)
}

// answered is the body of a challenge, with the client's id where it has ours.
func (c *legacyCall) answered(body []byte) []byte {
	a, err := wire.ScanAnswer(body)
	if err != nil || !bytes.Equal(a.ID, c.id) {
		return body
	}
	return withID(a, c.clientID)
}

// resourceNotFound is a code of the legacy eras; the modern era has invalid
// params for it (spec 2026-07-28 basic/index "Error Codes").
const resourceNotFound = -32002

func modernError(id []byte, a *wire.Answer) (status int, body []byte) {
	code := a.ErrorCode
	if code == resourceNotFound {
		code = wire.CodeInvalidParams
	}
	body = withID(a, id)
	if code != a.ErrorCode {
		body = wire.ErrorBody(id, code, a.ErrorMessage, member(a.Error.In(a.Body), "data"))
	}
	switch {
	case code == wire.CodeMethodNotFound:
		return http.StatusNotFound, body
	case code == wire.CodeInvalidParams, code == wire.CodeInvalidRequest, code == wire.CodeParse, code <= -32020 && code >= -32022:
		return http.StatusBadRequest, body
	}
	return http.StatusOK, body
}

// knownMethod tells the methods that a server may have.
func knownMethod(method string) bool {
	switch method {
	case "tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list", "resources/templates/list", "resources/read", "completion/complete":
		return true
	}
	return false
}

// failed ends the answer without a response of the server's. Some servers
// answer a method they don't know with plain text.
func (c *legacyCall) failed(left *watched, err error) {
	var e *Error
	if errors.As(err, &e) && e.Kind == upstream.BadStatus && e.Status < 500 && !knownMethod(c.method) {
		c.out.finish(http.StatusNotFound, nil, unknownMethod(c.clientID).Body())
		return
	}
	c.out.fail(c.gone(left, err))
}

// gone is the error of a call whose client left.
func (c *legacyCall) gone(left *watched, err error) error {
	if left.happened() {
		return context.Canceled
	}
	return err
}
