package demoserver

import (
	"encoding/json"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// check holds a tool's arguments against its schema with another library than
// the product's, as a foreign server would.
type check struct {
	raw      json.RawMessage
	resolved func() (*jsonschema.Resolved, error)
}

func newCheck(raw json.RawMessage) *check {
	return &check{raw: raw, resolved: sync.OnceValues(func() (*jsonschema.Resolved, error) {
		var schema jsonschema.Schema
		if err := json.Unmarshal(raw, &schema); err != nil {
			return nil, err
		}
		return schema.Resolve(nil)
	})}
}

// read decodes the arguments; fault is empty when they fit the schema. Absent
// and null arguments are an empty object.
func (c *check) read(arguments json.RawMessage) (decoded map[string]any, fault string) {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	if err := json.Unmarshal(arguments, &decoded); err != nil {
		return nil, "the arguments are not an object"
	}
	resolved, err := c.resolved()
	if err != nil {
		return decoded, "" // a schema nobody can read refuses nothing
	}
	if err := resolved.Validate(decoded); err != nil {
		return nil, err.Error()
	}
	return decoded, ""
}

func failed(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}
