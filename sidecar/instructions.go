package sidecar

import (
	"context"
	"fmt"
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

// mergeResult puts our guidance, the sources directory and at most limit characters of the upstream's own instructions
// into a result, and makes sure that the client sees the tools capability. Everything else keeps its bytes.
func mergeResult(ed edit, result []byte, directory string, limit int) ([]byte, bool) {
	fields, err := wire.Fields(result)
	if err != nil {
		return nil, false
	}
	members := make(arguments, len(fields))
	for _, f := range fields {
		members[f.Key] = f.Value
	}
	own, _ := wire.String(members["instructions"])
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
		entry := fmt.Sprintf("%s (%d)", shown(clip(s.Name, 64)), s.Tools)
		if i > 0 {
			entry = ", " + entry
		}
		if units(line)+units(entry) > directoryUnits-4 {
			if i == 0 {
				return ""
			}
			return line + ", …"
		}
		line += entry
	}
	return line + "."
}

// units counts UTF-16 code units, which is how clients that cut instructions count.
func units(s string) int { return len(utf16.Encode([]rune(s))) }
