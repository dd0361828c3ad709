package catalog

import (
	"mcp-toolsearch/search"
	"mcp-toolsearch/sidecar/wire"
)

const (
	// maxParams and maxParamDepth bound what of a schema is searchable.
	maxParams     = 200
	maxParamDepth = 3
)

type param = search.Parameter

// readInputSchema takes the required names and the searchable parameters. It
// is false when the schema's own members can't be told apart.
func (d *definition) readInputSchema() bool {
	fields, err := wire.Fields(d.tool.InputSchema)
	if err != nil {
		return false
	}
	for _, f := range fields {
		if f.Key == "required" {
			d.tool.Required = texts(f.Value)
		}
	}
	d.readParams(fields, 1)
	return true
}

// readParams walks properties, also those of nested objects and of arrays'
// items. References are not followed: what they name is searchable text only.
func (d *definition) readParams(schema []wire.Field, depth int) {
	for _, member := range schema {
		switch {
		case member.Key == "items" && depth > 1:
			d.readNested(member.Value, depth)
		case member.Key == "properties":
			properties, err := wire.Fields(member.Value)
			if err != nil {
				return
			}
			for _, p := range properties {
				d.readParam(p, depth)
			}
		}
	}
}

func (d *definition) readNested(schema []byte, depth int) {
	if depth > maxParamDepth || !wire.IsObject(schema) {
		return
	}
	if fields, err := wire.Fields(schema); err == nil {
		d.readParams(fields, depth)
	}
}

func (d *definition) readParam(p wire.Field, depth int) {
	if len(d.params) == maxParams {
		return
	}
	found := param{Name: p.Key}
	fields, err := wire.Fields(p.Value)
	if err != nil { // true, false, or broken: the name is all there is
		d.params = append(d.params, found)
		return
	}
	for _, f := range fields {
		switch f.Key {
		case "description":
			found.Description, _ = wire.String(f.Value)
		case "enum":
			found.Enum = texts(f.Value)
		}
	}
	d.params = append(d.params, found)
	if depth < maxParamDepth {
		d.readParams(fields, depth+1)
	}
}
