package catalog

import (
	"context"
	"errors"
	"time"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// Lister lists an upstream's tools as a caller. *upstream.Client is one.
type Lister interface {
	List(ctx context.Context, t upstream.Target, who caller.Caller, opt upstream.ListOptions) (*upstream.Listing, error)
}

// Observer hears what the store does, for metrics. Its methods are called from
// several goroutines and must return at once.
type Observer interface {
	// Listed: a listing ended. outcome is "ok", "auth", or a label of
	// upstream.Kind ("timed_out", …), "loop" or "cancelled".
	Listed(outcome string, tools int, bytes int64, took time.Duration)
	// Evicted: a caller's catalog left because of a bound.
	Evicted()
	// SchemaUncompilable: a tool's input schema doesn't compile (once per schema).
	SchemaUncompilable()
	// Dropped: a listing had tools that were left out.
	Dropped(d Dropped)
}

// Options make a Store. Zero fields mean their defaults.
type Options struct {
	Lister      Lister
	TTL         time.Duration // a catalog is fresh this long (default 10 min)
	MinTTL      time.Duration // an upstream's ttlMs never counts below this (default 30 s)
	MaxStale    time.Duration // a catalog is served at most this old (default 30 min)
	NegativeTTL time.Duration // an error is remembered this long (default 2 s)
	RelistEvery time.Duration // Relist lists at most once in this time per key (default 30 s)
	ListTimeout time.Duration // one listing, however many wait for it (default 30 s)
	MaxCallers  int           // catalogs kept (default 10,000)
	MaxBytes    int64         // bytes of catalogs kept (default 512 MiB)
	// ReadTools and WriteTools are globs on tool names, see Glob.
	ReadTools, WriteTools []string
	// SourceSeparator overrides the source rule: the source is the part of a
	// name before it.
	SourceSeparator string
	// MetaTools are our own tools' names: an upstream that lists exactly these
	// leads back to us.
	MetaTools []string
	// Search are the index's options.
	Observer Observer
}

// Request asks the store for a caller's catalog.
type Request struct {
	Who         caller.Caller
	Target      upstream.Target
	Era         wire.Era // the era the caller speaks; part of the key
	Traceparent string
}

// Stats are the store's sizes at one moment.
type Stats struct {
	Callers int           // catalogs kept
	Tools   int           // tools in them, counted per caller
	Bytes   int64         // bytes held; shared content counts once
	Builds  int           // distinct contents
	Oldest  time.Duration // age of the oldest catalog
}

// Store keeps the callers' catalogs.
type Store struct{ opt Options }

var errUnfinished = errors.New("unfinished")

// NewStore makes a store; Close it.
func NewStore(o Options) *Store { return &Store{opt: o} }

// Close ends background listings and waits for them. The store answers with
// ErrClosed afterwards.
func (s *Store) Close() {}

// Get is the caller's catalog: the cached one when fresh, the stale one while
// it is listed again in the background, else a new listing.
func (s *Store) Get(ctx context.Context, r Request) (*Catalog, error) { return nil, errUnfinished }

// Relist lists again, at most once in RelistEvery per key; otherwise it gives
// what Get would, with listed false.
func (s *Store) Relist(ctx context.Context, r Request) (c *Catalog, listed bool, err error) {
	return nil, false, errUnfinished
}

// Peek is the cached catalog when it is not older than MaxStale; it never lists.
func (s *Store) Peek(r Request) (*Catalog, bool) { return nil, false }

// Forget drops what is known of a key: a relayed 401 or 403 said so.
func (s *Store) Forget(r Request) {}

// Stats are for metrics.
func (s *Store) Stats() Stats { return Stats{} }
