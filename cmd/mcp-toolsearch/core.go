package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"mcp-toolsearch/search"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/bounds"
	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/metrics"
	"mcp-toolsearch/sidecar/tlsfiles"
	"mcp-toolsearch/sidecar/tracing"
	"mcp-toolsearch/sidecar/wire"
)

// requests is what asks the upstream in the engine's name: a gateway's aggregate route, or the servers that are merged
// here.
type requests interface {
	catalog.Lister
	sidecar.Upstreams
}

// core is what all doors share. The upstream is a gateway, or the servers that are merged here.
type core struct {
	*Settings
	log      *slog.Logger
	metrics  *metrics.Metrics
	observer decisionLog
	store    *catalog.Store
	engine   *sidecar.Engine
	upstream http.RoundTripper // carries what doors relay
	merged   *merged           // nil with a gateway
	overlay  func()            // ends watching the overlay and the memory
	limits   *limits
	tracer   *tracing.Tracer // nil: no traces
	tls      *tlsfiles.Set   // files of certificates
}

// newCore makes the engine and what it needs. It connects to nothing; close ends it.
func (s *Settings) newCore(ctx context.Context, log *slog.Logger) (*core, error) {
	c := &core{Settings: s, log: log, overlay: func() {}}
	c.metrics = metrics.New(version, func() catalog.Stats { return c.store.Stats() })
	c.tls = tlsfiles.NewSet(log, c.metrics)
	c.observer = newDecisionLog(c.metrics, log, int(s.MaxEdit))
	c.limits = s.newLimits(c.metrics, c.shrink)
	asks, identifier, err := c.connect()
	if err != nil {
		return nil, err
	}
	if err := c.openTracer(ctx); err != nil {
		c.close()
		return nil, err
	}
	if err := c.openStore(ctx, asks); err != nil {
		c.close()
		return nil, err
	}
	c.engine = sidecar.New(sidecar.Options{Routes: s.routes(), Upstream: s.origin(), Authority: s.authority(), PublicURL: s.PublicURL,
		KeepRoute: !s.Reroute, Profile: s.ClientProfile, BatchDoor: s.BatchDoor, RelayDirect: s.DirectCalls == "relay", SearchSchemas: s.SearchSchemas, SearchTokens: s.SearchTokens,
		MaxInstructions: s.MaxInstructions, StaleAfter: c.staleAfter(), Batch: s.BatchCalls, Parallel: s.BatchParallel, ItemTimeout: s.BatchTimeout,
		BatchBytes: int(s.MaxBatch), EditBytes: int(s.MaxEdit), Callers: s.MaxCallers, Limits: wire.Limits{Bytes: int(s.MaxBody), Depth: wire.DefaultLimits().Depth},
		Identifier: identifier, Catalogs: c.store, Upstreams: asks, Observer: c.observer, Tracer: c.spans()})
	return c, nil
}

// connect makes what asks the upstream, and who asks.
func (c *core) connect() (requests, *caller.Identifier, error) {
	identifier, err := caller.NewIdentifier(c.CallerHeaders)
	if err != nil {
		return nil, nil, usageError{err}
	}
	if !c.merges() {
		transport, err := c.carry(c.transport(), c.UpstreamSNI)
		if err != nil {
			return nil, nil, usageError{err}
		}
		c.upstream = transport
		return c.clientOver(transport), identifier, nil
	}
	src, err := c.sources()
	if err != nil {
		return nil, nil, usageError{err}
	}
	if operator(src.list) {
		identifier = caller.Nobody()
	}
	if c.merged, err = c.merge(src, identifier); err != nil {
		return nil, nil, err
	}
	c.upstream = c.merged.door
	return c.merged, identifier, nil
}

// openStore makes the store of catalogs, and keeps its overlay current.
func (c *core) openStore(ctx context.Context, asks requests) error {
	options, err := c.catalogOptions(asks)
	if err != nil {
		return usageError{err}
	}
	file, rules, err := c.openOverlay()
	if err != nil {
		return usageError{err}
	}
	listings := newListingLog(asks, c.metrics, c.log, c.Routes)
	listings.merged, listings.alone = c.merged != nil, c.wholeUpstream != ""
	options.Overlay, options.Lister, options.Observer = rules, listings, listings
	if c.tracer != nil {
		options.Trace = c.tracer.Listing
	}
	c.store = catalog.NewStore(options)
	watched, unwatch := context.WithCancel(ctx)
	wait := watchOverlay(watched, file, overlayUse{store: c.store, log: c.log})
	var memory sync.WaitGroup
	memory.Go(func() { c.limits.watch.Run(watched) })
	c.overlay = func() { unwatch(); wait(); memory.Wait() }
	return nil
}

func (c *core) catalogOptions(asks requests) (catalog.Options, error) {
	index, err := c.searchOptions()
	if err != nil {
		return catalog.Options{}, err
	}
	timeout := c.ListTimeout
	if c.merged != nil {
		timeout = c.merged.listTimeout
	}
	index.Cache = search.NewCache(c.limits.readings())
	return catalog.Options{Queue: c.limits.listings, Pressed: c.limits.pressed, Search: index, Lister: asks, TTL: c.CatalogTTL, MaxStale: c.CatalogMaxStale, ListTimeout: timeout,
		SchemaBytes: bounds.Share(c.limits.memory, schemaShare, catalog.DefaultSchemaBytes),
		MaxCallers:  c.MaxCallers, MaxBytes: c.budget("MAX_CATALOGS", c.MaxCatalogs, c.limits.memory, catalogShare), ReadTools: c.ReadTools, WriteTools: c.WriteTools,
		SourceSeparator: c.SourceSeparator, MetaTools: sidecar.MetaToolNames()}, nil
}

// shrink lets catalogs go when memory is short: a share of them stays.
func (c *core) shrink(share float64) {
	for range c.store.Shrink(share) {
		c.metrics.Evicted()
	}
}

// staleAfter is the age from which on a search says that its tools are old. What all callers share is renewed when it
// changes: its age says nothing.
func (c *core) staleAfter() time.Duration {
	if c.merged != nil && c.merged.shared {
		return longAge
	}
	return c.CatalogTTL
}

// close ends everything; the doors must be closed before.
func (c *core) close() {
	c.overlay()
	if c.store != nil {
		c.store.Close()
	}
	if c.merged != nil {
		c.merged.close()
	}
	c.closeTracer()
	if t, ok := c.upstream.(*tlsfiles.Transport); ok {
		t.CloseIdleConnections()
	}
}

// The address of the servers that are merged here: no request to it leaves the process.
const mergedHost = "merged.invalid"

// origin is where requests of our own go.
func (s *Settings) origin() string {
	if s.merges() {
		return "http://" + mergedHost
	}
	return s.Upstream
}

// authority is the Host of requests of our own; "" is the client's.
func (s *Settings) authority() string {
	if s.merges() {
		return mergedHost
	}
	return s.UpstreamAuthority
}

// refresh lists the tools of merged servers anew.
func (c *core) refresh(ctx context.Context) (any, error) {
	if c.merged == nil || !c.merged.shared {
		return nil, errors.New("each caller's tools are listed with that caller's own credentials: call search_tools with refresh, or wait for --catalog-ttl")
	}
	return c.merged.refresh(ctx, c.store)
}
