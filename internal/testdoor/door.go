package testdoor

import (
	"context"
	"net/http"
	"testing"
	"time"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/upstream"
)

// The routes of a door.
const (
	SearchPath    = "/mcp/search"
	AggregatePath = "/mcp/all"
	// Host is what clients of the door call it.
	Host = "tools.example"
)

// Setup is what a test may change before the parts are made.
type Setup struct {
	Engine   sidecar.Options
	Catalog  catalog.Options
	Upstream upstream.Options
	Headers  []string // that identify a caller
}

// Door is an engine with a real store and a real client in front of a scripted upstream.
type Door struct {
	Engine   *sidecar.Engine
	Store    *catalog.Store
	Seen     *Seen
	Upstream *upstreamtest.Server

	transport *http.Transport
	editBytes int
}

// Open makes a door. Everything in it closes with the test.
func Open(tb testing.TB, up *upstreamtest.Server, change func(*Setup)) *Door {
	tb.Helper()
	seen := &Seen{}
	s := Setup{
		Engine: sidecar.Options{Routes: []sidecar.Route{{Search: SearchPath, Aggregate: AggregatePath}}, Upstream: up.Origin(),
			SearchSchemas: 3, MaxInstructions: 10_000, Observer: seen},
		Catalog:  catalog.Options{MetaTools: sidecar.MetaToolNames(), Observer: seen},
		Upstream: upstream.Options{ListTimeout: 5 * time.Second, Version: "test"},
		Headers:  []string{"Authorization"},
	}
	if change != nil {
		change(&s)
	}
	identifier, err := caller.NewIdentifier(s.Headers)
	if err != nil {
		tb.Fatal(err)
	}
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}
	s.Upstream.Transport = transport
	client := upstream.New(s.Upstream)
	s.Catalog.Lister = client
	store := catalog.NewStore(s.Catalog)
	s.Engine.Identifier, s.Engine.Catalogs, s.Engine.Upstreams = identifier, store, client
	tb.Cleanup(func() {
		store.Close()
		transport.CloseIdleConnections()
	})
	limit := s.Engine.EditBytes
	if limit == 0 {
		limit = 32_000
	}
	return &Door{Engine: sidecar.New(s.Engine), Store: store, Seen: seen, Upstream: up, transport: transport, editBytes: limit}
}

// Decide asks the engine as a door does: the headers first, the body when it is needed.
func (d *Door) Decide(ctx context.Context, req sidecar.Request) sidecar.Decision {
	if decision, ok := d.Engine.DecideHeaders(ctx, req, len(req.Body) > 0); ok {
		return decision
	}
	return d.Engine.Decide(ctx, req)
}
