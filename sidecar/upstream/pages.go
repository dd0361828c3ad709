package upstream

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

// MissingKey is the member of a listing's _meta in which an aggregate of ours
// names the sources that don't answer now; StartingKey is for those of them
// that have not had the time to.
const (
	MissingKey  = "mcp-toolsearch/down"
	StartingKey = "mcp-toolsearch/starting"
)

// maxTTL keeps an absurd ttlMs from overflowing.
const maxTTL = 365 * 24 * time.Hour

// Pages collects a listing page by page.
type Pages struct {
	opt     Options
	method  string
	items   string // the member of a result that holds them
	listing Listing
	seen    map[string]bool // cursors
}

// NewPages starts a listing of one of the four methods that list: tools/list,
// prompts/list, resources/list, resources/templates/list. Of opt the bounds count.
func NewPages(opt Options, era wire.Era, method string) *Pages {
	items := "tools"
	switch method {
	case "prompts/list":
		items = "prompts"
	case "resources/list":
		items = "resources"
	case "resources/templates/list":
		items = "resourceTemplates"
	}
	opt.MaxPages, opt.MaxTools = orDefault(opt.MaxPages, defaultMaxPages), orDefault(opt.MaxTools, defaultMaxTools)
	return &Pages{opt: opt, method: method, items: items, listing: Listing{Era: era}, seen: map[string]bool{}}
}

// Listing is what was collected so far. Its Tools are the items of whatever
// was listed.
func (p *Pages) Listing() *Listing { return &p.listing }

// Add takes a result and gives the next cursor as a raw token, nil when the
// listing is complete.
func (p *Pages) Add(result []byte) (next []byte, err error) {
	fields, err := wire.TopFields(result)
	if err != nil {
		return nil, p.notAList("the result is not a JSON object with distinct names")
	}
	p.listing.Pages++
	var items []byte
	for _, f := range fields {
		switch f.Key {
		case p.items:
			items = f.Value
		case "nextCursor":
			next = f.Value
		case "ttlMs":
			p.ttl(f.Value)
		case "_meta":
			p.missing(f.Value)
		case "resultType":
			if kind, _ := wire.String(f.Value); kind != "complete" {
				return nil, p.notAList("the result is of another type than complete")
			}
		}
	}
	if err := p.collect(items); err != nil {
		return nil, err
	}
	return p.next(next)
}

func (p *Pages) notAList(detail string) error {
	return &Error{Kind: Garbage, Detail: p.method + ": " + detail}
}

// collect splits the array of items. What is wrong inside one tool (a repeated
// name, nesting without end) is for the catalog to judge, tool by tool.
func (p *Pages) collect(raw []byte) error {
	if !wire.IsArray(raw) {
		return p.notAList("the result has no array of " + p.items)
	}
	full := false
	err := wire.EachElement(raw, func(tool []byte) bool {
		if full = len(p.listing.Tools) == p.opt.MaxTools; !full {
			p.listing.Tools = append(p.listing.Tools, slices.Clone(tool))
		}
		return !full
	})
	switch {
	case err != nil:
		return p.notAList("the array of " + p.items + " is broken")
	case full:
		return tooMany(strconv.Itoa(p.opt.MaxTools) + " " + p.items)
	}
	return nil
}

// tooMany is a listing beyond one of its limits.
func tooMany(than string) error {
	return &Error{Kind: TooLarge, Detail: "more than " + than}
}

// next judges a cursor: absent, null and "" end the listing, a repeated one is
// a loop.
func (p *Pages) next(raw []byte) ([]byte, error) {
	if raw == nil || wire.IsNull(raw) {
		return nil, nil
	}
	cursor, ok := wire.String(raw)
	switch {
	case !ok:
		return nil, p.notAList("nextCursor is not a string")
	case cursor == "":
		return nil, nil
	case p.seen[cursor]:
		return nil, &Error{Kind: Endless, Detail: p.method + " gave the same cursor twice"}
	case p.listing.Pages == p.opt.MaxPages:
		return nil, tooMany(strconv.Itoa(p.opt.MaxPages) + " pages of " + p.items)
	}
	p.seen[cursor] = true
	return slices.Clone(raw), nil
}

// ttl keeps the shortest positive ttlMs. Only the modern era has it: Go
// servers send a meaningless one in the legacy eras too.
func (p *Pages) ttl(raw []byte) {
	ms, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	if err != nil || p.listing.Era != wire.Modern || !(ms > 0) || math.IsInf(ms, 0) {
		return
	}
	ttl := maxTTL
	if ms < float64(maxTTL/time.Millisecond) {
		ttl = time.Duration(ms * float64(time.Millisecond))
	}
	if p.listing.TTL == 0 || ttl < p.listing.TTL {
		p.listing.TTL = ttl
	}
}

// maxMissing bounds what is kept of the sources that are missing.
const maxMissing = 100

// missing reads which sources are missing; what isn't such a list is nobody's.
func (p *Pages) missing(meta []byte) {
	fields, err := wire.TopFields(meta)
	if err != nil {
		return
	}
	for _, f := range fields {
		switch f.Key {
		case MissingKey:
			p.listing.Missing = appendNames(p.listing.Missing, f.Value)
		case StartingKey:
			p.listing.Starting = appendNames(p.listing.Starting, f.Value)
		}
	}
}

// appendNames adds the texts of an array: what was read before a fault counts.
func appendNames(names []string, raw []byte) []string {
	_ = wire.EachElement(raw, func(element []byte) bool {
		if name, ok := wire.String(element); ok {
			names = append(names, name)
		}
		return len(names) < maxMissing
	})
	return names
}
