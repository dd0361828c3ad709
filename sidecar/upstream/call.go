package upstream

import (
	"context"
	"net/http"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/wire"
)

// Call sends one tools/call to t as who and gives its result or JSON-RPC
// error, byte for byte. ctx bounds and cancels it. A tool that asks the client
// for something on the way (legacy eras: elicitation, sampling, roots) gets an
// error from us, and the call is an *Error of kind Refused. Errors are *Error,
// *AuthError or the context's.
func (c *Client) Call(ctx context.Context, t Target, who caller.Caller, call Call) (*CallAnswer, error) {
	r, err := c.route(t, who, call.Trace)
	if err != nil {
		return nil, err
	}
	p := hop{era: call.Era, version: call.Version, method: "tools/call", name: call.Name, params: call.ParamHeaders, judged: call.Judged, session: call.Session}
	meta := call.Meta
	if p.era == wire.Modern {
		if p.version == "" {
			p.version = wire.ModernVersion
		}
		if meta == nil {
			meta = c.meta()
		}
	}
	id := c.newID()
	q := &questions{r: r, p: p}
	rep, err := r.exchange(ctx, r.headers(p), request(id, p.method, callParams(meta, call.Name, call.Arguments)),
		Reading{ID: id, MaxEvent: c.opt.MaxAnswerBytes, Asked: q.answer})
	if err != nil {
		r.cancelCall(ctx, p, id, err)
		if e, ok := err.(*Error); ok && e.Kind == TooLarge {
			e.advice = "ask the tool for less, or raise --max-answer"
		}
		return nil, err
	}
	if q.asked != "" {
		return nil, &Error{Kind: Refused, Detail: "the tool asked the client for " + q.asked + ", which can't be passed on from a batch; call it alone"}
	}
	return callAnswer(rep)
}

func callAnswer(rep *Reply) (*CallAnswer, error) {
	if rep.Answer == nil {
		return nil, rep.Refusal("tools/call")
	}
	a := rep.Answer
	if a.Error.Absent() {
		return &CallAnswer{Result: a.Result.In(a.Body)}, nil
	}
	answer := &CallAnswer{ErrorCode: a.ErrorCode, ErrorMessage: a.ErrorMessage}
	fields, err := wire.Fields(a.Error.In(a.Body))
	if err != nil {
		return nil, &Error{Kind: Garbage, Status: rep.Status, Detail: "tools/call: the JSON-RPC error is not an object"}
	}
	for _, f := range fields {
		if f.Key == "data" {
			answer.ErrorData = f.Value
		}
	}
	return answer, nil
}

// cancelCall tells a legacy server that nobody waits any more; in the modern
// era closing the answer is the cancellation (spec 2026-07-28
// patterns/cancellation).
func (r *route) cancelCall(ctx context.Context, p hop, id []byte, err error) {
	given := ctx.Err() != nil
	if e, ok := err.(*Error); ok && e.Kind == TooLarge {
		given = true
	}
	if p.era != wire.Legacy || !given {
		return
	}
	ctx, cancel := parting(ctx)
	defer cancel()
	p.method = "notifications/cancelled"
	params := append(append([]byte(`{"requestId":`), id...), `,"reason":"the caller left"}`...)
	_, _ = r.notify(ctx, p, notification(p.method, params))
}

// questions answers requests of the server's during a call, so that neither
// side waits for the other.
type questions struct {
	r     *route
	p     hop
	asked string // what was asked, in our words; "" nothing
}

func (q *questions) answer(ctx context.Context, a *wire.Answer) {
	body := wire.ErrorBody(a.ID, wire.CodeMethodNotFound, "not available to a call in a batch", nil)
	switch a.Method {
	case "ping":
		body = append(append([]byte(`{"jsonrpc":"2.0","id":`), a.ID...), `,"result":{}}`...)
	case "elicitation/create":
		q.asked = "input (elicitation)"
	case "sampling/createMessage":
		q.asked = "a model's answer (sampling)"
	case "roots/list":
		q.asked = "its roots"
	default:
		q.asked = "something"
	}
	if q.p.era != wire.Legacy {
		return // the modern era has no way to answer, and no such requests
	}
	ctx, cancel := context.WithTimeout(ctx, partingTimeout)
	defer cancel()
	p := q.p
	p.method = ""
	resp, err := q.r.send(ctx, http.MethodPost, q.r.headers(p), body)
	if err == nil {
		Drain(resp)
	}
}
