package upstream

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

// maxTTL keeps an absurd ttlMs from overflowing.
const maxTTL = 365 * 24 * time.Hour

// pages collects a listing page by page.
type pages struct {
	opt     Options
	listing Listing
	seen    map[string]bool // cursors
}

func newPages(opt Options, era wire.Era) *pages {
	return &pages{opt: opt, listing: Listing{Era: era}, seen: map[string]bool{}}
}

// add takes a tools/list result and gives the next cursor as a raw token, nil
// when the listing is complete.
func (p *pages) add(result []byte) (next []byte, err error) {
	fields, err := wire.TopFields(result)
	if err != nil {
		return nil, notAList("the result is not a JSON object with distinct names")
	}
	p.listing.Pages++
	var tools []byte
	for _, f := range fields {
		switch f.Key {
		case "tools":
			tools = f.Value
		case "nextCursor":
			next = f.Value
		case "ttlMs":
			p.ttl(f.Value)
		case "resultType":
			if kind, _ := wire.String(f.Value); kind != "complete" {
				return nil, notAList("the result is of another type than complete")
			}
		}
	}
	if err := p.collect(tools); err != nil {
		return nil, err
	}
	return p.next(next)
}

func notAList(detail string) error {
	return &Error{Kind: Garbage, Detail: "tools/list: " + detail}
}

// collect splits the tools array. What is wrong inside one tool (a repeated
// name, nesting without end) is for the catalog to judge, tool by tool.
func (p *pages) collect(raw []byte) error {
	if !wire.IsArray(raw) {
		return notAList("the result has no array of tools")
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
		return notAList("the array of tools is broken")
	case full:
		return tooMany(strconv.Itoa(p.opt.MaxTools) + " tools")
	}
	return nil
}

// tooMany is a listing beyond one of its limits.
func tooMany(than string) error {
	return &Error{Kind: TooLarge, Detail: "more than " + than}
}

// next judges a cursor: absent, null and "" end the listing, a repeated one is
// a loop.
func (p *pages) next(raw []byte) ([]byte, error) {
	if raw == nil || wire.IsNull(raw) {
		return nil, nil
	}
	cursor, ok := wire.String(raw)
	switch {
	case !ok:
		return nil, notAList("nextCursor is not a string")
	case cursor == "":
		return nil, nil
	case p.seen[cursor]:
		return nil, &Error{Kind: Endless, Detail: "tools/list gave the same cursor twice"}
	case p.listing.Pages == p.opt.MaxPages:
		return nil, tooMany(strconv.Itoa(p.opt.MaxPages) + " pages of tools")
	}
	p.seen[cursor] = true
	return slices.Clone(raw), nil
}

// ttl keeps the shortest positive ttlMs. Only the modern era has it: Go
// servers send a meaningless one in the legacy eras too.
func (p *pages) ttl(raw []byte) {
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
