package catalog

import "mcp-toolsearch/search"

// DocumentOf is what search reads of one raw tool object, with no source. False:
// the object is malformed, and a listing would drop it.
func DocumentOf(definition []byte) (search.Document, bool) {
	d, ok := parseTool(definition)
	if !ok {
		return search.Document{}, false
	}
	return d.document(), true
}

// document is what search reads of a tool.
func (d *definition) document() search.Document {
	t := &d.tool
	return search.Document{Name: t.Name, Source: t.Source, Title: t.Title, Description: t.Description, Parameters: d.params}
}
