package catalog

import (
	"mcp-toolsearch/sidecar/argcheck"
	"mcp-toolsearch/sidecar/wire"
)

// Access says through which door a tool runs. The zero value is Write: a tool
// nobody judged is a write.
type Access int

// The two doors.
const (
	Write Access = iota
	Read
)

// String is "write" or "read".
func (a Access) String() string {
	if a == Read {
		return "read"
	}
	return "write"
}

// Tool is one upstream tool. It is immutable.
type Tool struct {
	Name, Title, Description string
	// Source is the server the tool belongs to as people name it; "" unknown.
	Source string
	// Server is the server that our own merge of several says it belongs to; ""
	// when it isn't from one. Unlike Source nobody can relabel it.
	Server string
	Access Access
	// Annotated is true when the upstream gave a boolean readOnlyHint.
	Annotated bool
	// Definition is the whole raw tool object; InputSchema and OutputSchema
	// are its raw members (OutputSchema nil when absent).
	Definition, InputSchema, OutputSchema []byte
	// Required are the input schema's required properties, in its order.
	Required []string
	// ParamHeaders are the x-mcp-header properties.
	ParamHeaders []wire.ParamHeader

	schema *lazySchema
}

// Schema is the compiled input schema, compiled when it is needed, shared, and
// remembered for a while.
// The error says that it doesn't compile; a call must not be blocked by it.
func (t *Tool) Schema() (*argcheck.Schema, error) { return t.schema.get(t.InputSchema) }

// Unchecked says that a call's arguments could not be checked against a schema
// that compiles: it would have cost too much. It is told to the Observer once
// per tool, as SchemaUncompilable: what is true of both is that calls go
// through unchecked.
func (t *Tool) Unchecked() { t.schema.uncheckable() }
