package main

import (
	"github.com/KimMachineGun/automemlimit/memlimit"

	"mcp-toolsearch/search"
	"mcp-toolsearch/sidecar/bounds"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/metrics"
)

// Shares of the memory limit, where there is one and the setting isn't given: what is kept may be as much again while
// it is collected, and listings, bodies and answers under way need theirs.
const (
	catalogShare = .22
	visitorShare = .08 // listings of merged servers, for each caller
	listingShare = .1  // listings under way
	readingShare = .06
	schemaShare  = .03
	bodyShare    = .125
	pageShare    = .125 // one listing
)

// limits are how much the program does at once, in all doors together.
type limits struct {
	door     bounds.Door
	listings *bounds.Queue
	watch    *bounds.Watch
	memory   int64 // bytes; 0 without a limit
	metrics  *metrics.Metrics
}

// newLimits makes them. shrink is called when memory is short.
func (s *Settings) newLimits(m *metrics.Metrics, shrink func(share float64)) *limits {
	reached := func(limit bounds.Limit) func() { return func() { m.LimitReached(limit) } }
	l := &limits{memory: bounds.MemoryLimit(memlimit.FromCgroup), metrics: m}
	l.door = bounds.Door{
		Requests:    bounds.NewGate(int64(s.MaxRequests), reached(bounds.Requests)),
		Streams:     bounds.NewGate(int64(s.MaxStreams), reached(bounds.Streams)),
		Connections: bounds.NewGate(int64(s.MaxConnections), reached(bounds.Connections)),
		Bodies:      bounds.NewGate(max(int64(s.MaxBody), s.budget("MAX_BODIES", s.MaxBodies, l.memory, bodyShare)), reached(bounds.Bodies)),
	}
	l.listings = bounds.NewQueue(s.MaxListings, bounds.Share(l.memory, listingShare, catalog.DefaultListRoom), s.MaxWaiting, catalog.DefaultListWait, reached(bounds.Listings))
	l.watch = bounds.NewWatch(l.memory, reached(bounds.Memory), shrink)
	m.MemoryLimit(l.memory)
	s.MaxListing = Size(s.budget("MAX_LISTING", s.MaxListing, l.memory, pageShare))
	if l.memory > 0 {
		bounds.Spare(l.memory, s.environ["GOGC"] != "")
	}
	return l
}

// budget is a setting's value, or where it isn't given at most a share of the memory limit.
func (s *Settings) budget(name string, value Size, limit int64, share float64) int64 {
	if s.set[name] {
		return int64(value)
	}
	return bounds.Share(limit, share, int64(value))
}

// pressed says that memory is short, and counts the listing that isn't begun for it.
func (l *limits) pressed() bool {
	if !l.watch.Pressed() {
		return false
	}
	l.metrics.LimitReached(bounds.Memory)
	return true
}

// visitors is how many bytes of merged servers' listings are kept for callers.
func (l *limits) visitors() int { return int(bounds.Share(l.memory, visitorShare, 512<<20)) }

// readings is how many bytes of tools' readings the index remembers beside kept catalogs.
func (l *limits) readings() int64 { return bounds.Share(l.memory, readingShare, search.DefaultCached) }
