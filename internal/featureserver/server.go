package featureserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Modern is the protocol version from which servers answer input_required instead of sending requests.
const Modern = "2026-07-28"

// Instructions are the server's own.
const Instructions = "This server keeps notes and shows off features."

// Resource is the address of the resource that touch_note says has changed.
const Resource = "note://today"

// longest is how long wait_for_cancel waits for a cancellation.
const longest = 30 * time.Second

// Server is the handler of one MCP endpoint.
type Server struct {
	// Handler serves MCP at whatever path it is mounted.
	Handler http.Handler

	server    *mcp.Server
	cancelled atomic.Int64
	waiting   atomic.Int64

	mu    sync.Mutex
	notes []string
}

// New makes a server. Stateful ones serve the legacy eras, with sessions; others the modern era, and the legacy ones
// without sessions.
func New(stateful bool) *Server {
	s := &Server{notes: []string{"buy milk"}}
	s.server = mcp.NewServer(&mcp.Implementation{Name: "features", Version: "1"}, &mcp.ServerOptions{
		Instructions:       Instructions,
		CompletionHandler:  complete,
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	})
	s.addNotes()
	s.addFeatures()
	s.addPromptsAndResources()
	s.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.server },
		&mcp.StreamableHTTPOptions{Stateless: !stateful, PropagateRequestCancellation: true})
	return s
}

// ServeStdio serves one client over stdin and stdout, in all eras, until stdin ends.
func (s *Server) ServeStdio(ctx context.Context) error {
	if err := s.server.Run(ctx, &mcp.StdioTransport{}); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// Cancelled is how many calls of wait_for_cancel were cancelled so far.
func (s *Server) Cancelled() int { return int(s.cancelled.Load()) }

// Waiting is how many calls of wait_for_cancel wait now.
func (s *Server) Waiting() int { return int(s.waiting.Load()) }

// Notes are the notes as they are now.
func (s *Server) Notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notes)
}

func reads() *mcp.ToolAnnotations { return &mcp.ToolAnnotations{ReadOnlyHint: true} }

func text(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

type noNothing struct{}

type noteText struct {
	Text string `json:"text" jsonschema:"what to write down"`
	Tags []struct {
		Name string `json:"name"`
	} `json:"tags,omitempty" jsonschema:"labels of the note"`
}

// addNotes adds tools for the doors: a read, a write, and one that doesn't say which it is.
func (s *Server) addNotes() {
	mcp.AddTool(s.server, &mcp.Tool{Name: "notes_list", Description: "List all notes.", Annotations: reads()},
		func(context.Context, *mcp.CallToolRequest, noNothing) (*mcp.CallToolResult, any, error) {
			return text("%s", strings.Join(s.Notes(), "\n")), nil, nil
		})
	mcp.AddTool(s.server, &mcp.Tool{Name: "notes_add", Description: "Write down a new note.", Annotations: &mcp.ToolAnnotations{}},
		func(_ context.Context, _ *mcp.CallToolRequest, in noteText) (*mcp.CallToolResult, any, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.notes = append(s.notes, in.Text)
			return text("noted: %s", in.Text), nil, nil
		})
	mcp.AddTool(s.server, &mcp.Tool{Name: "notes_count", Description: "Say how many notes there are. Its server doesn't say that it only reads."},
		func(context.Context, *mcp.CallToolRequest, noNothing) (*mcp.CallToolResult, any, error) {
			return text("%d", len(s.Notes())), nil, nil
		})
	mcp.AddTool(s.server, &mcp.Tool{Name: "touch_note", Description: "Tell subscribers that today's note has changed.", Annotations: &mcp.ToolAnnotations{}},
		func(ctx context.Context, _ *mcp.CallToolRequest, _ noNothing) (*mcp.CallToolResult, any, error) {
			err := s.server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: Resource})
			return text("touched"), nil, err
		})
}

func (s *Server) addPromptsAndResources() {
	s.server.AddPrompt(&mcp.Prompt{Name: "greeting", Description: "Greet somebody.", Arguments: []*mcp.PromptArgument{{Name: "who", Required: true}}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			message := &mcp.PromptMessage{Role: "user", Content: &mcp.TextContent{Text: "Greet " + req.Params.Arguments["who"]}}
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{message}}, nil
		})
	read := func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		content := &mcp.ResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: "the note at " + req.Params.URI}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{content}}, nil
	}
	s.server.AddResource(&mcp.Resource{URI: Resource, Name: "today", MIMEType: "text/plain"}, read)
	s.server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "note://{day}", Name: "a day's note", MIMEType: "text/plain"}, read)
}

func complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	var values []string
	for _, name := range []string{"Ada", "Alan", "Barbara", "Grace"} {
		if strings.HasPrefix(strings.ToLower(name), strings.ToLower(req.Params.Argument.Value)) {
			values = append(values, name)
		}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: len(values)}}, nil
}
