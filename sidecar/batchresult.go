package sidecar

import (
	"bytes"
	"errors"
	"fmt"

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
		out.state = "error: " + failure(err)
		return out
	case a.Result == nil:
		out.state = errorText(a)
		if a.ErrorCode == wire.CodeInvalidParams {
			out.state += "\n" + schemaLine(c.tool)
		}
		return out
	}
	return resultItem(out, a.Result)
}

// resultItem keeps the content blocks of a result as they are, of whatever type.
func resultItem(out item, result []byte) item {
	fields, err := wire.Fields(result)
	if err != nil {
		out.state = "error: the upstream's result can't be taken apart (not an object, or a name in it twice): run it alone with " + CallReadTool
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
	out.blocks = blocksOf(members, result)
	out.state, out.outcome, out.failed = "ok", "ok", false
	if members.has("isError") && string(members["isError"]) != "false" { // of another type, it is no promise that all went well
		out.state, out.outcome, out.failed = "error:", "error", true
	}
	return out
}

// blocksOf are a result's content blocks; without any, its structured content; and when it has no content where it
// should be, the whole of it, because something was said.
func blocksOf(members arguments, result []byte) [][]byte {
	isArray := wire.IsArray(members["content"])
	if isArray {
		if blocks, err := wire.Elements(members["content"]); err == nil && len(blocks) > 0 {
			return blocks
		}
	}
	switch {
	case members.has("structuredContent"):
		return [][]byte{textBlock(string(members["structuredContent"]))}
	case isArray:
		return nil
	}
	return [][]byte{textBlock(string(result))}
}

// errorText words a JSON-RPC error. A code of 0 is one that isn't there or is no integer.
func errorText(a *upstream.CallAnswer) string {
	message := clip(a.ErrorMessage, 2000)
	if message == "" {
		message = "(no message)"
	}
	if a.ErrorCode == 0 {
		return "error: " + message
	}
	return fmt.Sprintf("error %d: %s", a.ErrorCode, message)
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
		name := "(no name)"
		if it.name != "" {
			name = shown(clip(it.name, 128))
		}
		b.Write(textBlock(fmt.Sprintf("[%d] %s: %s", i+1, name, it.state)))
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
