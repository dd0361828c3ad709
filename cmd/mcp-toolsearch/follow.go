package main

import (
	"context"
	"net/http"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/wire"
)

// lookEvery is how often files that may change are looked at.
const lookEvery = 2 * time.Second

// following are what keeps merged servers current: the file that names them, and the tools that they have.
type following struct {
	core *core
	look chan struct{} // looks at the file now
	list chan struct{} // lists all servers again
	took chan struct{} // the shared tools have changed
	work sync.WaitGroup
	end  context.CancelFunc
}

// follow starts to follow; stop ends it.
func (c *core) follow(ctx context.Context) *following {
	ctx, end := context.WithCancel(ctx)
	f := &following{core: c, end: end, look: make(chan struct{}, 1), list: make(chan struct{}, 1), took: make(chan struct{}, 1)}
	if c.merged == nil {
		return f
	}
	if c.merged.source.file != nil {
		f.work.Go(func() { c.merged.source.file.Watch(ctx, lookEvery, f.look, sourceUse{ctx: ctx, core: c}) })
	}
	if c.merged.shared {
		c.merged.onChange(func() { ring(f.took) })
		f.work.Go(func() { f.renew(ctx) })
		f.work.Go(func() { f.refresh(ctx) })
	} else {
		c.merged.onMove(func(h http.Header) {
			c.store.Forget(catalog.Request{Who: c.merged.identifier.Identify(h), Target: c.merged.target})
		})
	}
	return f
}

// ring wakes who waits, once however often it rings.
func ring(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default:
	}
}

// again looks at the file and lists all servers: what a signal asks for.
func (f *following) again() {
	ring(f.look)
	ring(f.list)
}

func (f *following) stop() {
	f.end()
	f.work.Wait()
}

// renew makes the shared catalogs anew when the tools have changed, and once at the start from what is known.
func (f *following) renew(ctx context.Context) {
	for {
		f.core.merged.renew(ctx, f.core.store)
		select {
		case <-ctx.Done():
			return
		case <-f.took:
		}
	}
}

// refresh lists all servers when it is rung for.
func (f *following) refresh(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.list:
		}
		if _, err := f.core.merged.refresh(ctx, f.core.store); err != nil && ctx.Err() == nil {
			f.core.log.Warn("the refresh failed", "error", err.Error())
		}
	}
}

// renew makes the shared catalogs of both eras anew out of what is known: a search then waits for nothing.
func (m *merged) renew(ctx context.Context, store *catalog.Store) {
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		if err := store.Renew(ctx, catalog.Request{Who: m.identifier.Identify(nil), Target: m.target, Era: era}); err != nil && ctx.Err() == nil {
			m.log.Warn("the tools of the merged servers can't be searched yet", "outcome", catalog.Outcome(err))
			return
		}
	}
}

// sourceUse takes over a changed file of servers.
type sourceUse struct {
	ctx  context.Context //nolint:containedctx // of the watching that calls it
	core *core
}

// Changed implements [servers.Watcher].
func (u sourceUse) Changed(list []servers.Server) {
	m := u.core.merged
	list = servers.Join(list, m.source.fromEnv)
	m.replace(u.ctx, list)
	u.core.store.Clear()
	if m.shared {
		m.renew(u.ctx, u.core.store)
	}
	u.core.metrics.Reloaded("taken")
	u.core.log.Info("the servers changed", "servers", len(list))
}

// Refused implements [servers.Watcher].
func (u sourceUse) Refused(err error) {
	u.core.metrics.Reloaded("refused")
	u.core.log.Error("the file of servers can't be used: the servers from before stay until it is corrected", "error", err.Error())
}
