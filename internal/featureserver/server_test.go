package featureserver_test

import (
	"bytes"
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/internal/featureserver"
)

// eras are the two ways to ask the same server.
func eras() map[string]struct {
	version  string
	stateful bool
} {
	return map[string]struct {
		version  string
		stateful bool
	}{
		"modern": {featureserver.Modern, false},
		"legacy": {"2025-11-25", true},
	}
}

func TestTheServerDoesWhatItsToolsSay(t *testing.T) {
	for era, how := range eras() {
		t.Run(era, func(t *testing.T) {
			session, s := connect(t, how.version, how.stateful)
			for _, tt := range []struct{ tool, want string }{
				{"notes_list", "buy milk"},
				{"notes_count", "1"},
				{"log_three_lines", "logged"},
				{"ask_user_name", "accept: Hello, Ada!"},
				{"ask_model", "the model says: Paris"},
				{"show_picture", "a pixel"},
				{"always_fail", "this tool always fails"},
				{"touch_note", "touched"},
			} {
				if got := call(t, session, tt.tool, map[string]any{}); !strings.HasPrefix(got, tt.want) {
					t.Errorf("%s answers %q, want %q", tt.tool, got, tt.want)
				}
			}
			if got := call(t, session, "count_up", map[string]any{"steps": 3}); got != "counted to 3" {
				t.Errorf("count_up answers %q", got)
			}
			call(t, session, "notes_add", map[string]any{"text": "call Ada"})
			if notes := s.Notes(); len(notes) != 2 || notes[1] != "call Ada" {
				t.Errorf("notes %q", notes)
			}
		})
	}
}

func TestThePictureIsAPNG(t *testing.T) {
	if !bytes.HasPrefix(featureserver.Picture(), []byte("\x89PNG\r\n\x1a\n")) {
		t.Error("no PNG signature")
	}
}

func TestACancelledCallIsCounted(t *testing.T) {
	for era, how := range eras() {
		t.Run(era, func(t *testing.T) {
			session, s := connect(t, how.version, how.stateful)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "wait_for_cancel"})
				done <- err
			}()
			until(t, func() bool { return s.Waiting() == 1 })
			cancel()
			if err := <-done; err == nil {
				t.Error("the cancelled call succeeded")
			}
			until(t, func() bool { return s.Cancelled() == 1 && s.Waiting() == 0 })
		})
	}
}

func connect(t *testing.T, version string, stateful bool) (*mcp.ClientSession, *featureserver.Server) {
	t.Helper()
	s := featureserver.New(stateful)
	web := httptest.NewServer(s.Handler)
	t.Cleanup(web.Close)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "none", Content: &mcp.TextContent{Text: "Paris"}}, nil
		},
	})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: web.URL}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session, s
}

func call(t *testing.T, session *mcp.ClientSession, tool string, arguments map[string]any) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("%s answers %T", tool, result.Content[0])
	}
	return text.Text
}

func until(t *testing.T, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("not within 10 s")
		}
	}
}
