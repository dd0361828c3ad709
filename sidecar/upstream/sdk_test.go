package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/sidecar/wire"
)

// sdkServer is a real go-sdk server with ten tools on four pages and one that
// asks its client for input.
func sdkServer(t *testing.T, o mcp.StreamableHTTPOptions) string {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "real", Version: "1"}, &mcp.ServerOptions{PageSize: 3})
	for i := range 10 {
		name := fmt.Sprintf("real_%d", i)
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name + string(r.Params.Arguments)}}}, nil
			})
	}
	s.AddTool(&mcp.Tool{Name: "real_ask", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			_, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Name?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)})
			return nil, err
		})
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &o)
	up := httptest.NewServer(h)
	t.Cleanup(func() {
		up.CloseClientConnections()
		up.Close()
	})
	return up.URL
}

func TestListAndCallRealServers(t *testing.T) {
	for name, tc := range map[string]struct {
		options mcp.StreamableHTTPOptions
		era     wire.Era // of the listing
	}{
		"stateless, event streams": {mcp.StreamableHTTPOptions{Stateless: true}, wire.Modern},
		"stateless, JSON":          {mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}, wire.Modern},
		"stateful, event streams":  {mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)}, wire.Legacy},
		"stateful, JSON":           {mcp.StreamableHTTPOptions{JSONResponse: true}, wire.Legacy},
	} {
		t.Run(name, func(t *testing.T) {
			target := Target{URL: sdkServer(t, tc.options)}
			c := newClient(t, nil)
			l, err := c.List(t.Context(), target, who(t, token), ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if len(l.Tools) != 11 || l.Pages != 4 || l.Era != tc.era || l.TTL != 0 {
				t.Errorf("%d tools, %d pages, era %v, TTL %v", len(l.Tools), l.Pages, l.Era, l.TTL)
			}
			eras := []wire.Era{wire.Legacy}
			if tc.options.Stateless {
				eras = []wire.Era{wire.Modern, wire.Legacy}
			}
			for _, era := range eras {
				callReal(t, c, target, era)
			}
		})
	}
}

func callReal(t *testing.T, c *Client, target Target, era wire.Era) {
	t.Helper()
	call := Call{Era: era, Name: "real_3", Arguments: []byte(`{"n":9007199254740993}`)}
	if era == wire.Legacy {
		call.Version = "2025-11-25"
		call.Session = openSession(t, c, target)
	}
	a, err := c.Call(t.Context(), target, who(t, token), call)
	if err != nil || !strings.Contains(string(a.Result), `real_3{\"n\":9007199254740993}`) {
		t.Errorf("%v call: answer %+v, error %v", era, a, err)
	}
	call.Name = "nobody"
	a, err = c.Call(t.Context(), target, who(t, token), call)
	if err != nil || a.ErrorCode != wire.CodeInvalidParams {
		t.Errorf("%v unknown tool: answer %+v, error %v", era, a, err)
	}
}

// openSession is "" for a server without sessions.
func openSession(t *testing.T, c *Client, target Target) string {
	t.Helper()
	r, err := c.route(target, who(t, token), wire.Trace{})
	if err != nil {
		t.Fatal(err)
	}
	budget := int64(1 << 20)
	p, err := r.initialize(t.Context(), &budget)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.initialized(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.endSession(context.Background(), p) })
	return p.session
}

// TestARealServerThatAsks: the question comes in the client's own session,
// whose client said it can answer. Ours can't in a batch, and says so.
func TestARealServerThatAsks(t *testing.T) {
	url := sdkServer(t, mcp.StreamableHTTPOptions{})
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept"}, nil
		},
	})
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	s, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: tr}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = newClient(t, nil).Call(t.Context(), Target{URL: url}, who(t, token),
		Call{Era: wire.Legacy, Version: "2025-11-25", Session: s.ID(), Name: "real_ask"})
	if e := mustKind(t, err, Refused); !strings.Contains(e.Detail, "elicitation") {
		t.Errorf("detail = %q", e.Detail)
	}
}
