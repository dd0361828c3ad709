package aggregate_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/sidecar/aggregate"
	"mcp-toolsearch/sidecar/servers"
)

// listings counts listings of tools.
func listings(n *atomic.Int64) func(*http.Request) {
	return func(r *http.Request) {
		if strings.Contains(peek(r), `"tools/list"`) {
			n.Add(1)
		}
	}
}

func TestAServerThatChangesItsToolsAllTheTime(t *testing.T) {
	for name, stateful := range map[string]bool{"legacy": true, "modern": false} {
		t.Run(name, func(t *testing.T) {
			var restless *mcp.Server
			s := sdk(t, stateful, func(s *mcp.Server) {
				restless = s
				echo(s, "steady", "steady")
			})
			var listed atomic.Int64
			a := sdk(t, false, echoes("first=first"))
			var told atomic.Int64
			r := start(t, []servers.Server{at("a", a.URL), at("restless", newFront(t, s.URL, listings(&listed)))},
				func(o *aggregate.Options) { o.Changed = func() { told.Add(1) } })
			eventually(t, "the first list", func() bool { return told.Load() > 0 })
			before := listed.Load()
			began := time.Now()
			tick := time.NewTicker(50 * time.Millisecond)
			defer tick.Stop()
			for i := range 40 { // far more than 100 a minute
				echo(restless, fmt.Sprintf("tool_%02d", i), "x")
				<-tick.C
			}
			c := connect(t, r.url, nil, "2025-11-25")
			eventually(t, "the last change is listed", func() bool { return len(names(t, c)) == 42 })
			took := time.Since(began)
			most := int64(took/(2*time.Second)) + 12 // gathered, and those that the test asked for itself
			if n := listed.Load() - before; n > most {
				t.Errorf("%d listings in %s, want at most %d", n, took, most)
			}
			if told.Load() < 2 {
				t.Errorf("the change was told %d times", told.Load())
			}
		})
	}
}
