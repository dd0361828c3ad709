package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/admin"
	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/metrics"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// serve runs the sidecar until ctx ends, then drains.
func serve(ctx context.Context, t terminal, args []string) error {
	s, err := serveSettings(t, args)
	if err != nil {
		return err
	}
	log := s.logger(t)
	transport, err := s.transport()
	if err != nil {
		return usageError{err}
	}
	return s.serve(ctx, log, transport)
}

// serveSettings reads and checks the settings. All mistakes are told together: of values that can't be read, of values
// that don't fit, of words that are no options.
func serveSettings(t terminal, args []string) (*Settings, error) {
	s, words, err := parsed(t, "serve", args, nil)
	var unread *unreadable
	if err != nil && !errors.As(err, &unread) {
		return nil, err
	}
	mistakes := unread.list()
	for _, word := range words {
		mistakes = append(mistakes, fmt.Errorf("%q is not expected here: options start with --, and true or false of an option follows =, like --reroute=false", word))
	}
	for _, mistake := range s.mistakes() {
		if !unread.tells(mistake) {
			mistakes = append(mistakes, mistake)
		}
	}
	if len(mistakes) > 0 {
		return nil, usageError{errors.Join(mistakes...)}
	}
	return &s, nil
}

func (s *Settings) serve(ctx context.Context, log *slog.Logger, transport *http.Transport) error {
	client := s.clientOver(transport)
	var store *catalog.Store
	m := metrics.New(version, func() catalog.Stats { return store.Stats() })
	options, err := s.catalogOptions(client, m)
	if err != nil {
		return usageError{err}
	}
	file, rules, err := s.openOverlay()
	if err != nil {
		return usageError{err}
	}
	listings := newListingLog(client, m, log, s.Routes)
	options.Overlay, options.Lister, options.Observer = rules, listings, listings
	store = catalog.NewStore(options)
	defer store.Close()
	watched, unwatch := context.WithCancel(ctx)
	wait := watchOverlay(watched, file, overlayUse{store: store, log: log})
	defer wait()
	defer unwatch()
	observer := newDecisionLog(m, log, int(s.MaxEdit))
	engine, err := s.engine(client, store, observer)
	if err != nil {
		return usageError{err}
	}
	open, err := s.openDoors(ctx, engine, observer, transport)
	if err != nil {
		return err
	}
	adm, err := admin.Listen(ctx, s.AdminListen, m.Handler(), log)
	if err != nil {
		open.shutdown(ctx, 0)
		return err
	}
	open.setServing()
	adm.SetReady(true)
	log.Info("serving", "version", version, "extproc", open.extprocAddr(), "listen", open.relayAddr(), "admin", adm.Addr().String(), "upstream", s.Upstream, "routes", len(s.Routes))
	var failed error
	select {
	case <-ctx.Done():
	case failed = <-open.extprocFailed():
	case failed = <-open.relayFailed():
	case failed = <-adm.Failed():
	}
	return errors.Join(failed, s.drain(log, open, adm))
}

// drain ends the listeners: first it says that the sidecar isn't ready, so that the gateway stops sending.
func (s *Settings) drain(log *slog.Logger, open *doors, adm *admin.Server) error {
	log.Info("draining", "notice", s.DrainNotice.String(), "timeout", s.DrainTimeout.String())
	adm.SetReady(false)
	ctx, cancel := context.WithTimeout(context.Background(), s.DrainNotice+s.DrainTimeout)
	defer cancel()
	open.shutdown(ctx, s.DrainNotice)
	ctx, cancel = context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := adm.Shutdown(ctx)
	log.Info("stopped")
	return err
}

func (s *Settings) catalogOptions(client *upstream.Client, m *metrics.Metrics) (catalog.Options, error) {
	index, err := s.searchOptions()
	if err != nil {
		return catalog.Options{}, err
	}
	return catalog.Options{Search: index, Lister: client, TTL: s.CatalogTTL, MaxStale: s.CatalogMaxStale, ListTimeout: s.ListTimeout,
		MaxCallers: s.MaxCallers, MaxBytes: int64(s.MaxCatalogs), ReadTools: s.ReadTools, WriteTools: s.WriteTools,
		SourceSeparator: s.SourceSeparator, MetaTools: sidecar.MetaToolNames(), Observer: m}, nil
}

func (s *Settings) engine(client *upstream.Client, store *catalog.Store, o sidecar.Observer) (*sidecar.Engine, error) {
	identifier, err := caller.NewIdentifier(s.CallerHeaders)
	if err != nil {
		return nil, err
	}
	return sidecar.New(sidecar.Options{Routes: s.routes(), Upstream: s.Upstream, Authority: s.UpstreamAuthority, PublicURL: s.PublicURL,
		KeepRoute: !s.Reroute, Profile: s.ClientProfile, RelayDirect: s.DirectCalls == "relay", SearchSchemas: s.SearchSchemas, SearchTokens: s.SearchTokens,
		MaxInstructions: s.MaxInstructions, StaleAfter: s.CatalogTTL, Batch: s.BatchCalls, Parallel: s.BatchParallel, ItemTimeout: s.BatchTimeout,
		BatchBytes: int(s.MaxBatch), EditBytes: int(s.MaxEdit), Limits: wire.Limits{Bytes: int(s.MaxBody), Depth: wire.DefaultLimits().Depth},
		Identifier: identifier, Catalogs: store, Upstreams: client, Observer: o}), nil
}

// transport carries requests to the aggregate routes. It uses no proxy: the upstream is the gateway itself.
func (s *Settings) transport() (*http.Transport, error) {
	transport := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		MaxIdleConns:        256,
		MaxIdleConnsPerHost: 256,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 5 * time.Second,
		DisableCompression:  true,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, ServerName: s.UpstreamSNI},
	}
	pool, err := s.authorities()
	if err != nil {
		return nil, err
	}
	transport.TLSClientConfig.RootCAs = pool
	return transport, nil
}

// client lists the tools and makes the calls of batches, over a transport of its own.
func (s *Settings) client() (*upstream.Client, error) {
	transport, err := s.transport()
	if err != nil {
		return nil, err
	}
	return s.clientOver(transport), nil
}

func (s *Settings) clientOver(transport *http.Transport) *upstream.Client {
	return upstream.New(upstream.Options{Transport: transport, ListTimeout: s.ListTimeout, MaxPages: s.MaxPages, MaxTools: s.MaxTools,
		MaxBytes: int64(s.MaxListing), MaxAnswerBytes: int64(s.MaxAnswer), Version: version})
}

func (s *Settings) logger(t terminal) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.LogLevel)) // validated
	o := &slog.HandlerOptions{Level: level}
	if s.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(t.err, o))
	}
	return slog.New(slog.NewTextHandler(t.err, o))
}
