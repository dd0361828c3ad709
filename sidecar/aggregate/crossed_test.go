package aggregate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/sidecar/servers"
)

// marks adds a tool that repeats a caller's mark behind its own server's name.
func marks(name string) func(*mcp.Server) {
	return func(s *mcp.Server) {
		s.AddTool(&mcp.Tool{Name: "mark", InputSchema: map[string]any{"type": "object"}},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				var in struct{ Mark string }
				if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
					return nil, err
				}
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name + " " + in.Mark}}}, nil
			})
	}
}

func TestNoAnswerIsAnothersWhileServersRestart(t *testing.T) {
	var list []servers.Server
	var places []*switchable
	for i := range 4 {
		name := fmt.Sprint("s", i)
		place := &switchable{}
		place.set(stateful(t, marks(name)))
		places = append(places, place)
		list = append(list, at(name, place.start(t)))
	}
	r := start(t, list)
	var work, restarts sync.WaitGroup
	var answered, failed atomic.Int64
	many := make(chan bool, 100) // told after every twenty answers
	for client := range 12 {
		version := []string{"2026-07-28", "2025-11-25", "2025-06-18"}[client%3]
		s := connect(t, r.url, nil, version)
		names(t, s)
		work.Go(func() {
			for n := range 40 {
				server := fmt.Sprint("s", (client+n)%4)
				tool := "mark"
				if server != "s0" {
					tool = server + "__mark"
				}
				mark := fmt.Sprintf("client %d call %d", client, n)
				text, err := tryCall(t.Context(), s, tool, map[string]any{"mark": mark})
				switch {
				case err == nil && text == server+" "+mark:
					if answered.Add(1)%20 == 0 {
						many <- true
					}
				case err == nil:
					t.Errorf("%s of %s is answered with %q", mark, server, text)
				case strings.Contains(text, "server "+server):
					failed.Add(1) // it said so
				default:
					t.Errorf("%s of %s: %v", mark, server, err)
				}
			}
		})
	}
	restarts.Go(func() {
		i := 0
		for range many {
			places[i%4].set(stateful(t, marks(fmt.Sprint("s", i%4))))
			i++
		}
	})
	work.Wait()
	close(many)
	restarts.Wait()
	if answered.Load() < 400 {
		t.Errorf("%d answers, %d failures that said so", answered.Load(), failed.Load())
	}
}
