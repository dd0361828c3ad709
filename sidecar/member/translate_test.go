//lint:file-ignore SA1019 clients still use what the protocol deprecates: sampling, logging

package member

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/internal/featureserver"
	"mcp-toolsearch/sidecar/wire"
)

func connect(t *testing.T, url, version string) *sdkClient {
	t.Helper()
	c := &sdkClient{}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "none", Content: &mcp.TextContent{Text: "Paris"}}, nil
		},
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { c.saw("tools changed") },
		ResourceUpdatedHandler:      func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { c.saw("updated " + r.Params.URI) },
		LoggingMessageHandler:       func(_ context.Context, r *mcp.LoggingMessageRequest) { c.saw("log " + r.Params.Data.(string)) },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { c.saw("progress") },
	})
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: tr}, MaxRetries: -1},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	c.ClientSession = session
	return c
}

func (c *sdkClient) call(t *testing.T, tool string, arguments map[string]any) string {
	t.Helper()
	params := &mcp.CallToolParams{Name: tool, Arguments: arguments}
	params.SetProgressToken("p-" + tool)
	r, err := c.CallTool(within(t, 20*time.Second), params)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return r.Content[0].(*mcp.TextContent).Text
}

// everyPair runs a test with a real client of each era on a real server of
// each era.
func everyPair(t *testing.T, run func(t *testing.T, c *sdkClient, s *featureserver.Server)) {
	t.Helper()
	for _, version := range []string{"2026-07-28", "2025-11-25", "2025-06-18"} {
		for _, eras := range []string{"modern", "legacy", "both"} {
			t.Run("a "+version+" client on a server of "+eras, func(t *testing.T) {
				url, s := features(t, eras)
				run(t, connect(t, serve(t, newMember(t, url, nil)), version), s)
			})
		}
	}
}

// skipWithoutSessions leaves out what a go-sdk server without sessions doesn't
// do for legacy clients that speak to it directly either.
func skipWithoutSessions(t *testing.T, c *sdkClient, why string) {
	t.Helper()
	if strings.HasSuffix(t.Name(), "server_of_both") && c.InitializeResult().ProtocolVersion < wire.ModernVersion {
		t.Skip(why + ", with or without us")
	}
}

func TestEveryClientOnEveryServer(t *testing.T) {
	everyPair(t, func(t *testing.T, c *sdkClient, _ *featureserver.Server) {
		if c.InitializeResult().Instructions != featureserver.Instructions || c.InitializeResult().ServerInfo.Name != "features" {
			t.Errorf("the server is described as %+v", c.InitializeResult())
		}
		for _, tt := range []struct{ tool, want string }{
			{"notes_list", "buy milk"}, {"notes_count", "1"}, {"show_picture", "a pixel"}, {"always_fail", "this tool always fails"}, {"touch_note", "touched"},
		} {
			if got := c.call(t, tt.tool, map[string]any{}); !strings.HasPrefix(got, tt.want) {
				t.Errorf("%s answers %q, want %q", tt.tool, got, tt.want)
			}
		}
		if got := c.call(t, "count_up", map[string]any{"steps": 3}); got != "counted to 3" {
			t.Errorf("count_up answers %q", got)
		}
		until(t, "progress arrives", func() bool { return c.has("progress") })
		tools, err := c.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) < 8 {
			t.Errorf("tools %v, %v", tools, err)
		}
		prompts, err := c.ListPrompts(t.Context(), nil)
		if err != nil || len(prompts.Prompts) != 1 {
			t.Errorf("prompts %v, %v", prompts, err)
		}
		prompt, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "greeting", Arguments: map[string]string{"who": "Ada"}})
		if err != nil || len(prompt.Messages) != 1 {
			t.Errorf("prompt %v, %v", prompt, err)
		}
		resources, err := c.ListResources(t.Context(), nil)
		if err != nil || len(resources.Resources) != 1 {
			t.Errorf("resources %v, %v", resources, err)
		}
		templates, err := c.ListResourceTemplates(t.Context(), nil)
		if err != nil || len(templates.ResourceTemplates) != 1 {
			t.Errorf("templates %v, %v", templates, err)
		}
		note, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: featureserver.Resource})
		if err != nil || !strings.HasPrefix(note.Contents[0].Text, "the note at") {
			t.Errorf("resource %v, %v", note, err)
		}
		words, err := c.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "greeting"}, Argument: mcp.CompleteParamsArgument{Name: "who", Value: "a"}})
		if err != nil || len(words.Completion.Values) != 2 {
			t.Errorf("completion %v, %v", words, err)
		}
		if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "nobody"}); err == nil || !strings.Contains(err.Error(), "nobody") {
			t.Errorf("an unknown tool gives %v", err)
		}
	})
}

func TestServersAskClientsOfEveryEra(t *testing.T) {
	everyPair(t, func(t *testing.T, c *sdkClient, _ *featureserver.Server) {
		skipWithoutSessions(t, c, "a server without sessions can't ask a legacy client")
		for range 2 {
			if got := c.call(t, "ask_user_name", nil); !strings.HasPrefix(got, "accept: Hello, Ada!") {
				t.Errorf("ask_user_name answers %q", got)
			}
			if got := c.call(t, "ask_model", nil); got != "the model says: Paris" {
				t.Errorf("ask_model answers %q", got)
			}
		}
	})
}

func TestLogMessagesReachClientsThatWantThem(t *testing.T) {
	everyPair(t, func(t *testing.T, c *sdkClient, _ *featureserver.Server) {
		skipWithoutSessions(t, c, "a server without sessions forgets the level")
		params := &mcp.CallToolParams{Name: "log_three_lines"}
		if c.InitializeResult().ProtocolVersion >= wire.ModernVersion {
			params.Meta = mcp.Meta{metaLogLevel: "info"}
		} else if err := c.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		until(t, "the third line arrives", func() bool { return c.has("log line 3") })
	})
}

func TestCancellingReachesTheServer(t *testing.T) {
	everyPair(t, func(t *testing.T, c *sdkClient, s *featureserver.Server) {
		skipWithoutSessions(t, c, "a server without sessions can't tell whose request a cancellation means")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "wait_for_cancel"})
			done <- err
		}()
		until(t, "it waits", func() bool { return s.Waiting() == 1 })
		cancel()
		if err := <-done; err == nil {
			t.Error("the cancelled call succeeded")
		}
		until(t, "it is cancelled", func() bool { return s.Cancelled() == 1 && s.Waiting() == 0 })
	})
}

func TestSubscriptionsReachClientsOfEveryEra(t *testing.T) {
	everyPair(t, func(t *testing.T, c *sdkClient, _ *featureserver.Server) {
		skipWithoutSessions(t, c, "a server without sessions has no stream")
		if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: featureserver.Resource}); err != nil {
			t.Fatal(err)
		}
		until(t, "the change arrives", func() bool {
			c.call(t, "touch_note", nil)
			return c.has("updated " + featureserver.Resource)
		})
		if err := c.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: featureserver.Resource}); err != nil {
			t.Error(err)
		}
	})
}
