package stdio_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/sidecar/stdio"
)

// TestTheSDKsClientWithAPythonServer speaks HTTP to a server that knows none.
func TestTheSDKsClientWithAPythonServer(t *testing.T) {
	python, path := fixtures.Python(t), fixtures.PythonPath(t)
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			r := open(t, "", func(o *stdio.Options) {
				o.Server.Command, o.Server.Args = python, []string{"testdata/server.py"}
				o.Server.Env = map[string]string{"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
				o.Environ, o.Grace = os.Environ(), 5*time.Second
			})
			var progress atomic.Int64
			client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
				},
				ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { progress.Add(1) },
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: "http://python/", HTTPClient: &http.Client{Transport: r.Transport}},
				&mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = session.Close() }() // its server has died
			if got := session.InitializeResult(); got.ProtocolVersion != version || got.Instructions != "Speaks Python." {
				t.Errorf("opened with %+v", got)
			}
			for _, tt := range []struct {
				tool      string
				arguments map[string]any
				want      string
			}{
				{"greet", nil, "Hello, Ada!"},
				{"count", map[string]any{"to": 3}, "counted to 3"},
				{"large", map[string]any{"size": 2_000_000}, strings.Repeat("x", 2_000_000)},
			} {
				params := &mcp.CallToolParams{Name: tt.tool, Arguments: tt.arguments, Meta: mcp.Meta{"progressToken": "p"}}
				got, err := session.CallTool(ctx, params)
				if err != nil {
					t.Fatalf("%s: %v", tt.tool, err)
				}
				if text, ok := got.Content[0].(*mcp.TextContent); !ok || text.Text != tt.want {
					t.Errorf("%s answers %.200v", tt.tool, got.Content[0])
				}
			}
			eventually(t, "three times progress", func() bool { return progress.Load() == 3 })
			if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "die"}); err == nil || !strings.Contains(err.Error(), "exit status 7") {
				t.Errorf("the server that died answers %v", err)
			}
			eventually(t, "its end is told", func() bool {
				return strings.Contains(r.log.String(), `status="exit status 7"`) && strings.Contains(r.log.String(), "junk_lines=1")
			})
		})
	}
}
