package sidecar

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mcp-toolsearch/sidecar/argcheck"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// Reason labels a refusal in metrics, logs and docs/errors.md.
type Reason string

// Every reason for which a call is refused with a result that teaches.
const (
	WrongDoor          Reason = "wrong_door"          // a write through a read door
	UnknownTool        Reason = "unknown_tool"        // no such tool for this caller
	NearName           Reason = "near_name"           // clearly a typo of one tool
	MissingName        Reason = "missing_name"        // no inner name
	BadCall            Reason = "bad_call"            // the meta-tool's own arguments don't fit
	BadArguments       Reason = "bad_arguments"       // the inner arguments don't fit the schema
	SelfCall           Reason = "self_call"           // a meta-tool called through a meta-tool
	DirectCall         Reason = "direct_call"         // an inner tool called by its own name
	CatalogUnavailable Reason = "catalog_unavailable" // the tools could not be listed
	HeaderUnsafe       Reason = "header_unsafe"       // an x-mcp-header argument can't be sent
)

// Refusal is a no that teaches: a text for the model, and its label.
type Refusal struct {
	Reason Reason
	Text   string
}

func doorOf(a catalog.Access) string {
	if a == catalog.Read {
		return CallReadTool
	}
	return CallWriteTool
}

// wrongDoor says one thing once: refusals that repeat themselves start loops.
func wrongDoor(tool *catalog.Tool) Refusal {
	return Refusal{WrongDoor, fmt.Sprintf("%s may change something: run it with %s.", tool.Name, CallWriteTool)}
}

func selfCall(name string) Refusal {
	return Refusal{SelfCall, fmt.Sprintf("%s can't be run through another call tool: call it directly, and give a tool found with %s as the name here.", name, SearchTools)}
}

// unknownTool doesn't tell a tool that isn't there from one that isn't this caller's.
func unknownTool(c *catalog.Catalog, name string) Refusal {
	near := c.Near(name)
	if exact, ok := argcheck.Near(name, near); ok {
		return Refusal{NearName, fmt.Sprintf("There is no tool %q. Did you mean %q? Nothing was run: call again with the exact name.", clip(name, 128), exact)}
	}
	text := fmt.Sprintf("There is no tool %q.", clip(name, 128))
	if len(near) > 0 {
		text += " Near names: " + strings.Join(near, ", ") + "."
	}
	return Refusal{UnknownTool, text + " Find tools with " + SearchTools + "."}
}

func badArguments(tool *catalog.Tool, problems []argcheck.Problem) Refusal {
	var b strings.Builder
	fmt.Fprintf(&b, "%s was not run: its arguments don't fit.\n", tool.Name)
	for _, p := range problems {
		b.WriteString("- " + p.Text + "\n")
	}
	b.WriteString("Input schema of " + tool.Name + ": ")
	b.Write(wire.Compact(tool.InputSchema))
	return Refusal{BadArguments, b.String()}
}

// catalogRefusal explains why there is no catalog. The caller may try again: nothing was run.
func catalogRefusal(err error) Refusal {
	text := "The tools could not be listed"
	var up *upstream.Error
	switch {
	case errors.As(err, &up):
		text += ": " + up.Error()
	case errors.Is(err, context.DeadlineExceeded):
		text += ": the upstream did not answer in time"
	case errors.Is(err, context.Canceled):
		text += ": the request was cancelled"
	default:
		text += ": " + err.Error()
	}
	return Refusal{CatalogUnavailable, strings.TrimSuffix(text, ".") + ". Nothing was run; try again in a moment."}
}

// clip cuts s to at most n runes.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
