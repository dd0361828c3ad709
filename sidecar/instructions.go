package sidecar

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf16"

	"mcp-toolsearch/sidecar/wire"
)

// Guidance is our part of the instructions. Some clients keep only the beginning of what a server says, so it comes
// first and is complete in itself within [guidanceUnits] UTF-16 units.
const Guidance = `This server has many tools behind five:
1. search_tools finds tools for a task, described in any language. Search before you say that something can't be done.
2. The hits name the tool, its required arguments and the tool that runs it; describe_tools gives whole schemas.
3. call_read_tool runs a read-only tool, call_read_tools several at once, call_write_tool one that may change something.
Use exact names from the hits, and fit the arguments to the input schema. A refusal says what to change.`

const (
	guidanceUnits  = 900
	directoryUnits = 400
)

// merge relays initialize or server/discover and marks the answer for our instructions. Its answer is edited, so it
// must come uncompressed.
func (e *Engine) merge(t *turn) Decision {
	d := e.onward(t, Merge)
	d.RemoveHeader = append(d.RemoveHeader, "Accept-Encoding")
	d.edit.merge, d.edit.discover = true, t.msg.Method == "server/discover"
	t.labels.Outcome = "relayed"
	return d
}

// mergeResult puts our guidance, the sources directory and the upstream's own instructions into a result, and makes
// sure that the client sees the tools capability. Everything else keeps its bytes.
func (e *Engine) mergeResult(ctx context.Context, ed edit, result []byte) ([]byte, bool) {
	fields, err := wire.Fields(result)
	if err != nil {
		return nil, false
	}
	members := make(arguments, len(fields))
	for _, f := range fields {
		members[f.Key] = f.Value
	}
	own, _ := wire.String(members["instructions"])
	result, err = wire.SetField(result, "instructions", wire.Quote(e.instructions(ctx, ed.view, own)))
	if err != nil {
		return nil, false
	}
	if caps := members["capabilities"]; wire.IsObject(caps) && !hasKey(caps, "tools") {
		if caps, err = wire.SetField(caps, "tools", []byte("{}")); err == nil {
			result, err = wire.SetField(result, "capabilities", caps)
		}
	}
	if err == nil && ed.discover {
		result, err = wire.SetField(result, "cacheScope", []byte(`"private"`))
	}
	return result, err == nil
}

func hasKey(object []byte, key string) bool {
	fields, _ := wire.Fields(object)
	for _, f := range fields {
		if f.Key == key {
			return true
		}
	}
	return false
}

func (e *Engine) instructions(ctx context.Context, v view, own string) string {
	parts := []string{Guidance}
	if dir := e.directory(ctx, v); dir != "" {
		parts = append(parts, dir)
	}
	if own = strings.TrimSpace(own); own != "" && e.o.MaxInstructions > 0 {
		cut := clip(own, e.o.MaxInstructions)
		if cut != own {
			cut += fmt.Sprintf("\n(The server's own instructions are cut here, at %d characters.)", e.o.MaxInstructions)
		}
		parts = append(parts, cut)
	}
	return strings.Join(parts, "\n\n")
}

// directory names the sources with their numbers of tools in one line of bounded length, or nothing when the catalog
// isn't there in time: an initialize must not wait for a slow listing.
func (e *Engine) directory(ctx context.Context, v view) string {
	ctx, cancel := context.WithTimeout(ctx, e.o.DirectoryWait)
	defer cancel()
	cat, err := e.o.Catalogs.Get(ctx, v.request())
	if err != nil {
		return ""
	}
	sources := cat.Sources()
	if len(sources) == 0 {
		return ""
	}
	line := fmt.Sprintf("%d tools from: ", len(cat.Tools()))
	for i, s := range sources {
		entry := fmt.Sprintf("%s (%d)", s.Name, s.Tools)
		if i > 0 {
			entry = ", " + entry
		}
		if units(line)+units(entry) > directoryUnits-4 {
			return line + ", …"
		}
		line += entry
	}
	return line + "."
}

// units counts UTF-16 code units, which is how clients that cut instructions count.
func units(s string) int { return len(utf16.Encode([]rune(s))) }

// EditsBody says whether an answer with these headers may need an edit, so that a door knows before the body comes.
func (e *Engine) EditsBody(d *Decision, status int, h http.Header) bool {
	if h.Get("Content-Encoding") != "" {
		return false
	}
	if d.edit.merge {
		return status == http.StatusOK
	}
	return d.edit.tool != "" && (status == http.StatusOK || status == http.StatusBadRequest)
}

// EditAnswer edits one JSON-RPC message of an upstream's answer. It returns false when the message stays as it is.
func (e *Engine) EditAnswer(ctx context.Context, d *Decision, message []byte) ([]byte, bool) {
	a, err := wire.ScanAnswer(message)
	if err != nil || a.Method != "" {
		return nil, false
	}
	var edited []byte
	at, ok := a.Result, false
	switch {
	case d.edit.merge && !a.Result.Absent():
		edited, ok = e.mergeResult(ctx, d.edit, a.Result.In(message))
	case d.edit.tool != "" && !a.Error.Absent() && a.ErrorCode == wire.CodeInvalidParams:
		at = a.Error
		edited, ok = teach(d.edit, a.Error.In(message), a.ErrorMessage)
	}
	if !ok {
		return nil, false
	}
	out := append([]byte(nil), message[:at.Start]...)
	out = append(append(out, edited...), message[at.End:]...)
	return out, len(out) <= e.o.EditBytes
}

// IsAnswer says whether message is the answer to the decided request, and not something the upstream sends before it.
func (e *Engine) IsAnswer(message []byte) bool {
	a, err := wire.ScanAnswer(message)
	return err == nil && a.Method == ""
}

// teach adds the tool's schema to an upstream's own invalid-params error: in data, and in message too, because
// clients drop data.
func teach(ed edit, errorObject []byte, message string) ([]byte, bool) {
	schema := wire.Compact(ed.schema)
	text := fmt.Sprintf("%s\nInput schema of %s: %s", message, ed.tool, schema)
	out, err := wire.SetField(errorObject, "message", wire.Quote(text))
	if err != nil {
		return nil, false
	}
	if hasKey(errorObject, "data") {
		return out, true
	}
	out, err = wire.SetField(out, "data", []byte(`{"inputSchema":`+string(schema)+`}`))
	return out, err == nil
}
