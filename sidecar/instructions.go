package sidecar

import (
	"fmt"
	"strings"

	"mcp-toolsearch/sidecar/wire"
)

// Guidance is our part of the instructions. Some clients keep only the beginning of what a server says, so it comes
// first and is complete in itself within 900 UTF-16 units.
const Guidance = `This server has many tools behind five:
1. search_tools finds tools for a task, described in any language. Search before you say that something can't be done.
2. The hits name the tool, its required arguments and the tool that runs it; describe_tools gives whole schemas.
3. call_read_tool runs a read-only tool, call_read_tools several at once, call_write_tool one that may change something.
Use exact names from the hits, and fit the arguments to the input schema. A refusal says what to change.`

// merge relays initialize or server/discover and marks the answer for our instructions. Its answer is edited, so it
// must come uncompressed.
func (e *Engine) merge(t *turn) Decision {
	d := e.onward(t, Merge)
	d.RemoveHeader = append(d.RemoveHeader, "Accept-Encoding")
	d.edit.merge, d.edit.discover = true, t.msg.Method == "server/discover"
	t.labels.Outcome = "relayed"
	return d
}

// ownInstructions are those of an upstream's result.
func ownInstructions(result []byte) string {
	fields, _ := wire.Fields(result) // one that can't be read has none, and is left as it is
	for _, f := range fields {
		if f.Key == "instructions" {
			own, _ := wire.String(f.Value)
			return own
		}
	}
	return ""
}

// mergeResult puts our guidance, the sources directory and at most limit characters of own, the upstream's own
// instructions, into a result, and makes sure that the client sees the tools capability. Everything else keeps its bytes.
func mergeResult(ed edit, result []byte, directory, own string, limit int) ([]byte, bool) {
	fields, err := wire.Fields(result)
	if err != nil {
		return nil, false
	}
	members := make(arguments, len(fields))
	for _, f := range fields {
		members[f.Key] = f.Value
	}
	result, err = wire.SetField(result, "instructions", wire.Quote(instructions(directory, own, limit)))
	if err != nil {
		return nil, false
	}
	if caps := members["capabilities"]; caps == nil || wire.IsObject(caps) && !hasKey(caps, "tools") {
		if caps == nil {
			caps = []byte("{}")
		}
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

func instructions(directory, own string, limit int) string {
	parts := []string{Guidance}
	if directory != "" {
		parts = append(parts, directory)
	}
	if own = strings.TrimSpace(own); own != "" && limit > 0 {
		cut := clip(own, limit)
		if cut != own {
			cut += fmt.Sprintf("\n(The server's own instructions are cut here, at %d characters.)", limit)
		}
		parts = append(parts, cut)
	}
	return strings.Join(parts, "\n\n")
}
