package e2e

import "slices"

// Plan tells a client program what to ask for and what must come back. It is passed as JSON.
type Plan struct {
	// Bare: no tool search in front; tools are called by their own names.
	Bare bool `json:"bare,omitempty"`
	// Tools is the part about searching and calling; nil leaves it out.
	Tools *ToolsPlan `json:"tools,omitempty"`
	// Features plays the part about everything else; the upstream must be a featureserver.
	Features bool `json:"features,omitempty"`
}

// ToolsPlan is the part of a conversation about searching and calling.
type ToolsPlan struct {
	// Query is searched for; the tool Finds must be among the hits.
	Query string `json:"query"`
	Finds string `json:"finds"`
	// Read and Batch are read through call_read_tool and call_read_tools.
	Read  Item   `json:"read"`
	Batch []Item `json:"batch"`
	// Write is called through call_write_tool; nil leaves it out.
	Write *Item `json:"write,omitempty"`
	// WriteTool is refused by call_read_tool.
	WriteTool string `json:"writeTool"`
	// Bad is refused for its arguments; nil leaves it out.
	Bad *Item `json:"bad,omitempty"`
	// Absent is the name of a tool that isn't there.
	Absent string `json:"absent"`
}

// Item is one tool with its arguments, and a part of the answer's text.
type Item struct {
	Name      string `json:"name"`
	Arguments any    `json:"arguments,omitempty"`
	Has       string `json:"has"`
}

// FeaturePlan is the whole conversation with a featureserver. The note is what this client writes. What is asked for, and
// refused, has the [Mark], so that every client sends it in its own way.
func FeaturePlan(note string) Plan {
	write := Item{Name: "notes_add", Arguments: map[string]any{"text": note, "tags": []any{map[string]any{"name": Mark}}}, Has: "noted: " + note}
	return Plan{Features: true, Tools: &ToolsPlan{
		Query: "write down a new note " + Mark, Finds: "notes_add",
		Read:      Item{Name: "notes_list", Has: "buy milk"},
		Batch:     []Item{{Name: "notes_list", Has: "buy milk"}, {Name: "count_up", Arguments: map[string]any{"steps": 2}, Has: "counted to 2"}},
		Write:     &write,
		WriteTool: "notes_count",
		Bad:       &Item{Name: "notes_add", Arguments: map[string]any{"txt": Mark}, Has: "text"},
		Absent:    "no_such_tool_" + Mark,
	}}
}

// Steps names the steps that a client must report, in order.
func (p Plan) Steps() []string {
	steps := []string{"connect"}
	if t := p.Tools; t != nil {
		steps = append(steps, "instructions", "tools/list", "search", "describe", "read", "batch")
		if t.Write != nil {
			steps = append(steps, "write")
		}
		steps = append(steps, "a write through the read door is refused", "an unknown tool is refused")
		if t.Bad != nil {
			steps = append(steps, "bad arguments are refused with their faults")
		}
		steps = append(steps, "a direct call is refused with the tool to use", "a direct call of nothing is a protocol error")
	}
	if p.Features {
		steps = append(steps, "prompts/list", "prompts/get", "resources/list", "resources/templates/list", "resources/read", "completion",
			"logging", "progress", "a picture", "a tool's own failure", "elicitation", "sampling", "subscription", "cancellation")
	}
	return slices.Clip(append(steps, "close"))
}
