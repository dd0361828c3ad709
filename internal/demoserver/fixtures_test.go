//lint:file-ignore SA1019 clients still use what the protocol deprecates: sampling, logging

package demoserver_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/internal/demoserver"
	"mcp-toolsearch/internal/evalcatalog"
)

// talkative is a client that answers what it is asked and keeps what it is told.
type talkative struct {
	mu       sync.Mutex
	progress []float64
	logged   []string
	told     chan struct{} // one value for every notification
}

func (c *talkative) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			name := "Ona"
			if strings.Contains(req.Params.Message, "family") {
				name = "Liepa"
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": name}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: "Vilnius"}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			c.mu.Lock()
			c.progress = append(c.progress, req.Params.Progress)
			c.mu.Unlock()
			c.told <- struct{}{}
		},
		LoggingMessageHandler: func(_ context.Context, req *mcp.LoggingMessageRequest) {
			c.mu.Lock()
			c.logged = append(c.logged, string(req.Params.Level))
			c.mu.Unlock()
			c.told <- struct{}{}
		},
	}
}

// hear waits for n notifications.
func (c *talkative) hear(t *testing.T, n int) {
	t.Helper()
	for range n {
		select {
		case <-c.told:
		case <-t.Context().Done():
			t.Fatal("the test ended before all notifications came")
		}
	}
}

func withFixtures(t *testing.T, e era) (*mcp.ClientSession, *talkative) {
	t.Helper()
	client := &talkative{told: make(chan struct{}, 1000)}
	url := serve(t, demoserver.Options{Tools: []evalcatalog.Tool{}, Fixtures: true, Stateful: e.stateful})
	return connect(t, url, e, "", client.options()), client
}

func textOf(result *mcp.CallToolResult) string {
	if len(result.Content) == 0 {
		return ""
	}
	text, _ := result.Content[0].(*mcp.TextContent)
	if text == nil {
		return ""
	}
	return text.Text
}

func TestFixturesDoWhatTheySay(t *testing.T) {
	for _, e := range eras()[:2] {
		t.Run(e.name, func(t *testing.T) {
			session, _ := withFixtures(t, e)
			for _, tt := range []struct {
				tool      string
				arguments map[string]any
				want      string
			}{
				{"fixture_ask_person", nil, "person: accept Ona"},
				{"fixture_ask_model", nil, "model: Vilnius"},
				{"fixture_picture", nil, "a picture"},
				{"fixture_big_numbers", nil, `{"above":9007199254740993,"most":18446744073709551615,"one":1.0,"small":1e-7}`},
				{"fixture_echo", map[string]any{"anything": "ą"}, `{"anything":"ą"}`},
				{"fixture_big_result", map[string]any{"bytes": 5}, "aaaaa"},
				{"fixture_fails", map[string]any{"how": "result"}, "it failed, as asked for"},
				{"fixture_sleep", map[string]any{"ms": 0}, "slept"},
			} {
				result, _ := call(t, session, tt.tool, tt.arguments)
				if got := textOf(result); got != tt.want {
					t.Errorf("%s answers %q, want %q", tt.tool, got, tt.want)
				}
			}
			tools := listed(t.Context(), t, session)
			for _, name := range demoserver.FixtureNames() {
				if tools[name] == nil {
					t.Errorf("%s is not listed", name)
				}
			}
		})
	}
}

func TestTheWizardAsksTwiceInTheModernEra(t *testing.T) {
	session, _ := withFixtures(t, eras()[0])
	result, _ := call(t, session, "fixture_wizard", nil)
	if got := textOf(result); got != "first=accept Ona, second=accept Liepa" {
		t.Errorf("the wizard answers %q", got)
	}
}

func TestProgressAndLogsReachTheClient(t *testing.T) {
	for _, e := range eras()[:2] {
		t.Run(e.name, func(t *testing.T) {
			session, client := withFixtures(t, e)
			params := &mcp.CallToolParams{Name: "fixture_slow_report", Arguments: map[string]any{"steps": 4}}
			params.SetProgressToken("p1")
			result, err := session.CallTool(t.Context(), params)
			if err != nil || textOf(result) != "report of 4 steps" {
				t.Fatalf("the report answers %+v, %v", result, err)
			}
			client.hear(t, 4)
			client.mu.Lock()
			if slices.Sort(client.progress); !slices.Equal(client.progress, []float64{1, 2, 3, 4}) {
				t.Errorf("progress %v, want 1 to 4", client.progress)
			}
			client.mu.Unlock()
			if !e.stateful {
				return // the modern era sets the level on each request, which this client can't
			}
			if err := session.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
				t.Fatal(err)
			}
			call(t, session, "fixture_log", nil)
			client.hear(t, 2)
		})
	}
}

func TestFixturesFailAsAskedFor(t *testing.T) {
	session, _ := withFixtures(t, eras()[1])
	for how, want := range map[string]string{"invalid_params": "otherwise", "internal": "broke"} {
		_, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "fixture_fails", Arguments: map[string]any{"how": how}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", how, err, want)
		}
	}
	if result, _ := call(t, session, "fixture_fails", map[string]any{"how": "otherwise"}); !result.IsError {
		t.Error("an argument outside the enum is taken")
	}
}

func TestHeadersAreToldWithoutTheToken(t *testing.T) {
	e := eras()[0]
	url := serve(t, demoserver.Options{Tools: []evalcatalog.Tool{}, Fixtures: true, Tokens: []string{"sesame"}})
	session := connect(t, url, e, "sesame", nil)
	listed(t.Context(), t, session) // the client sends parameters as headers only for tools it knows
	result, object := call(t, session, "fixture_headers", map[string]any{"region": "north", "count": 7})
	told, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"Mcp-Param-Region":["north"]`, `"Mcp-Param-Count":["7"]`, `"Mcp-Name":["fixture_headers"]`} {
		if !strings.Contains(string(told), want) {
			t.Errorf("the headers %s lack %s", told, want)
		}
	}
	if strings.Contains(textOf(result), "sesame") {
		t.Error("the token is in the answer")
	}
}

func TestPromptsResourcesAndCompletionWork(t *testing.T) {
	for _, e := range eras() {
		t.Run(e.name, func(t *testing.T) {
			session := connect(t, serve(t, demoserver.Options{Stateful: e.stateful}), e, "", nil)
			prompt, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "weekly_report", Arguments: map[string]string{"team": "billing"}})
			if err != nil {
				t.Fatal(err)
			}
			if text, _ := prompt.Messages[0].Content.(*mcp.TextContent); text == nil || !strings.Contains(text.Text, "billing") {
				t.Errorf("the prompt says %+v", text)
			}
			read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: demoserver.ServersURI + "/skylark"})
			if err != nil || !strings.Contains(read.Contents[0].Text, "skylark_forecast") {
				t.Errorf("the resource reads %+v, %v", read, err)
			}
			if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: demoserver.ServersURI + "/nobody"}); err == nil {
				t.Error("a server that isn't there can be read")
			}
			done, err := session.Complete(t.Context(), &mcp.CompleteParams{
				Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "weekly_report"},
				Argument: mcp.CompleteParamsArgument{Name: "team", Value: "b"},
			})
			if err != nil || !slices.Equal(done.Completion.Values, []string{"backend", "billing"}) {
				t.Errorf("completion offers %+v, %v", done, err)
			}
		})
	}
}

func TestACancelledCallEnds(t *testing.T) {
	for _, e := range eras()[:2] {
		t.Run(e.name, func(t *testing.T) {
			session, client := withFixtures(t, e)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() {
				params := &mcp.CallToolParams{Name: "fixture_slow_report", Arguments: map[string]any{"steps": 1000, "interval_ms": 20}}
				params.SetProgressToken("p1")
				_, err := session.CallTool(ctx, params)
				ended <- err
			}()
			client.hear(t, 1)
			cancel()
			if err := <-ended; err == nil {
				t.Error("a cancelled call has an answer")
			}
		})
	}
}

func TestEveryToolOfTheCatalogAnswers(t *testing.T) {
	session := connect(t, serve(t, demoserver.Options{}), eras()[0], "", nil)
	tools, err := evalcatalog.Tools()
	if err != nil {
		t.Fatal(err)
	}
	pictures := 0
	for _, tool := range tools {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: map[string]any{}})
		if err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		if result.IsError && !strings.HasPrefix(textOf(result), "invalid arguments: ") {
			t.Errorf("%s fails: %s", tool.Name, textOf(result))
		}
		for _, content := range result.Content {
			if _, ok := content.(*mcp.ImageContent); ok {
				pictures++
			}
		}
	}
	if pictures == 0 {
		t.Error("no tool shows a picture")
	}
}
