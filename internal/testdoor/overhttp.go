package testdoor

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/relay"
)

// Served is the product's own HTTP door on loopback, with a door's engine.
type Served struct {
	*Door
	// URL is the search route.
	URL string
	// Client connects to it; it ends with the test.
	Client *http.Client
}

// Serve opens an HTTP door in front of a scripted upstream: the second way in which a decision is carried out.
func Serve(tb testing.TB, up *upstreamtest.Server, change func(*Setup)) *Served {
	tb.Helper()
	d := Open(tb, up, change)
	transport := &http.Transport{DisableCompression: true}
	lis, err := relay.Listen(tb.Context(), relay.Options{Engine: d.Engine, Observer: failures{d.Seen}, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Upstream: up.Origin(), Transport: transport, Version: "test", Routes: []sidecar.Route{{Search: SearchPath, Aggregate: AggregatePath}}}, "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	own := &http.Transport{MaxIdleConnsPerHost: 64}
	tb.Cleanup(func() {
		own.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		lis.Shutdown(ctx, 0)
		transport.CloseIdleConnections()
	})
	return &Served{Door: d, URL: "http://" + lis.Addr().String() + SearchPath, Client: &http.Client{Transport: own}}
}

// failures is the door's observer.
type failures struct{ *Seen }

// RelayFailed implements [relay.Observer].
func (f failures) RelayFailed(reason string) {
	f.Decided(sidecar.Answer, sidecar.Labels{Reason: reason}, 0)
}
