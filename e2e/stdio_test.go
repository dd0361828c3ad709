package e2e_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/featureserver"
)

// serverVariable makes the tests' own program a featureserver on stdio.
const serverVariable = "E2E_SERVER"

// stdioClients start the program themselves.
func stdioClients() []client {
	return []client{
		{"go modern", true, goStdioClient(featureserver.Modern)},
		{"go legacy", false, goStdioClient("2025-11-25")},
		{"python modern", true, pythonClient("modern")},
		{"python legacy", false, pythonClient("legacy")},
		{"typescript modern", true, nodeClient("modern.mjs")},
		{"typescript legacy", false, nodeClient("legacy.mjs")},
	}
}

func goStdioClient(version string) func(*testing.T, string, e2e.Plan) []step {
	return func(t *testing.T, command string, plan e2e.Plan) []step {
		var words []string
		if err := json.Unmarshal([]byte(command), &words); err != nil {
			t.Fatal(err)
		}
		p := &player{ctx: t.Context(), version: version, plan: plan, wire: &cancelWatch{}}
		p.run(&mcp.LoggingTransport{Transport: &mcp.CommandTransport{Command: exec.Command(words[0], words[1:]...)}, Writer: p.wire})
		return p.steps
	}
}

// Write implements [io.Writer] for a log of what is written to a pipe.
func (w *cancelWatch) Write(line []byte) (int, error) {
	if bytes.HasPrefix(line, []byte("write")) && bytes.Contains(line, []byte("notifications/cancelled")) {
		w.taken.Store(true)
	}
	return len(line), nil
}

// TestClientsThroughStdio plays what TestClients plays with clients that start the program as a local command, in front
// of a server by HTTP.
func TestClientsThroughStdio(t *testing.T) {
	program := programs.Build(t, e2e.Sidecar)
	modern, legacy := featureserver.New(false), featureserver.New(true)
	modernAt, legacyAt := e2e.Serve(t, modern.Handler), e2e.Serve(t, legacy.Handler)
	play(t, stdioClients(), func(c client) (string, e2e.Plan, func()) {
		server, at := legacy, legacyAt
		if c.modern {
			server, at = modern, modernAt
		}
		before := server.Cancelled()
		command := marshal(t, []string{program, "stdio", "--upstream", "http://" + string(at) + "/mcp", "--log-level", "warn"})
		return command, e2e.FeaturePlan("from " + c.name), func() {
			e2e.Until(t, "the server notices that the call was cancelled", func() bool { return server.Cancelled() > before })
			if !slices.Contains(server.Notes(), "from "+c.name) {
				t.Errorf("the server has no note from %s", c.name)
			}
		}
	})
}

// TestClientsThroughStdioOfALocalCommand is the same with a server that is a local command too: the protocol comes in by
// lines and goes out by lines.
func TestClientsThroughStdioOfALocalCommand(t *testing.T) {
	program := programs.Build(t, e2e.Sidecar)
	config := filepath.Join(t.TempDir(), "mcp.json")
	content := marshal(t, map[string]any{"mcpServers": map[string]any{"features": map[string]any{"command": os.Args[0], "env": map[string]string{serverVariable: "1"}}}})
	if err := os.WriteFile(config, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	play(t, stdioClients(), func(c client) (string, e2e.Plan, func()) {
		return marshal(t, []string{program, "stdio", "--config", config, "--log-level", "warn"}), e2e.FeaturePlan("from " + c.name), func() {}
	})
}
