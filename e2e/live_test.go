package e2e_test

import (
	"os"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/featureserver"
)

// Both are set to play the clients' part against a stack that runs already: its search route and its aggregate route.
const (
	searchVariable    = "E2E_SEARCH_URL"
	aggregateVariable = "E2E_ALL_URL"
)

// liveTarget makes a plan from what the live stack's aggregate route lists: a read-only tool that needs no arguments is
// called, a write is only refused. Clients of an era that the stack doesn't speak are left out.
func liveTarget(t *testing.T) func(client) (string, e2e.Plan, func()) {
	t.Helper()
	search, all := os.Getenv(searchVariable), os.Getenv(aggregateVariable)
	if all == "" {
		t.Fatalf("set %s too: the plan is made from what the aggregate route lists", aggregateVariable)
	}
	modern, isModern := livePlan(t, all, featureserver.Modern)
	legacy, isLegacy := livePlan(t, all, "2025-11-25")
	if !isModern && !isLegacy {
		t.Fatalf("%s speaks neither era", all)
	}
	return func(c client) (string, e2e.Plan, func()) {
		switch {
		case c.modern && isModern:
			return search, modern, func() {}
		case !c.modern && isLegacy:
			return search, legacy, func() {}
		}
		return "", e2e.Plan{}, nil
	}
}

// livePlan lists the tools in one era; false when the stack doesn't speak it.
func livePlan(t *testing.T, url, version string) (e2e.Plan, bool) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e-live", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Logf("%s does not speak %s: %v", url, version, err)
		return e2e.Plan{}, false
	}
	defer session.Close()
	if session.InitializeResult().ProtocolVersion != version {
		return e2e.Plan{}, false
	}
	var read, write string
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		reads := tool.Annotations != nil && tool.Annotations.ReadOnlyHint
		switch {
		case reads && read == "" && needsNothing(tool):
			read = tool.Name
		case !reads && write == "":
			write = tool.Name
		}
	}
	if read == "" || write == "" {
		t.Fatalf("the live stack needs a read-only tool without required arguments and a write: found %q and %q", read, write)
	}
	item := e2e.Item{Name: read}
	return e2e.Plan{Tools: &e2e.ToolsPlan{Query: read, Finds: read, Read: item, Batch: []e2e.Item{item}, WriteTool: write, Absent: "no_such_tool_anywhere"}}, true
}

func needsNothing(tool *mcp.Tool) bool {
	schema, ok := tool.InputSchema.(map[string]any)
	if !ok {
		return false
	}
	required, _ := schema["required"].([]any)
	return len(required) == 0
}
