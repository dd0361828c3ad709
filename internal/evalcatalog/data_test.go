package evalcatalog_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mcp-toolsearch/internal/evalcatalog"
)

// noFetch fails a test whose schema points outside its own document.
type noFetch struct{ t *testing.T }

func (n noFetch) Load(url string) (any, error) {
	n.t.Errorf("a schema refers to %s outside its document", url)
	return map[string]any{}, nil
}

func compile(t *testing.T, tool evalcatalog.Tool) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(tool.InputSchema))
	if err != nil {
		t.Fatalf("%s: input schema is not JSON: %v", tool.Name, err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noFetch{t})
	if err := c.AddResource("tool.json", doc); err != nil {
		t.Fatalf("%s: %v", tool.Name, err)
	}
	schema, err := c.Compile("tool.json")
	if err != nil {
		t.Fatalf("%s: input schema does not compile: %v", tool.Name, err)
	}
	return schema
}

func embedded(t *testing.T) []evalcatalog.Tool {
	t.Helper()
	tools, err := evalcatalog.Tools()
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

func TestCatalogHasFiveHundredTools(t *testing.T) {
	tools := embedded(t)
	if len(tools) != 500 {
		t.Errorf("the catalog has %d tools, want exactly 500", len(tools))
	}
	servers := map[string]int{}
	seen := map[string]bool{}
	for _, tool := range tools {
		if seen[tool.Name] {
			t.Errorf("%s is there twice", tool.Name)
		}
		seen[tool.Name] = true
		servers[tool.Server]++
		rest, found := cutServer(tool)
		if !found || rest == "" {
			t.Errorf("%s does not begin with its server %q and a separator", tool.Name, tool.Server)
		}
	}
	if len(servers) < 25 {
		t.Errorf("%d servers, want at least 25", len(servers))
	}
	for server, n := range servers {
		if n < 2 {
			t.Errorf("server %s has %d tool, want at least 2", server, n)
		}
	}
}

func TestEverySchemaCompiles(t *testing.T) {
	for _, tool := range embedded(t) {
		var top struct {
			Type       string          `json:"type"`
			Properties json.RawMessage `json:"properties"`
		}
		if err := json.Unmarshal(tool.InputSchema, &top); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		if top.Type != "object" || len(top.Properties) == 0 {
			t.Errorf("%s: the input schema is not an object schema with properties", tool.Name)
		}
		compile(t, tool)
	}
}
