package sidecar

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mcp-toolsearch/sidecar/argcheck"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/wire"
)

// toolsCall decides a tools/call: one of the five, or a direct call of an inner tool.
func (e *Engine) toolsCall(ctx context.Context, t *turn) Decision {
	if fault := e.checkEra(t); fault != nil {
		return e.fault(t, fault)
	}
	if !t.msg.HasName {
		return e.fault(t, &wire.Fault{Code: wire.CodeInvalidParams, Status: http.StatusBadRequest, Reason: "missing_tool_name",
			Message: "params.name is missing: tools/call needs the name of a tool as a string"})
	}
	if !isMetaTool(t.msg.Name) {
		return e.direct(ctx, t)
	}
	t.labels.MetaTool = t.msg.Name
	args, fromText, refusal := metaArguments(t.msg)
	if refusal != nil {
		return e.refuse(t, *refusal)
	}
	d := e.metaCall(ctx, t, args)
	if fromText && t.labels.Outcome == "ok" {
		e.receipt(&d, 1)
	}
	return d
}

func (e *Engine) metaCall(ctx context.Context, t *turn, args arguments) Decision {
	switch t.msg.Name {
	case SearchTools:
		return e.search(ctx, t, args)
	case DescribeTools:
		return e.describe(ctx, t, args)
	case CallReadTools:
		return e.batch(ctx, t, args)
	}
	return e.call(ctx, t, args)
}

// receipt makes it visible that JSON text was decoded in so many places.
func (e *Engine) receipt(d *Decision, places int) {
	if places == 0 {
		return
	}
	e.o.Observer.Repaired(places)
	d.edit.repaired += places
	if d.Kind == Answer {
		d.Header.Set(RepairedHeader, fmt.Sprint(d.edit.repaired))
	}
}

// checked is an inner call that may run: a tool of the caller's own catalog, the arguments that fit its schema.
type checked struct {
	tool      *catalog.Tool
	arguments []byte
	repaired  []string
	headers   http.Header // Mcp-Param-*
}

// check judges an inner call, as a step of its own in traces.
func (e *Engine) check(ctx context.Context, t *turn, c innerCall, readOnly bool) (checked, *Refusal, error) {
	span := t.step(StepCheck)
	ok, refusal, err := e.judge(ctx, t.under(span), c, readOnly)
	span.End(checkFacts(ok, refusal, err))
	return ok, refusal, err
}

// judge holds every rule between "this was asked for" and "this is sent". readOnly is set for the read doors.
func (e *Engine) judge(ctx context.Context, t *turn, c innerCall, readOnly bool) (checked, *Refusal, error) {
	f, err := e.find(ctx, t, c.name)
	if err != nil {
		return checked{}, nil, err
	}
	if f.tool == nil {
		r := unknownTool(f.catalog, c.name, f.note)
		if isMetaTool(c.name) {
			r = selfCall(c.name)
		}
		return checked{}, &r, nil
	}
	if readOnly && f.tool.Access != catalog.Read {
		r := wrongDoor(f.tool)
		return checked{tool: f.tool}, &r, nil
	}
	ok, refusal := fit(f.tool, c)
	if refusal == nil {
		e.follow(t, f.tool.Name)
	}
	return ok, refusal, nil
}

// found is where a name was looked up: tool is nil when it isn't there, note says why it may be there all the same.
type found struct {
	catalog *catalog.Catalog
	tool    *catalog.Tool
	note    string
}

// find looks name up in the caller's catalog. A name that isn't there is looked for once more in a fresh listing, but
// not when the catalog was listed for this very request, nor for our own names, which are a model's mistake.
func (e *Engine) find(ctx context.Context, t *turn, name string) (found, error) {
	cat, err := e.o.Catalogs.Get(ctx, t.view().request())
	if err != nil {
		return found{}, err
	}
	now := time.Now()
	tool := cat.Lookup(name)
	e.used(t, cat)
	if tool != nil || isMetaTool(name) || cat.Age(now) < now.Sub(t.start) {
		return found{catalog: cat, tool: tool}, nil
	}
	cat, _, note, err := e.relist(ctx, t)
	if err != nil {
		return found{}, err
	}
	return found{catalog: cat, tool: cat.Lookup(name), note: note}, nil
}

// relist lists again, as often as the store allows. When that fails and there is an older catalog, that one stands,
// with a note for the model.
func (e *Engine) relist(ctx context.Context, t *turn) (cat *catalog.Catalog, listed bool, note string, err error) {
	cat, listed, err = e.o.Catalogs.Relist(ctx, t.view().request())
	switch {
	case err == nil:
		return cat, listed, "", nil
	case cat == nil || ctx.Err() != nil:
		return nil, false, "", err
	}
	minutes := int(cat.Age(time.Now()).Minutes())
	return cat, true, fmt.Sprintf("\nThis list is %d minutes old and could not be listed again: %s.", minutes, failure(err)), nil
}

// maxHeaderBytes bounds what a call sends in Mcp-Name and Mcp-Param-*: gateways and servers take 8 KiB of headers at
// the least, and others come beside these.
const maxHeaderBytes = 6000

// deepestArguments is the nesting that is left for arguments inside a message of the default depth: the message, params.
const deepestArguments = 198

// fit repairs and checks the arguments. A schema that can't be compiled, or takes too long to apply, blocks nothing: the
// upstream checks as well.
func fit(tool *catalog.Tool, c innerCall) (checked, *Refusal) {
	out := checked{tool: tool}
	schema, err := tool.Schema()
	if err != nil {
		schema, _ = argcheck.Compile(nil)
	}
	out.arguments, out.repaired = schema.Repair(c.arguments)
	if c.fromText && wire.IsObject(out.arguments) {
		out.repaired = withoutWhole(out.repaired)
	}
	if r := misread(tool, c, out.arguments); r != nil {
		return out, r
	}
	problems, done := schema.Check(out.arguments)
	if !done {
		tool.Unchecked()
	}
	if len(problems) > 0 {
		r := badArguments(tool, out.arguments, problems)
		return out, &r
	}
	if fault := wire.CheckValue(out.arguments, wire.Limits{Depth: deepestArguments}); fault != nil {
		return out, unreadable(fault) // it was text, which the scan of the request doesn't look into
	}
	out.headers = http.Header{}
	size := len(wire.EncodeValue(tool.Name))
	for _, p := range tool.ParamHeaders {
		if v, ok := p.Value(out.arguments); ok {
			out.headers.Set(paramPrefix+p.Name, v)
			size += len(p.Name) + len(v)
		}
	}
	if size > maxHeaderBytes {
		r := headerUnsafe(tool)
		return out, &r
	}
	return out, nil
}

// withoutWhole drops the receipt for decoding arguments_json: text is what that key is for.
func withoutWhole(paths []string) []string {
	kept := paths[:0]
	for _, p := range paths {
		if p != argcheck.Whole {
			kept = append(kept, p)
		}
	}
	return kept
}

// call decides call_read_tool and call_write_tool: the real tools/call, re-issued on the aggregate route.
func (e *Engine) call(ctx context.Context, t *turn, args arguments) Decision {
	inner, refusal := innerCallOf(args)
	if refusal != nil {
		return e.refuse(t, *refusal)
	}
	ok, refusal, err := e.check(ctx, t, inner, t.msg.Name != CallWriteTool)
	if ok.tool != nil {
		t.labels.Tool = ok.tool.Name
	}
	if err != nil {
		return e.catalogFailed(t, err)
	}
	if refusal != nil {
		return e.refuse(t, *refusal)
	}
	if fault := contradiction(t, ok); fault != nil {
		return e.fault(t, fault)
	}
	return e.forward(t, ok)
}

func (e *Engine) forward(t *turn, c checked) Decision {
	d := e.onward(t, Forward)
	d.NewBody = t.msg.Rewrite(c.tool.Name, c.arguments)
	d.SetHeader.Set("Content-Type", "application/json") // the body was read as that, so it is sent as that
	d.SetHeader.Set("Mcp-Method", "tools/call")
	d.SetHeader.Set("Mcp-Name", wire.EncodeValue(c.tool.Name))
	if judged := judged(c.tool, t.msg.Name != CallWriteTool); judged != "" {
		d.SetHeader.Set(wire.JudgedHeader, judged)
	}
	for name, values := range c.headers {
		d.SetHeader[name] = values
	}
	d.RemoveHeader = without(append(removable(t.req.Header), "Accept-Encoding"), d.SetHeader)
	d.edit.tool, d.edit.schema = c.tool.Name, c.tool.InputSchema
	e.receipt(&d, len(c.repaired))
	t.labels.Outcome = "ok"
	return d
}

// judged says of a call what it was let through as, to a merge of ours: it
// refuses what has changed since.
func judged(tool *catalog.Tool, readDoor bool) string {
	switch {
	case tool.Server == "":
		return "" // not from a merge of ours
	case !readDoor:
		return wire.Judged(wire.AsWrite, tool.Server)
	case !tool.Annotated:
		return wire.Judged(wire.AsLifted, tool.Server)
	}
	return wire.Judged(wire.AsRead, tool.Server)
}

// without drops the names that are set anyway: a door that removes after it sets would lose them.
func without(names []string, set http.Header) []string {
	var kept []string
	for _, n := range names {
		if _, ok := set[http.CanonicalHeaderKey(n)]; !ok {
			kept = append(kept, n)
		}
	}
	return kept
}

// direct decides a tools/call that names an inner tool itself. In the caller's catalog: the door to use, or the call
// as it is with RelayDirect. Anything else doesn't exist here (-32602), visible to others or not.
func (e *Engine) direct(ctx context.Context, t *turn) Decision {
	f, err := e.find(ctx, t, t.msg.Name)
	if err != nil {
		return e.catalogFailed(t, err)
	}
	if f.tool == nil {
		return e.fault(t, &wire.Fault{Code: wire.CodeInvalidParams, Status: http.StatusBadRequest, Reason: "unknown_tool",
			Message: "unknown tool: this server lists " + strings.Join(MetaToolNames(), ", ") + "; find others with " + SearchTools})
	}
	t.labels.Tool = f.tool.Name
	if e.o.RelayDirect {
		return e.pass(t)
	}
	text := fmt.Sprintf("%s is run through %s: {\"name\":%s,\"arguments\":{...}}. Nothing was run.", shown(f.tool.Name), doorOf(f.tool.Access), quote(f.tool.Name))
	return e.refuse(t, Refusal{DirectCall, text})
}
