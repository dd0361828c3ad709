//lint:file-ignore SA1019 clients still use what the protocol deprecates: sampling

package relay_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/internal/featureserver"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
)

type object = map[string]any

// talk is a session of the go-sdk's client with the door in front of a server with one of everything.
type talk struct {
	session *mcp.ClientSession
	server  *featureserver.Server

	mu       sync.Mutex
	progress []float64
}

func connect(t *testing.T, version string, stateful bool) *talk {
	t.Helper()
	return connectOver(t, version, stateful, func(upstream string) mcp.Transport {
		r := open(t, upstreamtest.New(t), nil, func(s *testdoor.Setup) { s.Engine.Upstream = upstream })
		return &mcp.StreamableClientTransport{Endpoint: r.url(), HTTPClient: r.client}
	})
}

func connectOver(t *testing.T, version string, stateful bool, way func(upstream string) mcp.Transport) *talk {
	t.Helper()
	k := &talk{server: featureserver.New(stateful)}
	web := httptest.NewServer(k.server.Handler)
	t.Cleanup(web.Close)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: object{"name": "Ada"}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "none", Content: &mcp.TextContent{Text: "Paris"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, p *mcp.ProgressNotificationClientRequest) {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.progress = append(k.progress, p.Params.Progress)
		},
	})
	session, err := client.Connect(t.Context(), way(web.URL), &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	k.session = session
	t.Cleanup(func() { _ = session.Close() })
	return k
}

// call runs a tool through one of the call tools, or a meta-tool when tool is empty.
func (k *talk) call(t *testing.T, door, tool string, arguments object, meta mcp.Meta) string {
	t.Helper()
	params := &mcp.CallToolParams{Name: door, Arguments: arguments, Meta: meta}
	if tool != "" {
		params.Arguments = object{"name": tool, "arguments": arguments}
	}
	got, err := k.session.CallTool(t.Context(), params)
	if err != nil {
		t.Fatalf("%s %s: %v", door, tool, err)
	}
	var all []string
	for _, c := range got.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			all = append(all, text.Text)
		}
	}
	return strings.Join(all, "\n")
}

func TestAConversationOfTheSDKsClient(t *testing.T) {
	converse(t, connect)
}

// converse has a conversation about everything, in each era.
func converse(t *testing.T, connect func(*testing.T, string, bool) *talk) {
	t.Helper()
	for era, how := range map[string]struct {
		version  string
		stateful bool
	}{"modern": {featureserver.Modern, false}, "legacy with sessions": {"2025-11-25", true}, "legacy without sessions": {"2025-06-18", false}} {
		t.Run(era, func(t *testing.T) {
			k := connect(t, how.version, how.stateful)
			if got := k.session.InitializeResult().Instructions; !strings.HasPrefix(got, sidecar.Guidance) || !strings.HasSuffix(got, featureserver.Instructions) {
				t.Errorf("instructions %q", got)
			}
			listed, err := k.session.ListTools(t.Context(), nil)
			if err != nil || len(listed.Tools) != len(sidecar.MetaToolNames()) {
				t.Fatalf("listed %v, %v", listed, err)
			}
			asks := how.version == featureserver.Modern || how.stateful // a legacy server without sessions can't ask or be told
			for _, tt := range []struct {
				door, tool string
				arguments  object
				want       string
				asks       bool
			}{
				{sidecar.SearchTools, "", object{"query": "count progress"}, "count_up", false},
				{sidecar.DescribeTools, "", object{"names": []string{"notes_add"}}, "inputSchema", false},
				{sidecar.CallReadTool, "notes_list", object{}, "buy milk", false},
				{sidecar.CallReadTools, "", object{"calls": []object{{"name": "notes_list"}, {"name": "always_fail"}}}, "this tool always fails", false},
				{sidecar.CallReadTool, "notes_add", object{"text": "x"}, sidecar.CallWriteTool, false},
				{sidecar.CallWriteTool, "notes_add", object{"text": "call Ada"}, "noted: call Ada", false},
				{sidecar.CallReadTool, "show_picture", object{}, "a pixel", false},
				{sidecar.CallWriteTool, "ask_user_name", object{}, "accept: Hello, Ada!", true},
				{sidecar.CallWriteTool, "ask_model", object{}, "the model says: Paris", true},
			} {
				if tt.asks && !asks {
					continue
				}
				if got := k.call(t, tt.door, tt.tool, tt.arguments, nil); !strings.Contains(got, tt.want) {
					t.Errorf("%s %s answers %.500q, want %q", tt.door, tt.tool, got, tt.want)
				}
			}
			k.progresses(t)
			if asks {
				k.cancels(t)
			}
		})
	}
}

func (k *talk) progresses(t *testing.T) {
	t.Helper()
	if got := k.call(t, sidecar.CallReadTool, "count_up", object{"steps": 4, "pause_ms": 5}, mcp.Meta{"progressToken": "p-1"}); got != "counted to 4" {
		t.Errorf("count_up answers %q", got)
	}
	eventually(t, "progress 1 to 4, in order", func() bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		return slices.Equal(k.progress, []float64{1, 2, 3, 4})
	})
}

func (k *talk) cancels(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := k.session.CallTool(ctx, &mcp.CallToolParams{Name: sidecar.CallReadTool, Arguments: object{"name": "wait_for_cancel", "arguments": object{}}})
		done <- err
	}()
	eventually(t, "the tool waits", func() bool { return k.server.Waiting() == 1 })
	cancel()
	if err := <-done; err == nil {
		t.Error("the cancelled call succeeded")
	}
	eventually(t, "the tool was cancelled", func() bool { return k.server.Cancelled() == 1 && k.server.Waiting() == 0 })
}
