//lint:file-ignore SA1019 clients still use what the protocol deprecates: sampling

package aggregate_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/internal/featureserver"
	"mcp-toolsearch/sidecar/servers"
)

// features starts a server with one of everything.
func features(t *testing.T, stateful bool) (*featureserver.Server, string) {
	t.Helper()
	f := featureserver.New(stateful)
	h := f.Handler
	if !stateful {
		h = modernOnly(h)
	}
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return f, s.URL
}

// modernOnly refuses what a server of the modern era alone refuses.
func modernOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case r.Header.Get("Mcp-Protocol-Version") < featureserver.Modern:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"unsupported","data":{"supported":["2026-07-28"]}}}`)
		default:
			h.ServeHTTP(w, r)
		}
	})
}

// pair is two servers of one kind with everything twice, and a third that has
// nothing but one tool.
type pair struct {
	*rig
	one, two *featureserver.Server
}

func twoOfEverything(t *testing.T, stateful bool) pair {
	t.Helper()
	one, first := features(t, stateful)
	two, second := features(t, stateful)
	third := sdk(t, stateful, echoes("third=third"))
	return pair{start(t, []servers.Server{at("third", third.URL), at("one", first), at("two", second)}), one, two}
}

// inEra runs a test with servers and clients of each pair of eras.
func inEra(t *testing.T, test func(t *testing.T, p pair, version string)) {
	for name, version := range map[string]string{"modern client": "2026-07-28", "legacy client": "2025-11-25"} {
		for server, stateful := range map[string]bool{"modern servers": false, "legacy servers": true} {
			t.Run(name+", "+server, func(t *testing.T) {
				test(t, twoOfEverything(t, stateful), version)
			})
		}
	}
}

func TestPromptsResourcesAndCompletionReachTheirServers(t *testing.T) {
	inEra(t, func(t *testing.T, p pair, version string) {
		s := connect(t, p.url, nil, version)
		prompts, err := s.ListPrompts(t.Context(), nil)
		if err != nil || len(prompts.Prompts) != 2 || prompts.Prompts[0].Name != "greeting" || prompts.Prompts[1].Name != "two__greeting" {
			t.Fatalf("prompts: %v, %+v", err, prompts)
		}
		for _, name := range []string{"greeting", "two__greeting"} {
			got, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: map[string]string{"who": "Ada"}})
			if err != nil || got.Messages[0].Content.(*mcp.TextContent).Text != "Greet Ada" {
				t.Errorf("%s: %v, %+v", name, err, got)
			}
			done, err := s.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: name},
				Argument: mcp.CompleteParamsArgument{Name: "who", Value: "a"}})
			if err != nil || !slices.Equal(done.Completion.Values, []string{"Ada", "Alan"}) {
				t.Errorf("completing %s: %v, %+v", name, err, done)
			}
		}
		list, err := s.ListResources(t.Context(), nil)
		if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != featureserver.Resource {
			t.Fatalf("resources: %v, %+v", err, list)
		}
		templates, err := s.ListResourceTemplates(t.Context(), nil)
		if err != nil || len(templates.ResourceTemplates) != 1 {
			t.Fatalf("templates: %v, %+v", err, templates)
		}
		for _, uri := range []string{featureserver.Resource, "note://yesterday"} {
			got, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if err != nil || got.Contents[0].Text != "the note at "+uri {
				t.Errorf("%s: %v, %+v", uri, err, got)
			}
		}
		if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "nobody://has/this"}); err == nil {
			t.Error("an address of nobody's is read")
		}
		if _, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "nobody's"}); err == nil {
			t.Error("a prompt of nobody's is got")
		}
	})
}

func TestProgressAndLogsArriveFromEachServer(t *testing.T) {
	inEra(t, func(t *testing.T, p pair, version string) {
		var mu sync.Mutex
		seen := map[any]int{}
		s := connect(t, p.url, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			seen[r.Params.ProgressToken]++
		}}, version)
		names(t, s)
		for _, name := range []string{"count_up", "two__count_up"} {
			params := &mcp.CallToolParams{Name: name, Arguments: map[string]any{"steps": 3}}
			params.SetProgressToken("token-" + name)
			res, err := s.CallTool(t.Context(), params)
			if err != nil || res.IsError {
				t.Fatalf("%s: %v %+v", name, err, res)
			}
			eventually(t, "three reports of "+name, func() bool {
				mu.Lock()
				defer mu.Unlock()
				return seen["token-"+name] == 3
			})
		}
	})
}

func TestServersAskTheirClients(t *testing.T) {
	inEra(t, func(t *testing.T, p pair, version string) {
		o := &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
			},
			CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
				return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: "Paris"}}, nil
			},
		}
		var clients []*mcp.ClientSession
		for range 3 {
			clients = append(clients, connect(t, p.url, o, version))
		}
		var work sync.WaitGroup
		for _, s := range clients {
			for _, name := range []string{"ask_user_name", "two__ask_user_name", "ask_model", "two__ask_model"} {
				work.Go(func() {
					got, err := tryCall(t.Context(), s, name, nil)
					if err != nil || len(got) < len("accept") {
						t.Errorf("%s: %v %q", name, err, got)
					}
				})
			}
		}
		work.Wait()
	})
}

func TestACancelledCallIsCancelledAtItsServer(t *testing.T) {
	inEra(t, func(t *testing.T, p pair, version string) {
		s := connect(t, p.url, nil, version)
		for name, f := range map[string]*featureserver.Server{"wait_for_cancel": p.one, "two__wait_for_cancel": p.two} {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_, _ = tryCall(ctx, s, name, nil)
			}()
			eventually(t, name+" waits", func() bool { return f.Waiting() == 1 })
			cancel()
			<-ended
			eventually(t, name+" is cancelled", func() bool { return f.Cancelled() == 1 && f.Waiting() == 0 })
		}
	})
}

func TestASubscriberHearsOfItsResource(t *testing.T) {
	for name, stateful := range map[string]bool{"modern servers": false, "legacy servers": true} {
		t.Run(name, func(t *testing.T) {
			p := twoOfEverything(t, stateful)
			heard := make(chan string, 10)
			s := connect(t, p.url, &mcp.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
				heard <- r.Params.URI
			}}, "2025-11-25")
			if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: featureserver.Resource}); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the subscriber hears", func() bool {
				call(t, s, "touch_note")
				select {
				case uri := <-heard:
					return uri == featureserver.Resource
				case <-time.After(100 * time.Millisecond):
					return false
				}
			})
			if err := s.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: featureserver.Resource}); err != nil {
				t.Fatal(err)
			}
		})
	}
}
