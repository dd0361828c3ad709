package main

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/metrics"
	"mcp-toolsearch/sidecar/upstream"
)

// warnEvery is how often listings that fail in the same way are told in the log.
const warnEvery = time.Minute

// listingLog writes a warning about listings that fail: the aggregate path, the kind of failure and what to do next.
// It stands between the catalogs and what lists for them, and hears what the catalogs make of a listing.
type listingLog struct {
	*metrics.Metrics
	lister catalog.Lister
	log    *slog.Logger
	paths  string // all aggregate paths, where it isn't known which it was
	merged bool   // the servers are merged here: there is no gateway to look at
	alone  bool   // --upstream is one server's whole URL

	mu   sync.Mutex
	told map[string]time.Time // by kind
}

func newListingLog(lister catalog.Lister, m *metrics.Metrics, log *slog.Logger, routes []Route) *listingLog {
	paths := make([]string, len(routes))
	for i, r := range routes {
		paths[i] = r.Aggregate
	}
	return &listingLog{Metrics: m, lister: lister, log: log, paths: strings.Join(paths, " "), told: map[string]time.Time{}}
}

// List implements [catalog.Lister].
func (l *listingLog) List(ctx context.Context, t upstream.Target, who caller.Caller, opt upstream.ListOptions) (*upstream.Listing, error) {
	listing, err := l.lister.List(ctx, t, who, opt)
	var auth *upstream.AuthError
	var failed *upstream.Error
	switch {
	case errors.As(err, &auth):
		l.warn("auth", pathOf(t), "status", auth.Status)
	case errors.As(err, &failed):
		l.warn(failed.Kind.String(), pathOf(t), "status", failed.Status, "detail", failed.Detail)
	case errors.Is(err, context.DeadlineExceeded):
		l.warn(upstream.TimedOut.String(), pathOf(t))
	}
	return listing, err
}

// Listed implements [catalog.Observer]: a loop is seen only in what was listed.
func (l *listingLog) Listed(outcome string, tools int, bytes int64, took time.Duration, traceID string) {
	l.Metrics.Listed(outcome, tools, bytes, took, traceID)
	if outcome == "loop" {
		l.warn(outcome, l.paths)
	}
}

func (l *listingLog) warn(kind, path string, more ...any) {
	now := time.Now()
	l.mu.Lock()
	last, ok := l.told[kind]
	silent := ok && now.Sub(last) < warnEvery
	if !silent {
		l.told[kind] = now
	}
	l.mu.Unlock()
	if !silent {
		next := nextStep(kind)
		if l.alone && (kind == upstream.Unreachable.String() || kind == upstream.BadStatus.String()) {
			next = "check that the server of --upstream is up, and that --upstream is its whole URL"
		}
		if l.merged && kind != "auth" && kind != "loop" {
			next = "look at the lines about each server"
		}
		l.log.Warn("the tools could not be listed", append([]any{"path", path, "kind", kind, "next", next}, more...)...)
	}
}

// pathOf is the aggregate path of a target, which comes from --routes.
func pathOf(t upstream.Target) string {
	u, err := url.Parse(t.URL)
	if err != nil {
		return ""
	}
	return u.Path
}

// nextStep is what the operator does about a kind of failure.
func nextStep(kind string) string {
	switch kind {
	case upstream.Unreachable.String():
		return "check that the gateway is up and that --upstream is its address"
	case upstream.TimedOut.String():
		return "look at the slow server behind the aggregate path, or raise --list-timeout"
	case upstream.Garbage.String():
		return "check that the aggregate path leads to an MCP server over streamable HTTP"
	case upstream.BadStatus.String():
		return "check the aggregate path in the gateway and the server's log, or --upstream is not the gateway's own address"
	case upstream.TooLarge.String():
		return "narrow what the aggregate path lists, or raise --max-pages, --max-tools or --max-listing"
	case upstream.Endless.String():
		return "the same page came twice: report it to the server's maintainers"
	case "auth":
		return "the caller must log in; if everybody is refused, check --caller-headers and who may use the aggregate path"
	case "loop":
		return "the aggregate path leads back here: take the ext_proc filter off it, or correct --routes"
	}
	return "look for the reason in the server's log"
}
