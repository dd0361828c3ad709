package catalog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"

	"mcp-toolsearch/search"
	"mcp-toolsearch/sidecar/overlay"
)

// ErrLoop says that an upstream lists exactly our own tools.
var ErrLoop = errors.New("the upstream leads back to this search route; " +
	"point the route's aggregate path at the MCP servers, not at a search route")

// body is what callers with the same listing share.
type body struct {
	tools       []*Tool
	byName      map[string]*Tool
	index       *search.Index
	sources     []Source
	fingerprint string
	bytes       int64
	dropped     Dropped
	overlay     *overlay.Overlay // what was laid over it
	// The listing, for when it or the overlay changes, by place in it.
	raw         [][]byte
	digests     []digest
	definitions []*definition // nil: malformed
}

// build judges and indexes a listing. Compiled schemas of its tools are
// remembered in s.
func build(l *listing, r rules, o search.Options, s *schemas) *body {
	b := &body{byName: make(map[string]*Tool, len(l.raw)), fingerprint: l.fingerprint(r), overlay: r.overlay,
		raw: l.raw, digests: l.digests, definitions: l.definitions(s)}
	room := make([]Tool, 0, len(l.raw))
	var params [][]param
	var says []overlay.Say
	doubted := map[string]bool{}
	for i, d := range b.definitions {
		if !b.admit(d, r) {
			doubt(doubted, d, l.raw[i], r)
			continue
		}
		say := r.overlay.Of(d.tool.Name)
		if say.Hide {
			continue
		}
		room = append(room, d.tool)
		t := &room[len(room)-1]
		t.Access = r.access(d)
		b.tools = append(b.tools, t)
		b.byName[t.Name] = t
		params, says = append(params, d.params), append(says, say)
	}
	for _, t := range b.tools {
		if doubted[t.Name] {
			t.Access = Write
		}
	}
	label(b.tools, r.separator)
	for i, t := range b.tools {
		t.Source = cmp.Or(says[i].Source, t.Source)
	}
	b.sources = sourcesOf(b.tools)
	if l.before != nil {
		o.Base = l.before.index
	}
	b.index = search.Build(documents(b.tools, params, says), o)
	b.bytes = b.size()
	return b
}

// admit counts a tool when it must be left out: malformed, a repeated name (the
// first wins), or an invalid x-mcp-header annotation, which clients must refuse
// (spec 2026-07-28 server/tools).
func (b *body) admit(d *definition, r rules) bool {
	if d == nil {
		b.dropped.Malformed++
		return false
	}
	if b.byName[d.tool.Name] != nil {
		b.dropped.Repeated++
		return false
	}
	if d.badHeaders {
		b.dropped.BadHeaders++
		return false
	}
	return true
}

// doubt notes the names of a tool that was left out and doesn't provably read: which of several definitions of a name a call
// runs is the upstream's choice, so the name is a write, in whatever order they are listed.
func doubt(names map[string]bool, d *definition, raw []byte, r rules) {
	if d == nil {
		for _, name := range claimed(raw) {
			names[name] = true
		}
	} else if r.access(d) == Write {
		names[d.tool.Name] = true
	}
}

// claimed are the names that a malformed tool object gives itself: any, when it has several.
func claimed(raw []byte) (names []string) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return names
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return names
		}
		var name string
		if key == "name" && json.Unmarshal(value, &name) == nil && name != "" {
			names = append(names, name)
		}
	}
	return names
}

func documents(tools []*Tool, params [][]param, says []overlay.Say) []search.Document {
	docs := make([]search.Document, len(tools))
	for i, t := range tools {
		docs[i] = search.Document{Name: t.Name, Source: t.Source, Title: t.Title, Description: t.Description, Parameters: params[i],
			Aliases: says[i].Aliases, Pinned: says[i].Pin}
	}
	return docs
}

// isLoop says whether the tools are exactly the given names.
func (b *body) isLoop(names []string) bool {
	if len(names) == 0 || len(names) != len(b.tools) {
		return false
	}
	for _, name := range names {
		if b.byName[name] == nil {
			return false
		}
	}
	return true
}

func (b *body) search(q SearchQuery) SearchResult {
	query := search.Query{Text: q.Text, Limit: q.Limit}
	if q.Source != "" || q.Access != nil {
		query.Keep = func(doc int) bool {
			t := b.tools[doc]
			return (q.Source == "" || t.Source == q.Source) && (q.Access == nil || t.Access == *q.Access)
		}
	}
	found := b.index.Search(query)
	result := SearchResult{NearTerms: found.NearTerms, Hits: make([]SearchHit, len(found.Hits))}
	for i, h := range found.Hits {
		result.Hits[i] = SearchHit{Tool: b.tools[h.Doc], Score: h.Score, Exact: h.Exact, Why: h.Why}
	}
	return result
}
