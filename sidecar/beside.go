package sidecar

import (
	"fmt"
	"slices"
	"strings"

	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/wire"
)

// besideName lists the keys that were sent beside name without being a call's own. null says nothing, as everywhere.
func besideName(args arguments) []string {
	var keys []string
	for key := range args {
		switch key {
		case "name", "arguments", "arguments_json":
			continue
		}
		if args.has(key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// addedByClients says whether a key is one that clients write beside a call for themselves.
func addedByClients(key string) bool {
	switch key {
	case "toolCallId", "tool_call_id", "toolUseId", "tool_use_id":
		return true
	}
	return strings.HasPrefix(key, "_")
}

// stray picks the keys that may be arguments in the wrong place: all but those that clients add and that the tool
// doesn't take.
func stray(tool *catalog.Tool, beside []string) []string {
	var keys []string
	for _, key := range beside {
		if !addedByClients(key) || takes(tool, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// takes says whether the input schema names key as a property.
func takes(tool *catalog.Tool, key string) bool {
	fields, err := wire.Fields(tool.InputSchema)
	if err != nil {
		return true
	}
	for _, f := range fields {
		if f.Key == "properties" && hasKey(f.Value, key) {
			return true
		}
	}
	return false
}

// shownKeys is how many of the caller's keys a refusal repeats.
const shownKeys = 5

// misplaced refuses a call that has arguments beside its name: run without what it was given, a tool could do more than
// was asked.
func misplaced(tool *catalog.Tool, keys []string) Refusal {
	quoted := make([]string, 0, shownKeys+1)
	for i, key := range keys {
		if i == shownKeys {
			quoted = append(quoted, "…")
			break
		}
		quoted = append(quoted, quote(clip(key, 64)))
	}
	return Refusal{BadCall, fmt.Sprintf("%s was not run: its arguments go into \"arguments\", not beside \"name\" (%s): %s.\n%s",
		shown(tool.Name), strings.Join(quoted, ", "), shapeFor(wire.Quote(tool.Name)), schemaLine(tool))}
}

// misread refuses what would run without the arguments it was given: those beside the name, and those in an
// arguments_json that can't be decoded. arguments are the call's after repair.
func misread(tool *catalog.Tool, c innerCall, arguments []byte) *Refusal {
	if c.fromText && !wire.IsObject(arguments) {
		r := notOneObject()
		return &r
	}
	keys := stray(tool, c.beside)
	if !emptyObject(arguments) {
		keys = left(tool, c.beside, arguments)
	}
	if len(keys) == 0 {
		return nil
	}
	r := misplaced(tool, keys)
	return &r
}

// left picks the keys beside a call's arguments that the tool takes and the arguments lack; what clients add isn't meant.
func left(tool *catalog.Tool, beside []string, arguments []byte) []string {
	var keys []string
	for _, key := range beside {
		if !addedByClients(key) && takes(tool, key) && !hasKey(arguments, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// notOneObject refuses an arguments_json that could not be decoded.
func notOneObject() Refusal {
	return Refusal{BadCall, "arguments_json must hold one JSON object with distinct keys, like \"{\\\"key\\\":\\\"value\\\"}\", nested less than 200 levels deep. Nothing was run."}
}
