package testdoor

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/relay"
)

// Stdio opens the product's own stdio door in front of a scripted upstream: its standard input and output. It ends with
// the test.
func Stdio(tb testing.TB, up *upstreamtest.Server, change func(*Setup)) (io.Writer, io.Reader) {
	tb.Helper()
	d := Open(tb, up, change)
	transport := &http.Transport{DisableCompression: true}
	door, err := relay.New(relay.Options{Engine: d.Engine, Observer: failures{d.Seen}, Logger: slog.New(slog.DiscardHandler), Upstream: up.Origin(),
		Transport: transport, Version: "test", Loopback: true, Routes: []sidecar.Route{{Search: SearchPath, Aggregate: AggregatePath}}})
	if err != nil {
		tb.Fatal(err)
	}
	theirs, in := io.Pipe()
	out, ours := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- relay.ServeStdio(context.Background(), relay.StdioOptions{Handler: door, Path: SearchPath}, theirs, ours)
		_ = ours.Close()
	}()
	tb.Cleanup(func() {
		_ = in.Close()
		go func() { _, _ = io.Copy(io.Discard, out) }() // what is still written
		if err := <-ended; err != nil {
			tb.Errorf("the stdio door ended with %v", err)
		}
		transport.CloseIdleConnections()
	})
	return in, out
}
