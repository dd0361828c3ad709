package sidecar

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"mcp-toolsearch/sidecar/argcheck"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/wire"
)

// toolsCall decides a tools/call: one of the five, or a direct call of an inner tool.
func (e *Engine) toolsCall(ctx context.Context, t *turn) Decision {
	if fault := e.checkModern(t); fault != nil {
		return e.fault(t, fault)
	}
	if !t.msg.HasName {
		return e.fault(t, &wire.Fault{Code: wire.CodeInvalidParams, Status: 400, Reason: "missing_tool_name",
			Message: "params.name is missing: tools/call needs the name of a tool as a string"})
	}
	if !isMetaTool(t.msg.Name) {
		return e.direct(ctx, t)
	}
	t.labels.MetaTool = t.msg.Name
	args, refusal := metaArguments(t.msg)
	if refusal != nil {
		return e.refuse(t, *refusal)
	}
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

// arguments are a meta-tool's own arguments: raw JSON values by key.
type arguments map[string][]byte

func (a arguments) has(key string) bool { return a[key] != nil && !wire.IsNull(a[key]) }

// metaArguments reads a meta-tool's own arguments; an object sent as JSON text is decoded once.
func metaArguments(m *wire.Message) (arguments, *Refusal) {
	raw := m.Arguments.In(m.Body)
	if raw == nil || wire.IsNull(raw) {
		return arguments{}, nil
	}
	args, err := objectOf(raw)
	if err != nil {
		return nil, &Refusal{BadCall, fmt.Sprintf("The arguments of %s must be an object: see its input schema.", m.Name)}
	}
	return args, nil
}

// objectOf reads an object, also one sent as JSON text.
func objectOf(raw []byte) (arguments, error) {
	if text, ok := wire.String(raw); ok {
		raw = []byte(text)
	}
	fields, err := wire.Fields(raw)
	if err != nil {
		return nil, err
	}
	args := make(arguments, len(fields))
	for _, f := range fields {
		args[f.Key] = f.Value
	}
	return args, nil
}

// innerCall is one call of an inner tool, as asked for.
type innerCall struct {
	name      string
	arguments []byte // raw; nil when absent
	fromText  bool   // arguments came as arguments_json
}

const callShape = `{"name":"exact_tool_name","arguments":{...}}`

// innerCallOf reads name and arguments from a call tool's own arguments. Other keys beside them are ignored.
func innerCallOf(args arguments) (innerCall, *Refusal) {
	name, ok := wire.String(args["name"])
	if !ok || name == "" {
		return innerCall{}, missingName(args)
	}
	c := innerCall{name: name, arguments: args["arguments"]}
	if !args.has("arguments_json") {
		return c, nil
	}
	text, ok := wire.String(args["arguments_json"])
	if !ok {
		return c, &Refusal{BadCall, "arguments_json must be a string that holds the arguments as a JSON object."}
	}
	if args.has("arguments") && !emptyObject(args["arguments"]) {
		return c, &Refusal{BadCall, "Send arguments or arguments_json, not both. Nothing was run."}
	}
	c.arguments, c.fromText = wire.Quote(text), true
	return c, nil
}

func emptyObject(raw []byte) bool {
	fields, err := wire.Fields(raw)
	return err == nil && len(fields) == 0
}

// missingName recognises a name sent one level too deep or under another key and shows the right shape. It never runs
// what it recognised: a call on a guessed target could write.
func missingName(args arguments) *Refusal {
	text := "name is missing: give the exact name of a tool and its arguments, like " + callShape + "."
	if inner, err := objectOf(args["arguments"]); err == nil {
		if name, ok := wire.String(inner["name"]); ok {
			text = fmt.Sprintf("name must stand beside arguments, not inside it: {\"name\":%s,\"arguments\":{...}}. Nothing was run.", quote(clip(name, 128)))
		}
	}
	for _, key := range [...]string{"tool", "tool_name", "toolName", "Name"} {
		if name, ok := wire.String(args[key]); ok {
			text = fmt.Sprintf("The tool's name goes into \"name\", not %q: {\"name\":%s,\"arguments\":{...}}. Nothing was run.", key, quote(clip(name, 128)))
		}
	}
	return &Refusal{MissingName, text}
}

// checked is an inner call that may run: a tool of the caller's own catalog, the arguments that fit its schema.
type checked struct {
	tool      *catalog.Tool
	arguments []byte
	repaired  []string
	headers   http.Header // Mcp-Param-*
}

// check holds every rule between "this was asked for" and "this is sent". readOnly is set for the read doors.
func (e *Engine) check(ctx context.Context, v view, c innerCall, readOnly bool) (checked, *Refusal, error) {
	cat, tool, err := e.find(ctx, v, c.name)
	if err != nil {
		return checked{}, nil, err
	}
	if tool == nil {
		r := unknownTool(cat, c.name)
		if isMetaTool(c.name) {
			r = selfCall(c.name)
		}
		return checked{}, &r, nil
	}
	if readOnly && tool.Access != catalog.Read {
		r := wrongDoor(tool)
		return checked{tool: tool}, &r, nil
	}
	ok, refusal := fit(tool, c)
	return ok, refusal, nil
}

// find looks name up in the caller's catalog; a name that isn't there is looked for once more in a fresh listing.
func (e *Engine) find(ctx context.Context, v view, name string) (*catalog.Catalog, *catalog.Tool, error) {
	cat, err := e.o.Catalogs.Get(ctx, v.request())
	if err != nil {
		return nil, nil, err
	}
	if tool := cat.Lookup(name); tool != nil {
		return cat, tool, nil
	}
	cat, _, err = e.o.Catalogs.Relist(ctx, v.request())
	if err != nil {
		return nil, nil, err
	}
	return cat, cat.Lookup(name), nil
}

// fit repairs and checks the arguments. A schema that can't be compiled blocks nothing: the upstream checks as well.
func fit(tool *catalog.Tool, c innerCall) (checked, *Refusal) {
	out := checked{tool: tool, arguments: c.arguments}
	schema, err := tool.Schema()
	if err != nil {
		schema, _ = argcheck.Compile(nil)
	}
	out.arguments, out.repaired = schema.Repair(c.arguments)
	if c.fromText && wire.IsObject(out.arguments) {
		out.repaired = withoutWhole(out.repaired)
	}
	if problems := schema.Check(out.arguments); len(problems) > 0 {
		r := badArguments(tool, problems)
		return out, &r
	}
	out.headers = http.Header{}
	for _, p := range tool.ParamHeaders {
		if v, ok := p.Value(out.arguments); ok {
			out.headers.Set("Mcp-Param-"+p.Name, v)
		}
	}
	return out, nil
}

// wholeArguments is the path under which argcheck reports that the arguments as a whole were decoded.
const wholeArguments = "(arguments)"

// withoutWhole drops the receipt for decoding arguments_json: text is what that key is for.
func withoutWhole(paths []string) []string {
	kept := paths[:0]
	for _, p := range paths {
		if p != wholeArguments {
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
	ok, refusal, err := e.check(ctx, t.view(), inner, t.msg.Name == CallReadTool)
	if ok.tool != nil {
		t.labels.Tool = ok.tool.Name
	}
	if err != nil {
		return e.catalogFailed(t, err)
	}
	if refusal != nil {
		return e.refuse(t, *refusal)
	}
	return e.forward(t, ok)
}

func (e *Engine) forward(t *turn, c checked) Decision {
	d := e.onward(t, Forward)
	d.NewBody = t.msg.Rewrite(c.tool.Name, c.arguments)
	d.RemoveHeader = append(removable(t.req.Header, false), "Accept-Encoding")
	d.SetHeader.Set("Mcp-Method", "tools/call")
	d.SetHeader.Set("Mcp-Name", wire.EncodeValue(c.tool.Name))
	for name, values := range c.headers {
		d.SetHeader[name] = values
	}
	d.RemoveHeader = without(d.RemoveHeader, c.headers)
	d.edit.tool, d.edit.schema = c.tool.Name, c.tool.InputSchema
	if d.edit.repaired = len(c.repaired); d.edit.repaired > 0 {
		e.o.Observer.Repaired(d.edit.repaired)
	}
	t.labels.Outcome = "ok"
	return d
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
	_, tool, err := e.find(ctx, t.view(), t.msg.Name)
	if err != nil {
		return e.catalogFailed(t, err)
	}
	if tool == nil {
		return e.fault(t, &wire.Fault{Code: wire.CodeInvalidParams, Status: http.StatusBadRequest, Reason: "unknown_tool",
			Message: "unknown tool: this server lists " + strings.Join(MetaToolNames(), ", ") + "; find others with " + SearchTools})
	}
	t.labels.Tool = tool.Name
	if e.o.RelayDirect {
		return e.pass(t)
	}
	text := fmt.Sprintf("%s is run through %s: {\"name\":%s,\"arguments\":{...}}. Nothing was run.", tool.Name, doorOf(tool.Access), quote(tool.Name))
	return e.refuse(t, Refusal{DirectCall, text})
}
