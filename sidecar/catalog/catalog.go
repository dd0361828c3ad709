package catalog

import (
	"time"

	"mcp-toolsearch/search"
	"mcp-toolsearch/sidecar/wire"
)

// Source is a server as people name it, with its number of tools.
type Source struct {
	Name  string
	Tools int
}

// SearchQuery asks a catalog for tools.
type SearchQuery struct {
	Text   string
	Source string // "" = every source
	Limit  int
	Access *Access // nil = both
}

// SearchResult are the tools found, best first; NearTerms when there are none.
type SearchResult struct {
	Hits      []SearchHit
	NearTerms []string
}

// SearchHit is one tool found.
type SearchHit struct {
	Tool  *Tool
	Score float64
	Exact bool // named exactly in the query
	Why   []search.Reason
}

// Catalog is one caller's tools at one moment. It is immutable and safe for
// concurrent use.
type Catalog struct {
	body   *body
	listed time.Time
	era    wire.Era
	absent
}

// absent are the sources that a listing was made without, or with older lists of.
type absent struct{ missing, starting []string }

// Tools are the tools in listing order. The slice must not be changed.
func (c *Catalog) Tools() []*Tool { return c.body.tools }

// Lookup finds a tool by its exact name, or nil.
func (c *Catalog) Lookup(name string) *Tool { return c.body.byName[name] }

// Search ranks the tools for a query.
func (c *Catalog) Search(q SearchQuery) SearchResult { return c.body.search(q) }

// Near are up to five tool names near an unknown one, best first.
func (c *Catalog) Near(name string) []string { return c.body.index.Near(name) }

// Sources are the sources by name; tools without one are not counted.
func (c *Catalog) Sources() []Source { return c.body.sources }

// Missing are the sources that didn't answer when the list was made: their
// tools are not in it, or from an older list.
func (c *Catalog) Missing() []string { return c.missing }

// Starting are those of Missing that had not had the time to answer.
func (c *Catalog) Starting() []string { return c.starting }

// Age is the time since the listing that made the catalog ended.
func (c *Catalog) Age(now time.Time) time.Duration { return now.Sub(c.listed) }

// Fingerprint names the content: equal listings under equal rules have equal ones.
func (c *Catalog) Fingerprint() string { return c.body.fingerprint }

// Era is the era the upstream was listed in.
func (c *Catalog) Era() wire.Era { return c.era }

// Bytes estimates the memory held, index included.
func (c *Catalog) Bytes() int64 { return c.body.bytes }

// Dropped counts the tools left out of the listing: malformed ones, repeated
// names and invalid x-mcp-header annotations.
func (c *Catalog) Dropped() Dropped { return c.body.dropped }

// Dropped counts tools left out, by reason.
type Dropped struct{ Malformed, Repeated, BadHeaders int }
