package aggregate_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/sidecar/aggregate"
	"mcp-toolsearch/sidecar/member"
	"mcp-toolsearch/sidecar/servers"
)

// gated adds a tool that waits until the gate opens.
func gated(name string, entered chan<- struct{}, gate <-chan struct{}) func(*mcp.Server) {
	return func(s *mcp.Server) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}},
			func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				entered <- struct{}{}
				select {
				case <-gate:
				case <-ctx.Done():
					return nil, ctx.Err()
				}
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil
			})
	}
}

func TestAReloadLetsRunningCallsEnd(t *testing.T) {
	entered, gate := make(chan struct{}, 1), make(chan struct{})
	a := sdk(t, true, echoes("stays=stays"))
	b := sdk(t, true, gated("leaves", entered, gate))
	c := sdk(t, true, echoes("comes=comes"))
	var closed atomic.Int64
	r := start(t, []servers.Server{at("a", a.URL), at("b", b.URL)}, func(o *aggregate.Options) {
		o.Open = func(s servers.Server) aggregate.Opened {
			return aggregate.Opened{Member: member.New(member.Options{Server: s}), Close: func() { closed.Add(1) }}
		}
	})
	s := connect(t, r.url, nil, "2025-11-25")
	names(t, s)
	said := make(chan string, 1)
	go func() {
		text, err := tryCall(t.Context(), s, "leaves", nil)
		if err != nil {
			text = err.Error()
		}
		said <- text
	}()
	<-entered
	r.Replace(t.Context(), []servers.Server{at("a", a.URL), at("c", c.URL)})
	if got := names(t, s); !slices.Equal(got, []string{"stays", "comes"}) {
		t.Errorf("tools after the reload: %q", got)
	}
	if got := call(t, s, "comes"); got != "comes" {
		t.Errorf("the new server says %q", got)
	}
	if closed.Load() != 0 {
		t.Error("the server was closed with a call running")
	}
	close(gate)
	if got := <-said; got != "done" {
		t.Errorf("the running call says %q", got)
	}
	eventually(t, "the server that left is closed", func() bool { return closed.Load() == 1 })
	if got := call(t, s, "stays"); got != "stays" {
		t.Errorf("the server that stayed says %q", got)
	}
}

func TestAServerThatStaysKeepsItsSessions(t *testing.T) {
	a, b := sdk(t, true, counter("count")), sdk(t, true, echoes("other=other"))
	r := start(t, []servers.Server{at("a", a.URL), at("b", b.URL)})
	s := connect(t, r.url, nil, "2025-11-25")
	call(t, s, "count")
	r.Replace(t.Context(), []servers.Server{at("b", b.URL), at("a", a.URL)})
	if got := call(t, s, "count"); got != "2" {
		t.Errorf("the second call is counted as %s", got)
	}
}

// TestAnotherAddressIsAnotherServer: a name that leads elsewhere after a reload takes along neither the list, by which
// calls are judged, nor the clients' sessions.
func TestAnotherAddressIsAnotherServer(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]map[string]bool{"a": {}, "b": {}}
	front := func(name string, to string) string {
		return newFront(t, to, func(r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			seen[name][r.Header.Get("Mcp-Session-Id")] = true
		})
	}
	a := front("a", sdk(t, true, echoes("one=a")).URL)
	b := front("b", sdk(t, true, echoes("two=b")).URL)
	r := start(t, []servers.Server{at("a", a), at("b", b)})
	s := connect(t, r.url, nil, "2025-11-25")
	call(t, s, "one")
	call(t, s, "two")
	r.Replace(t.Context(), []servers.Server{at("a", b), at("b", a)})
	call(t, s, "one")
	call(t, s, "two")
	mu.Lock()
	for id := range seen["a"] {
		if id != "" && seen["b"][id] {
			t.Error("a session of one server was sent to another")
		}
	}
	mu.Unlock()
	r.Replace(t.Context(), []servers.Server{at("a", hangs(t)), at("b", a)})
	if got := names(t, s); !slices.Equal(got, []string{"one"}) {
		t.Errorf("tools of a name whose new server has not answered: %q", got)
	}
}

func TestAReloadFromOneServerToTwoAndBack(t *testing.T) {
	a, b := sdk(t, true, echoes("a=a")), sdk(t, true, echoes("b=b"))
	r := start(t, []servers.Server{at("a", a.URL)})
	one := connect(t, r.url, nil, "2025-11-25")
	if got := call(t, one, "a"); got != "a" {
		t.Errorf("one server says %q", got)
	}
	r.Replace(t.Context(), []servers.Server{at("a", a.URL), at("b", b.URL)})
	if resp, _ := post(t, r.url, one.ID(), calls("a")); resp.StatusCode != http.StatusNotFound {
		t.Errorf("a session of the only server with two: %d, want 404", resp.StatusCode)
	}
	two := connect(t, r.url, nil, "2025-11-25")
	if got := names(t, two); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("tools %q", got)
	}
	r.Replace(t.Context(), []servers.Server{at("b", b.URL)})
	three := connect(t, r.url, nil, "2025-11-25")
	if got := names(t, three); !slices.Equal(got, []string{"b"}) {
		t.Errorf("tools %q", got)
	}
}

func TestALoopIsRefused(t *testing.T) {
	a := sdk(t, false, echoes("a=a"))
	self := &switchable{}
	url := self.start(t)
	r := start(t, []servers.Server{at("a", a.URL), at("self", url)})
	self.set(r.Aggregate)
	report, err := r.Refresh(t.Context())
	if err != nil || report.Sources[1].State != "down" || report.Tools != 1 {
		t.Errorf("refresh: %v %+v", err, report)
	}
	if got := names(t, connect(t, r.url, nil, "2025-11-25")); !slices.Equal(got, []string{"a"}) {
		t.Errorf("tools %q", got)
	}
}

func TestASearchRouteIsNoServer(t *testing.T) {
	a := sdk(t, false, echoes("a=a"))
	five := sdk(t, false, echoes("search_tools=", "describe_tools=", "call_read_tool=", "call_read_tools=", "call_write_tool="))
	six := sdk(t, false, echoes("search_tools=", "describe_tools=", "call_read_tool=", "call_read_tools=", "call_write_tool=", "more="))
	r := start(t, []servers.Server{at("a", a.URL), at("five", five.URL), at("six", six.URL)})
	report, err := r.Refresh(t.Context())
	if err != nil || report.Sources[1].Failure != "loop" || report.Sources[2].Tools != 6 || report.Tools != 7 {
		t.Errorf("refresh: %v %+v", err, report)
	}
	if !strings.Contains(r.log.String(), "search route") {
		t.Errorf("nothing is said:\n%s", r.log)
	}
}
