package member

import (
	"context"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

// askTimeout is how long a client may take to answer what a server asks: people
// think.
const askTimeout = 10 * time.Minute

// asked is one request to the client.
type asked struct {
	key    string // the server's name for it
	answer <-chan []byte
}

// ask sends the client what an input_required result asks for, as requests on
// the call's stream, and waits for the responses, which come by POSTs of their
// own. It says whether to send the call again.
func (c *modernCall) ask(ctx context.Context, result []byte) (again bool) {
	fields, err := wire.TopFields(member(result, "inputRequests"))
	if err != nil {
		fields = nil // a server may only want to be asked again
	}
	var all []asked
	for _, f := range fields {
		id := c.s.m.newID()
		answer, forget := c.s.s.await(string(id))
		defer forget()
		method, _ := wire.String(member(f.Value, "method"))
		if c.out.event(request(id, method, orEmpty(member(f.Value, "params")))) != nil {
			return false
		}
		all = append(all, asked{key: f.Key, answer: answer})
	}
	responses, ok := c.collect(ctx, all)
	if !ok {
		return false
	}
	return c.answered(responses, member(result, "requestState"))
}

// collect waits for all responses.
func (c *modernCall) collect(ctx context.Context, all []asked) (responses [][]byte, ok bool) {
	limit := askTimeout
	if len(all) == 0 {
		limit = min(100*time.Millisecond<<min(c.rounds, 6), 5*time.Second)
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	if len(all) == 0 {
		select {
		case <-timer.C:
			return nil, true
		case <-ctx.Done():
			c.refuse(callCancelled(c.msg.ID))
			return nil, false
		}
	}
	for _, one := range all {
		select {
		case raw := <-one.answer:
			a, err := wire.ScanAnswer(raw)
			if err != nil || a.Result.Absent() {
				c.refuse(questionRefused(c.msg.ID))
				return nil, false
			}
			responses = append(responses, append(append(wire.Quote(one.key), ':'), a.Result.In(a.Body)...))
		case <-timer.C:
			c.refuse(questionTimeout(c.msg.ID))
			return nil, false
		case <-ctx.Done():
			c.refuse(callCancelled(c.msg.ID))
			return nil, false
		}
	}
	return responses, true
}

// answered makes the params of the next request.
func (c *modernCall) answered(responses [][]byte, state []byte) (again bool) {
	params, err := wire.RemoveFields(c.params, "inputResponses", "requestState")
	if err == nil && len(responses) > 0 {
		params, err = wire.SetField(params, "inputResponses", object(responses...))
	}
	if err == nil && state != nil {
		params, err = wire.SetField(params, "requestState", state)
	}
	if err != nil {
		c.refuse(questionUnreadable(c.msg.ID))
		return false
	}
	c.params = params
	return true
}
