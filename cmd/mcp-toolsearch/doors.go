package main

import (
	"context"
	"sync"
	"time"

	"mcp-toolsearch/extproc"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/relay"
)

// listenOff is the value of --extproc-listen for no ext_proc door.
const listenOff = "off"

// extproc says whether the Envoy door is on.
func (s *Settings) extproc() bool { return s.ExtprocListen != listenOff }

// routes are those of --routes. The HTTP door also serves the first pair at the paths that people type.
func (s *Settings) routes() []sidecar.Route {
	routes := make([]sidecar.Route, 0, len(s.Routes)+2)
	taken := map[string]bool{}
	for _, r := range s.Routes {
		routes = append(routes, sidecar.Route(r))
		taken[r.Search] = true
		taken[r.Aggregate] = taken[r.Aggregate] || s.wholeUpstream == "" // its path says nothing about ours
	}
	if s.listen() == "" {
		return routes
	}
	if s.BatchDoor {
		for _, r := range s.Routes {
			routes = append(routes, sidecar.Route{Search: r.Search + sidecar.BatchSuffix, Aggregate: r.Aggregate})
		}
	}
	for _, path := range []string{"/mcp", "/mcp/search"} {
		if !taken[path] {
			routes = append(routes, sidecar.Route{Search: path, Aggregate: s.Routes[0].Aggregate})
		}
	}
	return routes
}

// doors are the listeners for requests; one of them may be nil.
type doors struct {
	extproc *extproc.Listener
	relay   *relay.Listener
}

// openDoors opens those that are on.
func (c *core) openDoors(ctx context.Context, secrets *doorSecrets) (*doors, error) {
	open := &doors{}
	var err error
	if c.extproc() {
		server := extproc.New(extproc.Options{Engine: c.engine, Observer: c.metrics, Logger: c.log, Bounds: c.limits.door, BodyBytes: int(c.MaxBody), EditBytes: int(c.MaxEdit)})
		place, err := c.extprocPlace()
		if err != nil {
			return nil, usageError{err}
		}
		if open.extproc, err = extproc.Listen(ctx, server, place); err != nil {
			return nil, err
		}
	}
	if c.listen() == "" {
		return open, nil
	}
	o := c.relayOptions()
	o.AllowedOrigins, o.AllowedHosts, o.Bearer, o.TLS = c.AllowedOrigins, c.AllowedHosts, secrets.bearer(), secrets.tls()
	if secrets.certificate != nil {
		c.tls.Add(secrets.certificate)
	}
	if open.relay, err = relay.Listen(ctx, o, c.listen()); err != nil {
		open.shutdown(ctx, 0)
		return nil, err
	}
	return open, nil
}

// relayOptions are those of the HTTP door wherever it is: behind a listener, or behind stdio.
func (c *core) relayOptions() relay.Options {
	o := relay.Options{Engine: c.engine, Observer: c.observer, Logger: c.log, Routes: c.routes(), Upstream: c.origin(), Authority: c.authority(),
		Transport: c.upstream, Version: version, Bounds: c.limits.door, CallerHeaders: c.CallerHeaders, BodyBytes: int(c.MaxBody), EditBytes: int(c.MaxEdit)}
	if c.merged != nil {
		o.Unfiltered, o.Shared = true, c.merged.shared
	}
	return o
}

func (d *doors) setServing() {
	if d.extproc != nil {
		d.extproc.SetServing(true)
	}
}

func (d *doors) extprocAddr() string {
	if d.extproc == nil {
		return listenOff
	}
	return d.extproc.Addr().String()
}

func (d *doors) relayAddr() string {
	if d.relay == nil {
		return listenOff
	}
	return d.relay.Addr().String()
}

// extprocFailed and relayFailed deliver the error of a door that ended by itself; a door that is off never does.
func (d *doors) extprocFailed() <-chan error {
	if d.extproc == nil {
		return nil
	}
	return d.extproc.Failed()
}

func (d *doors) relayFailed() <-chan error {
	if d.relay == nil {
		return nil
	}
	return d.relay.Failed()
}

// shutdown drains all of them at the same time.
func (d *doors) shutdown(ctx context.Context, notice time.Duration) {
	var all sync.WaitGroup
	if d.extproc != nil {
		all.Go(func() { d.extproc.Shutdown(ctx, notice) })
	}
	if d.relay != nil {
		all.Go(func() { d.relay.Shutdown(ctx, notice) })
	}
	all.Wait()
}
