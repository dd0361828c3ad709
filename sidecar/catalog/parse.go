package catalog

import "mcp-toolsearch/sidecar/wire"

// hint is what a tool says about one boolean annotation. JSON null is unsaid:
// serializers write it for fields nobody set.
type hint int

const (
	unsaid hint = iota
	saidFalse
	saidTrue
	nonsense // of another type
)

func readHint(raw []byte) hint {
	switch string(raw) {
	case "true":
		return saidTrue
	case "false":
		return saidFalse
	case "null", "":
		return unsaid
	}
	return nonsense
}

// definition is a parsed tool object before the rules are applied. It never
// changes: listings share it.
type definition struct {
	tool                  Tool
	readOnly, destructive hint
	own                   string // the server's own name, when our merge lists it under another
	params                []param
	badHeaders            bool // its x-mcp-header annotations are invalid
}

// parseTool reads a raw tool object. False: it is malformed, and clients
// couldn't use it either (spec 2026-07-28 server/tools: name and inputSchema
// are required, inputSchema is an object).
func parseTool(raw []byte) (*definition, bool) {
	fields, err := wire.Fields(raw)
	if err != nil {
		return nil, false
	}
	d := &definition{tool: Tool{Definition: raw}}
	t := &d.tool
	annotationTitle := ""
	for _, f := range fields {
		switch f.Key {
		case "name":
			t.Name, _ = wire.Text(f.Value) // replaced by U+FFFD, it would be another tool's name
		case "title":
			t.Title, _ = wire.String(f.Value)
		case "description":
			t.Description, _ = wire.String(f.Value)
		case "inputSchema":
			t.InputSchema = f.Value
		case "outputSchema":
			if !wire.IsNull(f.Value) {
				t.OutputSchema = f.Value
			}
		case "annotations":
			annotationTitle = d.readAnnotations(f.Value)
		case "_meta":
			t.Server, d.own = mergedFrom(f.Value)
			t.Source = t.Server
		}
	}
	if t.Name == "" || !wire.IsObject(t.InputSchema) {
		return nil, false
	}
	if t.Title == "" {
		t.Title = annotationTitle
	}
	t.Annotated = d.readOnly == saidTrue || d.readOnly == saidFalse
	return d, d.readInputSchema()
}

// readAnnotations reads the hints. Annotations that can't be read count as
// hints of the wrong type: fail closed, and not for read-tools to lift.
func (d *definition) readAnnotations(raw []byte) (title string) {
	if wire.IsNull(raw) {
		return ""
	}
	fields, err := wire.Fields(raw)
	if err != nil {
		d.readOnly, d.destructive = nonsense, nonsense
		return ""
	}
	for _, f := range fields {
		switch f.Key {
		case "title":
			title, _ = wire.String(f.Value)
		case "readOnlyHint":
			d.readOnly = readHint(f.Value)
		case "destructiveHint":
			d.destructive = readHint(f.Value)
		}
	}
	return title
}
