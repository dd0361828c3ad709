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

// unreadable is for arguments that came as text and wouldn't be read alike by all once they stand in a request.
func unreadable(fault *wire.Fault) *Refusal {
	return &Refusal{BadArguments, "The arguments, which came as JSON text, can't be sent on: " + fault.Message + ". Nothing was run."}
}

// wrongDoor says one thing once: refusals that repeat themselves start loops.
func wrongDoor(tool *catalog.Tool) Refusal {
	return Refusal{WrongDoor, fmt.Sprintf("%s may change something: run it with %s.", shown(tool.Name), CallWriteTool)}
}

func selfCall(name string) Refusal {
	return Refusal{SelfCall, fmt.Sprintf("%s can't be run through another call tool: call it directly, and give a tool found with %s as the name here.", name, SearchTools)}
}

// unknownTool doesn't tell a tool that isn't there from one that isn't this caller's. note says that the list may be old.
func unknownTool(c *catalog.Catalog, name, note string) Refusal {
	near := c.Near(name)
	asked := quote(clip(name, 128))
	if exact, ok := argcheck.Near(name, near); ok {
		return Refusal{NearName, fmt.Sprintf("There is no tool %s. Did you mean %s? Nothing was run: call again with the exact name.%s", asked, shown(exact), note)}
	}
	text := fmt.Sprintf("There is no tool %s.", asked)
	if len(near) > 0 {
		text += " Near names: " + shownAll(near) + "."
	}
	return Refusal{UnknownTool, text + " Find tools with " + SearchTools + "." + note + missingLine(c)}
}

// badArguments lists every fault. Arguments that are empty may have been emptied by a strict decoder.
func badArguments(tool *catalog.Tool, arguments []byte, problems []argcheck.Problem) Refusal {
	var b strings.Builder
	fmt.Fprintf(&b, "%s was not run: its arguments don't fit.\n", shown(tool.Name))
	for _, p := range problems {
		b.WriteString("- " + p.Text + "\n")
	}
	if emptyObject(arguments) {
		b.WriteString("If you gave arguments, they were lost on the way: send them as a JSON object in a string, in arguments_json beside name.\n")
	}
	b.WriteString(schemaLine(tool))
	return Refusal{BadArguments, b.String()}
}

// headerUnsafe says that arguments which travel as headers too (x-mcp-header) are longer than gateways take.
func headerUnsafe(tool *catalog.Tool) Refusal {
	paths := make([]string, len(tool.ParamHeaders))
	for i, p := range tool.ParamHeaders {
		paths[i] = strings.Join(p.Path, ".")
	}
	return Refusal{HeaderUnsafe, fmt.Sprintf("%s was not run: what is sent as headers (its name, %s) must be at most %d bytes together. Send shorter values.",
		shown(tool.Name), shownAll(paths), maxHeaderBytes)}
}

// catalogRefusal explains why there is no catalog. The caller may try again: nothing was run.
func catalogRefusal(err error) Refusal {
	return Refusal{CatalogUnavailable, "The tools could not be listed: " + failure(err) + ". Nothing was run; try again in a moment."}
}

// failure words an error of the catalogs or of a call of ours, without the period at its end. Errors of other packages
// hold no value of a request or an answer.
func failure(err error) string {
	var auth *upstream.AuthError
	var up *upstream.Error
	switch {
	case errors.As(err, &auth):
		return authText(auth.Status)
	case errors.As(err, &up):
	case errors.Is(err, context.DeadlineExceeded):
		return "the upstream did not answer in time"
	case errors.Is(err, context.Canceled):
		return "the request was cancelled"
	}
	return strings.TrimSuffix(err.Error(), ".")
}
