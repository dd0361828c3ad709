package soak_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// upstreamWord as the first argument makes the test binary one of the eight servers.
const upstreamWord = "soak-upstream"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == upstreamWord {
		if err := serveUpstream(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serveUpstream serves the tools of server name: at an address with sessions ("sessions HOST:PORT"), without them, or on
// standard input and output.
func serveUpstream(name, where string) error {
	s := upstream{name: name, callers: map[string]string{}}
	if where == "stdio" {
		return s.server().Run(context.Background(), &mcp.StdioTransport{})
	}
	server := s.server()
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: len(os.Args) < 5})
	web := http.Server{Addr: where, Handler: h, ReadHeaderTimeout: 10 * time.Second}
	return web.ListenAndServe()
}

// upstream is one of the eight servers.
type upstream struct {
	name string

	mu      sync.Mutex
	callers map[string]string // by session
}

type marked struct {
	Caller string `json:"caller"`
	Marker string `json:"marker"`
}

func (s *upstream) server() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: s.name, Version: "1"}, nil)
	echo := func(_ context.Context, r *mcp.CallToolRequest, in marked) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s.answer(r.Session.ID(), in)}}}, nil, nil
	}
	mcp.AddTool(server, &mcp.Tool{Name: s.name + "_read", Description: "Read with " + s.name + ".", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, echo)
	mcp.AddTool(server, &mcp.Tool{Name: s.name + "_write", Description: "Write with " + s.name + ".", Annotations: &mcp.ToolAnnotations{}}, echo)
	return server
}

// answer gives the marker back, and tells when a session has had another caller.
func (s *upstream) answer(session string, in marked) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if had, known := s.callers[session]; session != "" && known && had != in.Caller {
		return "CROSSED: this session is " + had + "'s, not " + in.Caller + "'s"
	}
	s.callers[session] = in.Caller
	return s.name + " answers " + in.Marker
}
