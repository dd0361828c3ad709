package reliability_test

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is the MCP server that everything ends at. It counts what runs.
type server struct {
	sdk *mcp.Server

	mu  sync.Mutex
	ran map[string]int // by marker
}

type order struct {
	Marker string `json:"marker"`
	// Milliseconds is how long the call takes.
	Milliseconds int `json:"milliseconds,omitempty"`
}

func newServer(name string) *server {
	s := &server{ran: map[string]int{}, sdk: mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, nil)}
	mcp.AddTool(s.sdk, &mcp.Tool{Name: name + "_read", Description: "Read an entry.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, s.run)
	mcp.AddTool(s.sdk, &mcp.Tool{Name: name + "_write", Description: "Write an entry."}, s.run)
	return s
}

// grow gives the server another tool.
func (s *server) grow(name string) {
	mcp.AddTool(s.sdk, &mcp.Tool{Name: name, Description: "Another tool."}, s.run)
}

func (s *server) run(ctx context.Context, q *mcp.CallToolRequest, in order) (*mcp.CallToolResult, any, error) {
	s.mu.Lock()
	s.ran[in.Marker]++
	s.mu.Unlock()
	if token := q.Params.GetProgressToken(); token != nil {
		if err := q.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Message: "begun"}); err != nil {
			return nil, nil, err
		}
	}
	work := time.NewTimer(time.Duration(in.Milliseconds) * time.Millisecond)
	defer work.Stop()
	select {
	case <-work.C:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done " + in.Marker}}}, nil, nil
}

// times is how often the call of a marker ran.
func (s *server) times(marker string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ran[marker]
}

func (s *server) handler() http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.sdk }, &mcp.StreamableHTTPOptions{Stateless: true, DisableLocalhostProtection: true})
}

const (
	ledger    = "ledger"
	readTool  = "ledger_read"
	writeTool = "ledger_write"
)
