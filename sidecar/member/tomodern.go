package member

import (
	"context"
	"errors"
	"net/http"

	"mcp-toolsearch/sidecar/wire"
)

// postToModern answers a legacy client's message from a modern server.
func (s *Session) postToModern(ctx context.Context, msg *wire.Message) (*Answer, error) {
	switch msg.Kind {
	case wire.Batch:
		return faultAnswer(batchArray(), wire.Legacy), nil
	case wire.Response:
		s.s.deliver(string(msg.ID), msg.Body)
		return accepted(), nil
	case wire.Notification:
		if msg.Method == "notifications/cancelled" {
			s.s.cancelCall(string(member(msg.Params.In(msg.Body), "requestId")))
		}
		return accepted(), nil // the modern era has no others from a client
	}
	result, err := s.localToModern(ctx, msg)
	if errors.Is(err, errSubscribed) {
		return faultAnswer(tooManySubscriptions(msg.ID), wire.Legacy), nil
	}
	if err != nil {
		return nil, err
	}
	if result != nil {
		return jsonAnswer(http.StatusOK, wire.ResultBody(msg.ID, wire.Legacy, result)), nil
	}
	return s.callModern(ctx, msg)
}

// errSubscribed says that a client is subscribed to all that it may be.
var errSubscribed = errors.New("one subscription too many")

// localToModern answers the methods that ended with the legacy eras; nil for
// all others.
func (s *Session) localToModern(ctx context.Context, msg *wire.Message) (result []byte, err error) {
	params := msg.Params.In(msg.Body)
	switch msg.Method {
	case "ping":
	case "logging/setLevel":
		level, _ := wire.String(member(params, "level"))
		s.s.setLevel(level)
	case "resources/subscribe":
		if _, ok := s.s.subscribe(msg.URI); !ok {
			return nil, errSubscribed
		}
	case "resources/unsubscribe":
		for !s.s.unsubscribe(msg.URI) {
			if uris, _ := s.s.subscribed(); !contains(uris, msg.URI) {
				break
			}
		}
	case "initialize":
		return s.initializeResult(ctx)
	default:
		return nil, nil
	}
	return []byte("{}"), nil
}

func contains(all []string, one string) bool {
	for _, v := range all {
		if v == one {
			return true
		}
	}
	return false
}

// initializeResult is what a legacy server of this description would say.
func (s *Session) initializeResult(ctx context.Context) ([]byte, error) {
	d, err := s.describe(ctx)
	if err != nil {
		return nil, err
	}
	info := d.ServerInfo
	if info == nil {
		info = object(append([]byte(`"name":`), wire.Quote(s.m.Name())...), []byte(`"version":""`))
	}
	fields := [][]byte{append([]byte(`"protocolVersion":`), wire.Quote(s.c.legacyVersion())...),
		append([]byte(`"capabilities":`), orEmpty(d.Capabilities)...), append([]byte(`"serverInfo":`), info...)}
	if d.Instructions != "" {
		fields = append(fields, append([]byte(`"instructions":`), wire.Quote(d.Instructions)...))
	}
	return object(fields...), nil
}

// callModern passes a request on and turns what the server asks for on the way
// into requests to the client.
func (s *Session) callModern(ctx context.Context, msg *wire.Message) (*Answer, error) {
	out := newOutlet()
	leave := s.s.enter()
	ok := s.m.spawn(func(ctx context.Context) {
		defer leave()
		ctx, cancel := out.until(ctx)
		defer cancel()
		defer s.s.start(string(msg.ID), cancel)()
		call := &modernCall{s: s, msg: msg, out: out}
		call.run(ctx)
	})
	if !ok {
		leave()
		return nil, s.s.endedError()
	}
	return out.answer(ctx)
}

// modernCall is a legacy client's request at a modern server: one or more
// requests there (spec 2026-07-28 patterns/mrtr).
type modernCall struct {
	s        *Session
	msg      *wire.Message
	out      *outlet
	params   []byte // of the next request
	relisted bool
	rounds   int
}

// maxRounds bounds how often a server may ask for more.
const maxRounds = 50

func (c *modernCall) run(ctx context.Context) {
	var err error
	if c.params, err = c.withMeta(); err != nil {
		c.refuse(unreadableParams(c.msg.ID))
		return
	}
	id := c.msg.ID
	for c.round(ctx, id) {
		if c.rounds++; c.rounds > maxRounds {
			c.refuse(questionsEndless(c.msg.ID))
			return
		}
		id = c.s.m.newID()
	}
}

// withMeta are the message's params as the modern era wants them.
func (c *modernCall) withMeta() ([]byte, error) {
	params := orEmpty(c.msg.Params.In(c.msg.Body))
	meta := orEmpty(c.msg.Meta.In(c.msg.Body))
	own, err := wire.TopFields(c.s.m.meta(c.s.c, c.s.s.level()))
	if err != nil {
		return nil, err
	}
	for _, f := range own {
		if meta, err = wire.SetField(meta, f.Key, f.Value); err != nil {
			return nil, err
		}
	}
	return wire.SetField(params, "_meta", meta)
}

func (c *modernCall) refuse(f *wire.Fault) {
	c.out.finish(f.StatusFor(wire.Legacy), nil, f.Body())
}

// round sends the request once and passes on what comes; it says whether to
// send it again.
func (c *modernCall) round(ctx context.Context, id []byte) (again bool) {
	m := c.s.m
	p := c.s.modernHop(c.msg.Method)
	p.name, _ = wire.Mirrored(c.msg)
	p.params = c.mirrored()
	ctx, patient := withPatience(ctx, c.s.limit(c.msg.Method))
	defer patient.end()
	resp, err := m.do(ctx, http.MethodPost, m.headers(c.s.who, p), request(id, c.msg.Method, c.params))
	if err != nil {
		c.failed(ctx, err)
		return false
	}
	in := &incoming{m: m, ctx: ctx, patient: patient, resp: resp, id: id}
	defer in.close()
	for {
		got, err := in.next()
		if err != nil {
			c.failed(ctx, err)
			return false
		}
		switch got.kind {
		case isPassed:
			c.out.finish(got.status, got.header, got.body)
			return false
		case isNotification:
			if c.out.event(got.body) != nil {
				return false
			}
		case isResponse:
			patient.rest()
			return c.response(ctx, got)
		}
	}
}

// failed ends the answer. A client that cancelled by a notification still has
// its request open.
func (c *modernCall) failed(ctx context.Context, err error) {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		c.refuse(callCancelled(c.msg.ID))
		return
	}
	c.out.fail(err)
}

// mirrored are the Mcp-Param-* headers of a call.
func (c *modernCall) mirrored() http.Header {
	h := http.Header{}
	if c.msg.Method != "tools/call" {
		return h
	}
	for _, param := range c.s.m.eras.paramsOf(c.msg.Name) {
		if value, ok := param.Value(c.msg.Arguments.In(c.msg.Body)); ok {
			h.Set("Mcp-Param-"+param.Name, value)
		}
	}
	return h
}

// response passes the answer on, or does what must come before it.
func (c *modernCall) response(ctx context.Context, got received) (again bool) {
	a := got.answer
	if !a.Error.Absent() {
		if a.ErrorCode == wire.CodeHeaderMismatch && c.relist(ctx) {
			return true
		}
		c.out.finish(http.StatusOK, nil, withID(a, c.msg.ID))
		return false
	}
	result := a.Result.In(a.Body)
	if kind, _ := wire.String(member(result, "resultType")); kind == "input_required" {
		return c.ask(ctx, result)
	}
	c.out.finish(http.StatusOK, nil, withID(a, c.msg.ID))
	return false
}

// relist learns which headers a tool wants: a refused call can't have run.
func (c *modernCall) relist(ctx context.Context) bool {
	if c.relisted || c.msg.Method != "tools/call" {
		return false
	}
	c.relisted = true
	_, err := c.s.list(ctx, "tools/list")
	return err == nil && len(c.s.m.eras.paramsOf(c.msg.Name)) > 0
}

// withID is a response to another id. Everything else is the same.
func withID(a *wire.Answer, id []byte) []byte {
	if string(a.ID) == string(id) {
		return a.Body
	}
	if !a.Error.Absent() {
		return append(append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"error":`...), append(a.Error.In(a.Body), '}')...)
	}
	return wire.ResultBody(id, wire.Legacy, a.Result.In(a.Body))
}
