package aggregate_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/sidecar/servers"
)

func TestAListChangedThatAClientHearsIsInItsNextListing(t *testing.T) {
	var s *mcp.Server
	b := sdk(t, true, func(server *mcp.Server) {
		s = server
		echo(server, "steady", "steady")
	})
	a := sdk(t, true, echoes("first=first"))
	r := start(t, []servers.Server{at("a", a.URL), at("b", b.URL)}, perCaller(t))
	heard := make(chan struct{}, 10)
	c := connect(t, r.url, &mcp.ClientOptions{ToolListChangedHandler: heardOf(heard)}, "2025-11-25")
	if got := names(t, c); !slices.Equal(got, []string{"first", "steady"}) {
		t.Fatalf("tools %q", got)
	}
	for i := range 3 {
		eventually(t, "the client hears of a change", func() bool {
			for len(heard) > 0 {
				<-heard // of an earlier change
			}
			echo(s, fmt.Sprintf("new_%d", i), "x")
			select {
			case <-heard:
				return true
			case <-time.After(200 * time.Millisecond):
				return false
			}
		})
		if got := names(t, c); !slices.Contains(got, fmt.Sprintf("new_%d", i)) {
			t.Errorf("the listing after the change: %q", got)
		}
	}
}
