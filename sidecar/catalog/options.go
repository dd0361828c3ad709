package catalog

import (
	"context"
	"time"

	"mcp-toolsearch/search"
	"mcp-toolsearch/sidecar/bounds"
	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/overlay"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// Lister lists an upstream's tools as a caller. *upstream.Client is one. It
// must return soon after ctx ends.
type Lister interface {
	List(ctx context.Context, t upstream.Target, who caller.Caller, opt upstream.ListOptions) (*upstream.Listing, error)
}

// Observer hears what the store does, for metrics. Its methods are called from
// several goroutines and must return at once.
type Observer interface {
	// Listed: a listing ended. outcome is "ok", "auth" (401 or 403), "loop",
	// "cancelled", "failed", or a label of upstream.Kind ("timed_out", …).
	// tools and bytes are 0 unless it is "ok". traceID is the listing's when its
	// trace is recorded, else "".
	Listed(outcome string, tools int, bytes int64, took time.Duration, traceID string)
	// Evicted: a caller's catalog left because of a bound.
	Evicted()
	// SchemaUncompilable: a tool's input schema doesn't compile, or checking a
	// call's arguments against it would cost too much; once per tool of a
	// content.
	SchemaUncompilable()
	// Dropped: a listing had tools that were left out.
	Dropped(d Dropped)
}

// Options make a Store. A zero field means its default.
type Options struct {
	Lister      Lister
	TTL         time.Duration // a catalog is fresh this long (default 10 min)
	MinTTL      time.Duration // an upstream's ttlMs never counts below this (default 30 s)
	MaxStale    time.Duration // a catalog is served at most this old, and at least TTL (default 30 min)
	NegativeTTL time.Duration // a failure is remembered this long (default 2 s)
	RelistEvery time.Duration // Relist lists at most once in this time per key (default 30 s)
	ListTimeout time.Duration // one listing, however many wait for it (default 30 s)
	// Queue bounds the listings at a time, their memory, and those that wait
	// (default: 32 in 256 MiB, and 256 that wait at most 10 s).
	Queue *bounds.Queue
	// Pressed says that memory is short: no listing is begun then. nil: never.
	Pressed    func() bool
	MaxCallers int   // catalogs kept (default 10,000)
	MaxBytes   int64 // estimated bytes of catalogs kept; the newest always stays (default 512 MiB)
	// SchemaBytes bounds the compiled schemas that are remembered (default 64 MiB).
	SchemaBytes int64
	// ReadTools and WriteTools are patterns on tool names, see CheckGlob.
	// ReadTools lifts only tools that give no readOnlyHint and are not
	// destructive; WriteTools always wins.
	ReadTools, WriteTools []string
	// SourceSeparator overrides the source rule: a tool's source is the part
	// of its name before it.
	SourceSeparator string
	// MetaTools are our own tools' names: an upstream that lists exactly these
	// leads back to us (ErrLoop). nil never does.
	MetaTools []string
	// Overlay is what the operator says about tools at the start; nil: nothing.
	// SetOverlay changes it.
	Overlay *overlay.Overlay
	// Search are the index's options. Without a cache the store makes one.
	Search   search.Options
	Observer Observer // nil: nobody listens
	// Trace begins the span of a listing under the span of the request that
	// started it. own goes with the listing's requests; ended is called with how
	// the listing ended, and gives the trace's id when it is recorded. nil: no
	// traces.
	Trace func(of wire.Trace) (own wire.Trace, ended func(outcome string, tools int) (traceID string))
}

const (
	defaultTTL         = 10 * time.Minute
	defaultMinTTL      = 30 * time.Second
	defaultMaxStale    = 30 * time.Minute
	defaultNegativeTTL = 2 * time.Second
	defaultRelistEvery = 30 * time.Second
	defaultListTimeout = 30 * time.Second
	defaultMaxCallers  = 10_000
	defaultMaxBytes    = 512 << 20
	// DefaultSchemaBytes bounds the compiled schemas that are remembered.
	DefaultSchemaBytes = 64 << 20
	defaultListings    = 32
	defaultWaiting     = 256
	// DefaultListRoom is in how many bytes listings are read and judged at a time.
	DefaultListRoom = 256 << 20
	// DefaultListWait is how long a listing waits for its turn.
	DefaultListWait = 10 * time.Second

	// incompleteTTL is how long a listing without some source is fresh.
	incompleteTTL = 3 * time.Second
)

func (o Options) withDefaults() Options {
	o.TTL = orDefault(o.TTL, defaultTTL)
	o.MinTTL = orDefault(o.MinTTL, defaultMinTTL)
	o.MaxStale = max(orDefault(o.MaxStale, defaultMaxStale), o.TTL)
	o.NegativeTTL = orDefault(o.NegativeTTL, defaultNegativeTTL)
	o.RelistEvery = orDefault(o.RelistEvery, defaultRelistEvery)
	o.ListTimeout = orDefault(o.ListTimeout, defaultListTimeout)
	o.MaxCallers = orDefault(o.MaxCallers, defaultMaxCallers)
	o.MaxBytes = orDefault(o.MaxBytes, defaultMaxBytes)
	o.SchemaBytes = orDefault(o.SchemaBytes, DefaultSchemaBytes)
	if o.Queue == nil {
		o.Queue = bounds.NewQueue(defaultListings, DefaultListRoom, defaultWaiting, DefaultListWait, nil)
	}
	if o.Pressed == nil {
		o.Pressed = func() bool { return false }
	}
	if o.Search.Cache == nil {
		o.Search.Cache = search.NewCache(0)
	}
	if o.Observer == nil {
		o.Observer = silent{}
	}
	return o
}

func orDefault[T int | int64 | time.Duration](v, standard T) T {
	if v <= 0 {
		return standard
	}
	return v
}

// fresh is how long a listing is fresh: our TTL, or the upstream's when it
// said one, never below MinTTL (many servers say 0 or 1) nor above ours. One
// without some source is listed again soon: the source may only be starting.
func (o Options) fresh(l *upstream.Listing) time.Duration {
	switch {
	case len(l.Missing) > 0:
		return min(incompleteTTL, o.TTL)
	case l.TTL <= 0:
		return o.TTL
	}
	return min(max(l.TTL, o.MinTTL), o.TTL)
}

// silent is the Observer nobody set.
type silent struct{}

func (silent) Listed(string, int, int64, time.Duration, string) {}
func (silent) Evicted()                                         {}
func (silent) SchemaUncompilable()                              {}
func (silent) Dropped(Dropped)                                  {}
