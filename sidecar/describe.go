package sidecar

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/wire"
)

const (
	maxNames = 10
	// describeBytes bounds an answer of describe_tools, descriptionRunes a description in a definition that alone is
	// longer than that.
	describeBytes    = 128_000
	descriptionRunes = 8_000
)

// describe answers describe_tools with whole definitions, as listed.
func (e *Engine) describe(ctx context.Context, t *turn, args arguments) Decision {
	names, refusal := namesOf(args)
	if refusal != nil {
		return e.refuse(t, *refusal)
	}
	var b strings.Builder
	described := 0
	for _, name := range names {
		f, err := e.find(ctx, t, name)
		if err != nil {
			return e.catalogFailed(t, err)
		}
		if f.tool == nil {
			b.WriteString(unknownTool(f.catalog, name, f.note).Text + "\n")
			continue
		}
		b.WriteString(definitionText(f.tool, describeBytes-b.Len(), described == 0))
		described++
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if described == 0 {
		return e.refuse(t, Refusal{UnknownTool, text})
	}
	return e.answer(t, wire.TextResult(text, false))
}

// definitionText writes one definition in at most room bytes, or says that it is left out. Alone, a definition that is too
// long loses the end of its description before it is left out.
func definitionText(tool *catalog.Tool, room int, alone bool) string {
	head := fmt.Sprintf("%s (source: %s, run with %s):\n", shown(tool.Name), sourceOf(tool), doorOf(tool.Access))
	definition := wire.Compact(tool.Definition)
	if alone && len(head)+len(definition) >= room {
		short, err := wire.SetField(definition, "description", wire.Quote(clip(tool.Description, descriptionRunes)))
		if err == nil {
			definition = short
		}
	}
	switch {
	case len(head)+len(definition) < room:
		return head + string(definition) + "\n"
	case alone:
		return fmt.Sprintf("%sIts definition has %d bytes: too long to show.\n", head, len(definition))
	}
	return head + "Left out: too long beside the others. Describe it alone.\n"
}

// namesOf reads names: an array of strings, one string or several with commas between, or the array as JSON text.
func namesOf(args arguments) ([]string, *Refusal) {
	raw := args["names"]
	if raw == nil {
		raw = args["name"]
	}
	items, err := elementsOf(raw)
	if err != nil {
		return nil, &Refusal{BadCall, "names can't be read: the text in it is not a JSON array. Send the array itself, like {\"names\":[\"wiki_get_page\"]}."}
	}
	var names []string
	for _, item := range items {
		name, ok := wire.String(item)
		if !ok {
			return nil, &Refusal{BadCall, "names must be an array of tool names, like {\"names\":[\"wiki_get_page\"]}."}
		}
		names = append(names, name)
	}
	if len(names) == 1 && wire.IsString(raw) && strings.Contains(names[0], ",") {
		names = strings.Split(names[0], ",")
		for i, name := range names {
			names[i] = strings.TrimSpace(name)
		}
	}
	names = distinct(names)
	switch {
	case len(names) == 0:
		return nil, &Refusal{BadCall, fmt.Sprintf("names is missing: give 1 to %d tool names, like {\"names\":[\"wiki_get_page\"]}.%s", maxNames, ignored(args, "names"))}
	case len(names) > maxNames:
		return nil, &Refusal{BadCall, fmt.Sprintf("names has %d entries: describe at most %d tools at a time.", len(names), maxNames)}
	}
	return names, nil
}

func distinct(names []string) []string {
	var kept []string
	for _, name := range names {
		if name != "" && !slices.Contains(kept, name) {
			kept = append(kept, name)
		}
	}
	return kept
}
