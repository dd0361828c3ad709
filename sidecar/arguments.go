package sidecar

import (
	"fmt"
	"strings"

	"mcp-toolsearch/sidecar/argcheck"
	"mcp-toolsearch/sidecar/wire"
)

// arguments are a meta-tool's own arguments: raw JSON values by key.
type arguments map[string][]byte

func (a arguments) has(key string) bool { return a[key] != nil && !wire.IsNull(a[key]) }

// near names a key that was sent and is clearly a misspelling of the wanted one, or one of the other names that models
// give it; "" when there is none.
func (a arguments) near(wanted string, others ...string) string {
	for _, other := range others {
		if a.has(other) {
			return other
		}
	}
	best := ""
	for key := range a {
		_, typo := argcheck.Near(key, []string{wanted})
		if (typo || wire.LookAlike(key, wanted)) && (best == "" || key < best) {
			best = key
		}
	}
	return best
}

// metaArguments reads a meta-tool's own arguments; an object sent as JSON text is decoded once.
func metaArguments(m *wire.Message) (args arguments, fromText bool, refusal *Refusal) {
	raw := m.Arguments.In(m.Body)
	if raw == nil || wire.IsNull(raw) {
		return arguments{}, false, nil
	}
	args, err := objectOf(raw)
	if err != nil {
		return nil, false, &Refusal{BadCall, fmt.Sprintf("The arguments of %s must be an object: see its input schema.", m.Name)}
	}
	return args, wire.IsString(raw), nil
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
	arguments []byte   // raw; nil when absent
	fromText  bool     // arguments came as arguments_json
	beside    []string // other keys that were sent, when there may be arguments among them
}

const callShape = `{"name":"exact_tool_name","arguments":{...}}`

// innerCallOf reads name and arguments from a call tool's own arguments. Other keys beside them are kept for the check
// that none of them is meant to be the arguments, and never forwarded.
func innerCallOf(args arguments) (innerCall, *Refusal) {
	name, ok := wire.Text(args["name"]) // with U+FFFD in place of what it can't hold, it would be another tool's
	if !ok || name == "" {
		return innerCall{}, missingName(args)
	}
	c := innerCall{name: name, arguments: args["arguments"], beside: besideName(args)}
	text, isText := wire.String(args["arguments_json"])
	switch {
	case args.has("arguments_json") && !isText:
		return c, &Refusal{BadCall, "arguments_json must be a string that holds the arguments as a JSON object."}
	case strings.TrimSpace(text) == "":
		return c, misspelled(args)
	case args.has("arguments") && !emptyObject(args["arguments"]):
		return c, &Refusal{BadCall, "Send arguments or arguments_json, not both. Nothing was run."}
	}
	c.arguments, c.fromText = wire.Quote(text), true
	return c, nil
}

// misspelled refuses arguments under another key.
func misspelled(args arguments) *Refusal {
	if args.has("arguments") && !emptyObject(args["arguments"]) {
		return nil
	}
	key := args.near("arguments", "args", "params", "parameters", "input", "tool_arguments", "toolArguments", "tool_input")
	if key == "" || key == "arguments" || emptyObject(args[key]) {
		return nil
	}
	return &Refusal{BadCall, fmt.Sprintf("The tool's arguments go into \"arguments\", not %s. Nothing was run.", quote(clip(key, 64)))}
}

func emptyObject(raw []byte) bool {
	fields, err := wire.Fields(raw)
	return err == nil && len(fields) == 0
}

// missingName recognises a name sent one level too deep or under another key and shows the right shape. It never runs
// what it recognised: a call on a guessed target could write.
func missingName(args arguments) *Refusal {
	if inner, err := objectOf(args["arguments"]); err == nil && wire.IsString(inner["name"]) {
		return &Refusal{MissingName, "name must stand beside arguments, not inside it: " + shapeFor(inner["name"]) + ". Nothing was run."}
	}
	if key := args.near("name", "tool", "tool_name", "toolName", "function"); key != "" && wire.IsString(args[key]) {
		return &Refusal{MissingName, fmt.Sprintf("The tool's name goes into \"name\", not %s: %s. Nothing was run.", quote(clip(key, 64)), shapeFor(args[key]))}
	}
	return &Refusal{MissingName, "name is missing: give the exact name of a tool and its arguments, like " + callShape + "."}
}

func shapeFor(rawName []byte) string {
	name, _ := wire.String(rawName)
	return `{"name":` + quote(clip(name, 128)) + `,"arguments":{...}}`
}

// elementsOf reads a JSON array, also one sent as JSON text; a single value counts as an array of one. The error says
// that the text is none.
func elementsOf(raw []byte) ([][]byte, error) {
	if text, ok := wire.String(raw); ok && wire.IsArray([]byte(text)) {
		raw = []byte(text)
	}
	if raw == nil || wire.IsNull(raw) {
		return nil, nil
	}
	if !wire.IsArray(raw) {
		return [][]byte{raw}, nil
	}
	return wire.Elements(raw)
}
