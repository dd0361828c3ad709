package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/featureserver"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/setup"
	"mcp-toolsearch/sidecar"
)

// gopher is a stateful server on the go-sdk, with the same tools as servers/snake.py and servers/typed.mjs.
func gopher() http.Handler {
	var words sync.Map // by session
	server := mcp.NewServer(&mcp.Implementation{Name: "gopher", Version: "1"}, &mcp.ServerOptions{Instructions: "Remembers a word for each session."})
	say := func(format string, args ...any) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
	}
	reads, writes := &mcp.ToolAnnotations{ReadOnlyHint: true}, &mcp.ToolAnnotations{}
	type remember struct {
		Word string `json:"word"`
	}
	type count struct {
		Steps int `json:"steps"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "gopher_remember", Description: "Remember a word in this session.", Annotations: writes},
		func(_ context.Context, r *mcp.CallToolRequest, in remember) (*mcp.CallToolResult, any, error) {
			words.Store(r.Session.ID(), in.Word)
			return say("remembered %s", in.Word), nil, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "gopher_recall", Description: "Recall the word of this session.", Annotations: reads},
		func(_ context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			word, _ := words.Load(r.Session.ID())
			return say("the word is %v", word), nil, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "gopher_picture", Description: "Draw a pixel.", Annotations: reads},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: featureserver.Picture(), MIMEType: "image/png"}}}, nil, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "gopher_count", Description: "Count with progress.", Annotations: reads},
		func(ctx context.Context, r *mcp.CallToolRequest, in count) (*mcp.CallToolResult, any, error) {
			for i := 1; i <= in.Steps; i++ {
				p := &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i), Total: float64(in.Steps)}
				if err := r.Session.NotifyProgress(ctx, p); err != nil {
					return nil, nil, err
				}
			}
			return say("counted to %d", in.Steps), nil, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "gopher_ask", Description: "Ask the user for a name.", Annotations: writes},
		func(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			answer, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "What is your name?", RequestedSchema: &jsonschema.Schema{
				Type: "object", Properties: map[string]*jsonschema.Schema{"name": {Type: "string"}}, Required: []string{"name"}}})
			if err != nil {
				return nil, nil, err
			}
			return say("%s: %v", answer.Action, answer.Content["name"]), nil, nil
		})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
}

// serverScript is a program of e2e/servers.
func serverScript(t *testing.T, name string) string {
	t.Helper()
	root, err := setup.Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "e2e", "servers", name)
}

// realServers are a FastMCP server and a TypeScript one, each as a command and by HTTP, and a Go one.
func realServers(t *testing.T) map[string]e2e.Server {
	t.Helper()
	python := map[string]string{"PYTHONPATH": fixtures.PythonPath(t), "PYTHONDONTWRITEBYTECODE": "1"}
	typed := filepath.Join(nodeScripts(t), "typed.mjs")
	snakeAt, typedAt := e2e.FreeAddress(t), e2e.FreeAddress(t)
	e2e.RunIn(t, python, fixtures.Python(t), serverScript(t, "snake.py"), snakeAt)
	e2e.Run(t, fixtures.Node(t), typed, typedAt)
	for _, at := range []string{snakeAt, typedAt} {
		e2e.Until(t, "the server at "+at+" answers", func() bool {
			resp, err := http.Get("http://" + at + "/mcp")
			return err == nil && resp.Body.Close() == nil
		})
	}
	return map[string]e2e.Server{
		"gopher":   {URL: "http://" + string(e2e.Serve(t, gopher())) + "/mcp", Auth: "caller"},
		"snake":    {Command: fixtures.Python(t), Args: []string{serverScript(t, "snake.py"), "stdio"}, Env: python},
		"snakeweb": {URL: "http://" + snakeAt + "/mcp", Prefix: "web", Auth: "caller"},
		"typed":    {Command: fixtures.Node(t), Args: []string{typed, "stdio"}},
		"typedweb": {URL: "http://" + typedAt + "/mcp", Prefix: "web", Auth: "caller"},
	}
}

// toolsOf are the beginnings of the names of all five tools of a server.
func toolsOf() []string {
	return []string{"gopher_", "snake_", "typed_", "web__snake_", "web__typed_"}
}

// TestRealServersMerged merges servers of three SDKs, as commands and by HTTP, and lets two clients of each era work on
// them at the same time: list, read, write, pictures, progress, questions to the user, and a memory of one's own.
func TestRealServersMerged(t *testing.T) {
	d := e2e.Merge(t, programs.Build(t, e2e.Sidecar), realServers(t), "--share-caller-token")
	for _, version := range []string{"2025-11-25", featureserver.Modern} {
		t.Run(version, func(t *testing.T) {
			ada, bob := visit(t, d.Origin+"/mcp", version, "ada"), visit(t, d.Origin+"/mcp", version, "bob")
			for _, p := range []*player{ada, bob} {
				p.until(t, "snake_recall", "typed_recall") // commands take a while to start
			}
			if listed, err := ada.session.ListTools(t.Context(), nil); err != nil || len(listed.Tools) != len(sidecar.MetaToolNames()) {
				t.Errorf("listed %v, %v", listed, err)
			}
			for _, prefix := range toolsOf() {
				t.Run(prefix, func(t *testing.T) { playServer(t, version, prefix, ada, bob) })
			}
		})
	}
}

// until waits until a client's search finds tools.
func (p *player) until(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		e2e.Slowly(t, p.version+": search finds "+tool, func() bool {
			return p.meta(sidecar.SearchTools, object{"query": tool, "limit": 1}, wants{has: []string{"1. " + tool + " |"}}) == nil
		})
	}
}

// playServer plays all five tools of one server with two clients.
func playServer(t *testing.T, version, prefix string, ada, bob *player) {
	read := func(p *player, tool string, args any, meta mcp.Meta) (*mcp.CallToolResult, error) {
		return p.call(t.Context(), sidecar.CallReadTool, e2e.Item{Name: prefix + tool, Arguments: args}, meta)
	}
	check := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	check("search", ada.meta(sidecar.SearchTools, object{"query": prefix + "recall"}, wants{has: []string{prefix + "recall"}}))
	for name, p := range map[string]*player{"ada": ada, "bob": bob} {
		item := e2e.Item{Name: prefix + "remember", Arguments: object{"word": "word of " + name}}
		check("remember", wants{has: []string{"remembered word of " + name}}.check(p.call(t.Context(), sidecar.CallWriteTool, item, nil)))
	}
	if hasMemory(version, prefix) {
		for name, p := range map[string]*player{"ada": ada, "bob": bob} {
			check("recall of "+name, wants{has: []string{"the word is word of " + name}}.check(read(p, "recall", nil, nil)))
		}
	}
	check("picture", func() error {
		result, err := read(ada, "picture", nil, nil)
		if err != nil {
			return err
		}
		for _, c := range result.Content {
			if picture, ok := c.(*mcp.ImageContent); ok && picture.MIMEType == "image/png" && len(picture.Data) > 0 {
				return nil
			}
		}
		return fmt.Errorf("no picture in %s", textOf(result))
	}())
	ada.mu.Lock()
	ada.progress = nil
	ada.mu.Unlock()
	check("count", wants{has: []string{"counted to 3"}}.check(read(ada, "count", object{"steps": 3}, mcp.Meta{"progressToken": "c-" + prefix})))
	check("progress", eventually("progress 1 to 3", func() bool {
		ada.mu.Lock()
		defer ada.mu.Unlock()
		return fmt.Sprint(ada.progress) == "[1 2 3]"
	}))
	if asksUsers(version, prefix) {
		item := e2e.Item{Name: prefix + "ask"}
		check("ask", wants{has: []string{"accept: Ada"}}.check(ada.call(t.Context(), sidecar.CallWriteTool, item, nil)))
	}
}

// hasMemory tells whether a server remembers each client: of clients without sessions, those are told apart by their
// token, which commands don't get; and FastMCP has no sessions in the modern era.
func hasMemory(version, prefix string) bool {
	return version != featureserver.Modern || prefix == "gopher_" || prefix == "web__typed_"
}

// asksUsers tells whether a server can ask the user: FastMCP can't in the modern era.
func asksUsers(version, prefix string) bool {
	return version != featureserver.Modern || !strings.Contains(prefix, "snake_")
}

// visit connects a client that answers every question with Ada.
func visit(t *testing.T, url, version, name string) *player {
	t.Helper()
	p := &player{ctx: t.Context(), version: version}
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: object{"name": "Ada", "value": "Ada"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { p.onProgress(r.Params.Progress) },
	})
	own := &http.Transport{}
	var err error
	p.session, err = client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer{own, name}}},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.session.Close(); err != nil && !errors.Is(err, context.Canceled) {
			t.Log(err)
		}
		own.CloseIdleConnections()
	})
	return p
}

// bearer says who asks.
type bearer struct {
	next http.RoundTripper
	name string
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.name)
	return b.next.RoundTrip(r)
}
