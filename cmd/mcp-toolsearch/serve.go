package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"mcp-toolsearch/sidecar/admin"
	"mcp-toolsearch/sidecar/logline"
	"mcp-toolsearch/sidecar/upstream"
)

// serve runs until ctx ends, then drains.
func serve(ctx context.Context, t terminal, args []string) error {
	s, err := serveSettings(t, "serve", args)
	if err != nil {
		return err
	}
	if s.Transport == "stdio" {
		return s.serveStdio(ctx, t)
	}
	return s.serve(ctx, s.logger(t))
}

// serveSettings reads and checks the settings of a command that serves. All mistakes are told together: of values that can't be read, of values
// that don't fit, of words that are no options.
func serveSettings(t terminal, command string, args []string) (*Settings, error) {
	s, words, err := parsed(t, command, args, nil)
	var unread *unreadable
	if err != nil && !errors.As(err, &unread) {
		return nil, err
	}
	s.adoptPath()
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

func (s *Settings) serve(ctx context.Context, log *slog.Logger) error {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP) // from the start: unheard it would end the program
	defer signal.Stop(hangup)
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE) // unheard, a reader of our log that goes away would end us before we end what we started
	defer signal.Stop(broken)
	c, err := s.newCore(ctx, log)
	if err != nil {
		return err
	}
	defer c.close()
	secrets, err := s.doorSecrets()
	if err != nil {
		return usageError{err}
	}
	open, err := c.openDoors(ctx, secrets)
	if err != nil {
		return err
	}
	adm, err := admin.Listen(ctx, s.AdminListen, admin.Options{Metrics: c.metrics.Handler(), Refresh: c.refresh, Pprof: s.AdminPprof, Logger: log})
	if err != nil {
		open.shutdown(ctx, 0)
		return err
	}
	follow := c.follow(ctx)
	defer follow.stop()
	follow.work.Go(func() { secrets.watch(ctx, log) })
	follow.work.Go(func() { c.tls.Watch(ctx, lookEvery) })
	open.setServing()
	adm.SetReady(true)
	log.Info("serving", "version", version, "extproc", open.extprocAddr(), "listen", open.relayAddr(), "admin", adm.Addr().String(), "upstream", s.upstreamName(), "routes", len(s.Routes))
	return errors.Join(wait(ctx, hangup, open, adm, follow), s.drain(log, open, adm))
}

// upstreamName is where tools come from, for the log.
func (s *Settings) upstreamName() string {
	if s.merges() {
		return "merged servers"
	}
	return s.Upstream
}

// wait waits for the end; a hangup is none.
func wait(ctx context.Context, hangup <-chan os.Signal, open *doors, adm *admin.Server, follow *following) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-open.extprocFailed():
			return err
		case err := <-open.relayFailed():
			return err
		case err := <-adm.Failed():
			return err
		case <-hangup:
			follow.again()
		}
	}
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

// transport carries requests to the aggregate routes. It uses no proxy: the upstream is the gateway itself.
func (s *Settings) transport() *http.Transport {
	transport := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		MaxIdleConns:        256,
		MaxIdleConnsPerHost: 256,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 5 * time.Second,
		DisableCompression:  true,

		MaxResponseHeaderBytes: upstream.MaxHeaderBytes,
	}
	return transport
}

// client lists the tools and makes the calls of batches, over a transport of its own.
func (s *Settings) client() (*upstream.Client, error) {
	files, err := s.upstreamFiles()
	if err != nil {
		return nil, err
	}
	return s.clientOver(files.Transport(s.transport(), s.UpstreamSNI)), nil
}

func (s *Settings) clientOver(transport http.RoundTripper) *upstream.Client {
	return s.clientWithin(transport, s.ListTimeout)
}

// clientWithin is clientOver with another time for listings.
func (s *Settings) clientWithin(transport http.RoundTripper, listing time.Duration) *upstream.Client {
	return upstream.New(upstream.Options{Transport: transport, ListTimeout: listing, MaxPages: s.MaxPages, MaxTools: s.MaxTools,
		MaxBytes: int64(s.MaxListing), MaxAnswerBytes: int64(s.MaxAnswer), Version: version})
}

func (s *Settings) logger(t terminal) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.LogLevel)) // validated
	o := &slog.HandlerOptions{Level: level}
	if s.LogFormat == "json" {
		return slog.New(logline.Handler(slog.NewJSONHandler(t.err, o)))
	}
	return slog.New(logline.Handler(slog.NewTextHandler(t.err, o)))
}
