package demoserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/internal/demoserver"
	"mcp-toolsearch/internal/evalcatalog"
)

// era is a way to speak to a demo server.
type era struct {
	name, version string
}

func eras() []era {
	return []era{{"modern", "2026-07-28"}, {"legacy", "2025-11-25"}, {"older legacy", "2025-06-18"}}
}

// serve serves the 500 tools of the evaluation catalog.
func serve(t *testing.T) string {
	t.Helper()
	tools, err := evalcatalog.Tools()
	if err != nil {
		t.Fatal(err)
	}
	handler, err := demoserver.New(tools)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func connect(t *testing.T, url string, e era) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url},
		&mcp.ClientSessionOptions{ProtocolVersion: e.version})
	if err != nil {
		t.Fatalf("connecting in the %s era: %v", e.name, err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func listed(ctx context.Context, t *testing.T, session *mcp.ClientSession) map[string]*mcp.Tool {
	t.Helper()
	tools := map[string]*mcp.Tool{}
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		tools[tool.Name] = tool
	}
	return tools
}

// call calls a tool and gives its structured answer.
func call(t *testing.T, session *mcp.ClientSession, name string, arguments map[string]any) (*mcp.CallToolResult, map[string]any) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("calling %s: %v", name, err)
	}
	object, _ := result.StructuredContent.(map[string]any)
	return result, object
}

func TestListsToolsAsWritten(t *testing.T) {
	want, err := evalcatalog.Tools()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range eras() {
		t.Run(e.name, func(t *testing.T) {
			session := connect(t, serve(t), e)
			tools := listed(t.Context(), t, session)
			if len(tools) != len(want) {
				t.Fatalf("%d tools are listed, want %d", len(tools), len(want))
			}
			for _, w := range want {
				got := tools[w.Name]
				if got == nil || got.Description != w.Description {
					t.Fatalf("%s is missing or has another description", w.Name)
				}
				var schema any
				if err := json.Unmarshal(w.InputSchema, &schema); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got.InputSchema, schema) {
					t.Errorf("%s has another input schema than written", w.Name)
				}
				if (got.Annotations == nil) != (len(w.Annotations) == 0) {
					t.Errorf("%s: annotations %v, written %s", w.Name, got.Annotations, w.Annotations)
				}
			}
		})
	}
}

func TestListsSchemasByteForByte(t *testing.T) {
	url := serve(t)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("MCP-Protocol-Version", "2025-06-18")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var all bytes.Buffer
	if _, err := all.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	tools, err := evalcatalog.Tools()
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		if !bytes.Contains(all.Bytes(), tool.InputSchema) {
			t.Fatalf("the schema of %s is not in the list as written", tool.Name)
		}
	}
}

func TestAMalformedToolIsAnError(t *testing.T) {
	for name, tool := range map[string]evalcatalog.Tool{
		"a schema that is no object":   {Name: "a_b", InputSchema: json.RawMessage(`{"type":"string"}`)},
		"a header parameter of no use": {Name: "a_b", InputSchema: json.RawMessage(`{"type":"object","properties":{"x":{"type":"array","x-mcp-header":"X Y"}}}`)},
		"annotations that are no object": {Name: "a_b", InputSchema: json.RawMessage(`{"type":"object"}`),
			Annotations: json.RawMessage(`7`)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := demoserver.New([]evalcatalog.Tool{tool})
			if err == nil || !strings.Contains(err.Error(), "a_b") {
				t.Errorf("error %v, want one that names the tool", err)
			}
		})
	}
}
