package sidecar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// item is one result of call_read_tools: a state in words, and content blocks as the upstream sent them.
type item struct {
	name    string
	state   string   // "ok", "error: …", "refused: …"
	outcome string   // label
	blocks  [][]byte // raw content blocks
	failed  bool
	auth    *upstream.AuthError
}

// batch runs several read-only tools side by side. Every item is checked like a single call; an item's failure is its
// own. Writes are refused item by item: they are never batched.
func (e *Engine) batch(ctx context.Context, t *turn, args arguments) Decision {
	calls, refusal := e.callsOf(args)
	if refusal != nil {
		return e.refuse(t, *refusal)
	}
	if _, err := e.o.Catalogs.Get(ctx, t.view().request()); err != nil {
		return e.catalogFailed(t, err)
	}
	ctx, end := e.running.add(ctx, t)
	defer end()
	items := make([]item, len(calls))
	var g errgroup.Group
	g.SetLimit(e.o.Parallel)
	for i, raw := range calls {
		g.Go(func() error {
			items[i] = e.runItem(ctx, t, raw)
			e.o.Observer.BatchItem(items[i].outcome)
			return nil
		})
	}
	_ = g.Wait() // items carry their own errors
	if auth := allUnauthorized(items); auth != nil {
		e.o.Catalogs.Forget(t.view().request())
		return e.challenge(t, auth)
	}
	return e.answer(t, e.batchResult(items))
}

// callsOf reads calls: an array of objects, or the array as JSON text.
func (e *Engine) callsOf(args arguments) ([][]byte, *Refusal) {
	calls := elementsOf(args["calls"])
	switch {
	case len(calls) == 0:
		return nil, &Refusal{BadCall, fmt.Sprintf("calls is missing: give 1 to %d calls, like {\"calls\":[%s]}.", e.o.Batch, callShape)}
	case len(calls) > e.o.Batch:
		return nil, &Refusal{BadCall, fmt.Sprintf("calls has %d entries: at most %d run at a time. Nothing was run.", len(calls), e.o.Batch)}
	}
	return calls, nil
}

// elementsOf reads a JSON array, also one sent as JSON text; a single value counts as an array of one.
func elementsOf(raw []byte) [][]byte {
	if text, ok := wire.String(raw); ok && wire.IsArray([]byte(text)) {
		raw = []byte(text)
	}
	if raw == nil || wire.IsNull(raw) {
		return nil
	}
	if !wire.IsArray(raw) {
		return [][]byte{raw}
	}
	elements, err := wire.Elements(raw)
	if err != nil {
		return nil
	}
	return elements
}

func (e *Engine) runItem(ctx context.Context, t *turn, raw []byte) item {
	args, err := objectOf(raw)
	if err != nil {
		return refusedItem("", Refusal{BadCall, "each call must be an object like " + callShape})
	}
	inner, refusal := innerCallOf(args)
	if refusal != nil {
		return refusedItem(inner.name, *refusal)
	}
	ok, refusal, err := e.check(ctx, t.view(), inner, true)
	switch {
	case err != nil:
		return refusedItem(inner.name, catalogRefusal(err))
	case refusal != nil:
		return refusedItem(inner.name, *refusal)
	}
	answer, err := e.o.Upstreams.Call(ctx, t.target, t.who, e.callOf(t, ok))
	out := itemOf(ok, answer, err)
	if len(ok.repaired) > 0 {
		e.o.Observer.Repaired(len(ok.repaired))
		out.state += fmt.Sprintf(" (decoded from JSON text: %s)", strings.Join(ok.repaired, ", "))
	}
	return out
}

// callOf builds a request of our own for one item: the caller's era and session, its _meta without what only the
// caller itself could answer.
func (e *Engine) callOf(t *turn, c checked) upstream.Call {
	return upstream.Call{Era: t.era, Version: t.version, Session: t.req.Header.Get("Mcp-Session-Id"),
		Name: c.tool.Name, Arguments: c.arguments, Meta: batchMeta(t), ParamHeaders: c.headers}
}

// batchMeta is the caller's _meta without progressToken (the token belongs to the outer request) and, in the modern
// era, without the client capabilities that let an upstream ask back: it must then say what it needs as an error
// (spec 2026-07-28 basic/index, -32021) instead of waiting for an answer nobody can give.
func batchMeta(t *turn) []byte {
	if t.era != wire.Modern {
		return nil
	}
	fields, err := wire.Fields(t.msg.Meta.In(t.msg.Body))
	if err != nil {
		return nil
	}
	return object(fields, func(f wire.Field) []byte {
		switch f.Key {
		case "progressToken":
			return nil
		case "io.modelcontextprotocol/clientCapabilities":
			return quietCapabilities(f.Value)
		}
		return f.Value
	})
}

func quietCapabilities(raw []byte) []byte {
	fields, err := wire.Fields(raw)
	if err != nil {
		return []byte("{}")
	}
	return object(fields, func(f wire.Field) []byte {
		switch f.Key {
		case "elicitation", "sampling", "roots", "tasks":
			return nil
		case "extensions":
			inner, err := wire.Fields(f.Value)
			if err != nil {
				return nil
			}
			return object(inner, func(f wire.Field) []byte {
				if f.Key == "io.modelcontextprotocol/tasks" {
					return nil
				}
				return f.Value
			})
		}
		return f.Value
	})
}

// object writes the members for which value returns something.
func object(fields []wire.Field, value func(wire.Field) []byte) []byte {
	out := []byte{'{'}
	for _, f := range fields {
		v := value(f)
		if v == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, wire.Quote(f.Key)...), ':'), v...)
	}
	return append(out, '}')
}

func refusedItem(name string, r Refusal) item {
	return item{name: name, state: "refused: " + r.Text, outcome: string(r.Reason), failed: true}
}

func itemOf(c checked, a *upstream.CallAnswer, err error) item {
	out := item{name: c.tool.Name, outcome: "error", failed: true}
	switch {
	case errors.As(err, &out.auth):
		out.state = "error: " + authText(out.auth.Status)
		return out
	case err != nil:
		out.state = "error: " + err.Error()
		return out
	case a.Result == nil:
		out.state = fmt.Sprintf("error %d: %s", a.ErrorCode, clip(a.ErrorMessage, 2000))
		return out
	}
	return resultItem(out, a.Result)
}

// resultItem keeps the content blocks of a result as they are, of whatever type.
func resultItem(out item, result []byte) item {
	fields, err := wire.Fields(result)
	if err != nil {
		out.state = "error: the upstream's result is not an object"
		return out
	}
	members := make(arguments, len(fields))
	for _, f := range fields {
		members[f.Key] = f.Value
	}
	if kind, ok := wire.String(members["resultType"]); ok && kind != "complete" {
		out.state = "error: the tool asks back before it answers (" + clip(kind, 32) + "): run it alone with " + CallReadTool
		return out
	}
	if wire.IsArray(members["content"]) {
		out.blocks, _ = wire.Elements(members["content"])
	}
	if len(out.blocks) == 0 && members["structuredContent"] != nil {
		out.blocks = [][]byte{textBlock(string(members["structuredContent"]))}
	}
	out.state, out.outcome, out.failed = "ok", "ok", false
	if string(members["isError"]) == "true" {
		out.state, out.outcome, out.failed = "error:", "error", true
	}
	return out
}

func textBlock(text string) []byte {
	return append(append([]byte(`{"type":"text","text":`), wire.Quote(text)...), '}')
}

// batchResult writes the items in order, each labelled with its number and name, its blocks untouched.
func (e *Engine) batchResult(items []item) []byte {
	var b bytes.Buffer
	b.WriteString(`{"content":[`)
	allFailed := true
	for i, it := range items {
		allFailed = allFailed && it.failed
		if i > 0 {
			b.WriteByte(',')
		}
		if size(it.blocks)+b.Len() > e.o.BatchBytes {
			it.blocks, it.state = nil, "error: the results got too large together: run it alone with "+CallReadTool
		}
		b.Write(textBlock(fmt.Sprintf("[%d] %s: %s", i+1, clip(it.name, 128), it.state)))
		for _, block := range it.blocks {
			b.WriteByte(',')
			b.Write(block)
		}
	}
	fmt.Fprintf(&b, `],"isError":%t}`, allFailed)
	return b.Bytes()
}

func size(blocks [][]byte) int {
	n := 0
	for _, b := range blocks {
		n += len(b)
	}
	return n
}

// allUnauthorized returns the challenge when nothing ran because the token was refused: the client can then log in
// and send the whole batch again. One refused item among others is reported in its place.
func allUnauthorized(items []item) *upstream.AuthError {
	for _, it := range items {
		if it.auth == nil {
			return nil
		}
	}
	return items[0].auth
}
