package sidecar

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"mcp-toolsearch/sidecar/wire"
)

// EditsBody says whether an answer with these headers may need an edit, so that a door knows before the body comes.
func (e *Engine) EditsBody(d *Decision, status int, h http.Header) bool {
	if encoded(h) {
		return false
	}
	if d.edit.merge {
		return status == http.StatusOK
	}
	return d.edit.tool != "" && (status == http.StatusOK || status == http.StatusBadRequest)
}

// EditAnswer edits one JSON-RPC message of an upstream's answer. It returns false when the message stays as it is. An
// edited message is at most EditBytes long: what doesn't fit is left out, the least needed first.
func (e *Engine) EditAnswer(ctx context.Context, d *Decision, message []byte) ([]byte, bool) {
	a, err := wire.ScanAnswer(message)
	if err != nil || a.Method != "" {
		return nil, false
	}
	switch {
	case d.edit.merge && !a.Result.Absent() && a.Error.Absent():
		return e.merged(ctx, d.edit, message, a.Result)
	case d.edit.tool != "" && !a.Error.Absent() && a.ErrorCode == wire.CodeInvalidParams:
		return e.taught(d.edit, message, a)
	}
	return nil, false
}

// merged shortens the upstream's own instructions, then drops the directory, until the message fits. An aggregate's own
// directory is said in ours, not twice.
func (e *Engine) merged(ctx context.Context, ed edit, message []byte, at wire.Span) ([]byte, bool) {
	own := ownInstructions(at.In(message))
	about, rest := sourcesIn(own)
	directory := e.directory(ctx, ed.view, about)
	if directory != "" {
		own = rest
	}
	for limit := e.o.MaxInstructions; ; limit /= 2 {
		result, ok := mergeResult(ed, at.In(message), directory, own, limit)
		if !ok {
			return nil, false
		}
		out := replaced(message, at, result)
		switch {
		case len(out) <= e.o.EditBytes:
			return out, true
		case limit == 0 && directory == "":
			e.o.Observer.NotEdited(tooLarge)
			return nil, false
		case limit == 0:
			directory = ""
		}
	}
}

// tooLarge is why an answer that should have been edited was not.
const tooLarge = "too_large"

// TooLarge counts an answer that goes to the client without our instructions. Of a call's answer nothing is known: most
// long ones need no edit.
func (e *Engine) TooLarge(d *Decision) {
	if d.edit.merge {
		e.o.Observer.NotEdited(tooLarge)
	}
}

// taught adds the schema to message and data, to message only, or says where it is found.
func (e *Engine) taught(ed edit, message []byte, a *wire.Answer) ([]byte, bool) {
	schema := string(wire.Compact(ed.schema))
	line := fmt.Sprintf("Input schema of %s: %s", shown(ed.tool), schema)
	pointer := "Its input schema: " + DescribeTools + "."
	for _, add := range []struct{ text, data string }{{line, `{"inputSchema":` + schema + `}`}, {line, ""}, {pointer, ""}} {
		edited, ok := teach(a.Error.In(message), a.ErrorMessage+"\n"+add.text, add.data)
		if !ok {
			return nil, false
		}
		if out := replaced(message, a.Error, edited); len(out) <= e.o.EditBytes {
			return out, true
		}
	}
	return nil, false
}

// teach sets an invalid-params error's message, and data when it has none: the schema goes into both because clients
// drop data.
func teach(errorObject []byte, text, data string) ([]byte, bool) {
	out, err := wire.SetField(errorObject, "message", wire.Quote(text))
	if err != nil || data == "" || hasKey(errorObject, "data") {
		return out, err == nil
	}
	out, err = wire.SetField(out, "data", []byte(data))
	return out, err == nil
}

func replaced(message []byte, at wire.Span, with []byte) []byte {
	out := make([]byte, 0, len(message)+len(with))
	out = append(append(out, message[:at.Start]...), with...)
	return append(out, message[at.End:]...)
}

// IsAnswer says whether message is the answer to the decided request, and not something the upstream sends before it.
func (e *Engine) IsAnswer(message []byte) bool {
	a, err := wire.ScanAnswer(message)
	return err == nil && a.Method == ""
}

// encoded says whether an answer has any Content-Encoding but identity.
func encoded(h http.Header) bool {
	for _, value := range h.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(value, ",") {
			if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
				return true
			}
		}
	}
	return false
}
