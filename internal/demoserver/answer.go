package demoserver

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// today is the day it always is on the made-up servers, so that answers don't
// change from run to run.
const today = "2026-11-30T09:00:00Z"

// answer does what the tool says, on the made-up data.
func (d *demo) answer(a action, arguments map[string]any) *mcp.CallToolResult {
	c := collection{a.server, a.noun}
	id := named(arguments)
	switch a.kind {
	case makeOne:
		return result(a, fmt.Sprintf("Done: made %s.", a.noun), d.records.add(c, arguments))
	case changeOne:
		return result(a, fmt.Sprintf("Done: changed %s.", a.noun), d.records.change(c, id, arguments))
	case removeOne:
		d.records.remove(c, id, arguments)
		return result(a, fmt.Sprintf("Done: removed %s.", a.noun), record{"id": id, "removed": true})
	case readMany:
		items := d.many(a, c, arguments)
		return result(a, "", record{"items": items, "count": len(items)})
	case readOne:
		return d.one(a, c, id, arguments)
	default:
		return result(a, "Done.", record{"ok": true, "request": arguments})
	}
}

// one answers a read of a single object: a made one, or a made-up one.
func (d *demo) one(a action, c collection, id string, arguments map[string]any) *mcp.CallToolResult {
	if made, ok := d.records.find(c, arguments); ok {
		return result(a, "", made)
	}
	object := madeUp(c, seed(a.server, a.noun, id), 0)
	if id != "" {
		object["id"] = id
	}
	object, there := d.records.laid(a.server, object)
	if !there {
		return failed("there is no such " + a.noun)
	}
	return result(a, "", object)
}

// many answers a list or a search: what was made first, then made-up objects.
func (d *demo) many(a action, c collection, arguments map[string]any) []record {
	items := d.records.list(c, arguments)
	limit := 50
	for _, name := range []string{"limit", "first", "per_page", "max_rows"} {
		if n, ok := arguments[name].(float64); ok {
			limit = int(n)
		}
	}
	about, _ := arguments["query"].(string)
	s := seed(a.server, a.noun, about)
	for i := range 4 {
		if object, there := d.records.laid(a.server, madeUp(c, s, i)); there {
			items = append(items, object)
		}
	}
	return items[:min(limit, len(items))]
}

// named is the id of the object that the arguments speak of: the first, by name,
// that looks like one.
func named(arguments map[string]any) string {
	names := make([]string, 0, len(arguments))
	for name := range arguments {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		lower := strings.ToLower(name)
		text, ok := arguments[name].(string)
		if ok && (strings.HasSuffix(lower, "id") || slices.Contains([]string{"issue", "booking", "payment", "customer", "name", "device", "task", "place", "tracking_number"}, lower)) {
			return text
		}
		if n, ok := arguments[name].(float64); ok && (lower == "number" || lower == "run") {
			return fmt.Sprint(n)
		}
	}
	return ""
}

func seed(parts ...string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strings.Join(parts, "\x00")))
	return h.Sum64()
}

// madeUp is the n-th object of a collection that nobody made.
func madeUp(c collection, s uint64, n int) record {
	pick := func(salt uint64, from []string) string {
		return from[(s/(salt+1)+uint64(n)*(salt+3)+salt)%uint64(len(from))]
	}
	subjects := subjectsOf(c.server)
	day := 1 + (s+uint64(n)*7)%28
	return record{
		"id":         fmt.Sprintf("%s-%d", c.noun, 100+(s+uint64(n)*17)%900),
		"kind":       c.noun,
		"title":      subjects[(s+uint64(n))%uint64(len(subjects))],
		"status":     pick(2, []string{"open", "active", "done", "waiting"}),
		"owner":      pick(5, []string{"ona@linden.example", "tomas@linden.example", "ruta@linden.example", "jonas@linden.example", "vaida@linden.example"}),
		"updated_at": fmt.Sprintf("2026-11-%02dT08:%02d:00Z", day, (s+uint64(n)*13)%60),
		"value":      (s + uint64(n)*31) % 5000,
	}
}

// result is an answer with the object as text and as structured content, and the
// picture of a tool that shows one.
func result(a action, said string, object record) *mcp.CallToolResult {
	text, err := json.Marshal(object)
	if err != nil {
		return failed("the made-up answer can't be written: " + err.Error())
	}
	content := []mcp.Content{}
	if said != "" {
		content = append(content, &mcp.TextContent{Text: said})
	}
	content = append(content, &mcp.TextContent{Text: string(text)})
	if a.image {
		content = append(content, &mcp.ImageContent{Data: picture(seed(a.tool, string(text))), MIMEType: "image/png"})
	}
	return &mcp.CallToolResult{Content: content, StructuredContent: object}
}
