package sidecar

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/wire"
)

const (
	defaultHits   = 8
	maxHits       = 50
	lineRunes     = 160 // of a description in a hit
	bytesPerToken = 4   // the usual estimate, without a tokenizer in the binary
)

// searchRequest is search_tools' own arguments.
type searchRequest struct {
	query, server string
	limit         int
	access        *catalog.Access
	refresh       bool
}

func searchRequestOf(args arguments) (searchRequest, *Refusal) {
	r := searchRequest{limit: defaultHits}
	var ok bool
	if r.query, ok = wire.String(args["query"]); !ok {
		return r, &Refusal{BadCall, "query is missing: describe in a few words what you want to do, like {\"query\":\"send an email\"}."}
	}
	if args.has("limit") {
		r.limit = number(args["limit"], defaultHits)
	}
	r.limit = min(max(r.limit, 1), maxHits)
	if args.has("server") {
		if r.server, ok = wire.String(args["server"]); !ok {
			return r, &Refusal{BadCall, "server must be a string: the name of one source, as search hits show it."}
		}
	}
	if args.has("access") {
		word, _ := wire.String(args["access"])
		access := catalog.Write
		switch word {
		case "read":
			access = catalog.Read
		case "write":
		case "":
			return r, nil
		default:
			return r, &Refusal{BadCall, "access must be \"read\" or \"write\"; leave it out for both."}
		}
		r.access = &access
	}
	r.refresh = string(args["refresh"]) == "true"
	return r, nil
}

// number reads a JSON number, or one sent as text.
func number(raw []byte, def int) int {
	text := string(raw)
	if s, ok := wire.String(raw); ok {
		text = s
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(f) || math.Abs(f) > 1e6 {
		return def
	}
	return int(f)
}

func (e *Engine) search(ctx context.Context, t *turn, args arguments) Decision {
	r, refusal := searchRequestOf(args)
	if refusal != nil {
		return e.refuse(t, *refusal)
	}
	cat, note, err := e.catalogFor(ctx, t, r.refresh)
	if err != nil {
		return e.catalogFailed(t, err)
	}
	if r.server != "" && !hasSource(cat, r.server) {
		return e.refuse(t, Refusal{BadCall, fmt.Sprintf("There is no source %q.%s", clip(r.server, 64), sourcesLine(cat))})
	}
	start := time.Now()
	res := cat.Search(catalog.SearchQuery{Text: r.query, Source: r.server, Limit: r.limit, Access: r.access})
	e.o.Observer.Searched(len(cat.Tools()), len(res.Hits), time.Since(start))
	text := e.hitsText(cat, res)
	return e.answer(t, wire.TextResult(text+note, false))
}

// catalogFor gets the catalog, listing again first when asked to, and a note when the list is old.
func (e *Engine) catalogFor(ctx context.Context, t *turn, refresh bool) (*catalog.Catalog, string, error) {
	var cat *catalog.Catalog
	var err error
	listed := true
	if refresh {
		cat, listed, err = e.o.Catalogs.Relist(ctx, t.view().request())
	} else {
		cat, err = e.o.Catalogs.Get(ctx, t.view().request())
	}
	if err != nil {
		return nil, "", err
	}
	age := cat.Age(time.Now())
	switch {
	case age > e.o.StaleAfter:
		return cat, fmt.Sprintf("\nThis list is %d minutes old: it is being listed again.", int(age.Minutes())), nil
	case !listed:
		return cat, fmt.Sprintf("\nListed %d seconds ago; refresh works again in a moment.", int(age.Seconds())), nil
	}
	return cat, "", nil
}

func hasSource(cat *catalog.Catalog, name string) bool {
	for _, s := range cat.Sources() {
		if s.Name == name {
			return true
		}
	}
	return false
}

// sourcesLine names the sources with their numbers of tools, as far as a line reaches.
func sourcesLine(cat *catalog.Catalog) string {
	var names []string
	size := 0
	sources := cat.Sources()
	for i, s := range sources {
		entry := fmt.Sprintf("%s (%d)", clip(s.Name, 64), s.Tools)
		if size += len(entry); size > 1500 {
			names = append(names, fmt.Sprintf("and %d more", len(sources)-i))
			break
		}
		names = append(names, entry)
	}
	switch {
	case len(cat.Tools()) == 0:
		return " The catalog is empty: this caller sees no tools."
	case len(names) == 0:
		return ""
	}
	return " Sources: " + strings.Join(names, ", ") + "."
}

// hitsText writes the hits, best first. When it gets too long, schemas go before hits do, the last first.
func (e *Engine) hitsText(cat *catalog.Catalog, res catalog.SearchResult) string {
	if len(res.Hits) == 0 {
		text := fmt.Sprintf("No match among %d tools.%s", len(cat.Tools()), sourcesLine(cat))
		if len(res.NearTerms) > 0 {
			text += " Near terms: " + strings.Join(res.NearTerms, ", ") + "."
		}
		return text + " Try other words for the task."
	}
	budget := e.o.SearchTokens * bytesPerToken
	const head = "name | source | run with | required arguments\n"
	var heads []string
	size := len(head)
	for i, h := range res.Hits {
		line := hitLine(i+1, h.Tool)
		if size+len(line) > budget && i > 0 {
			break
		}
		size += len(line)
		heads = append(heads, line)
	}
	schemas := make([]string, len(heads))
	for i := 0; i < len(heads) && i < e.o.SearchSchemas; i++ {
		schema := "   input: " + string(wire.Compact(res.Hits[i].Tool.InputSchema)) + "\n"
		if size+len(schema) > budget {
			schema = "   input: too long for here, see " + DescribeTools + "\n"
		}
		size += len(schema)
		schemas[i] = schema
	}
	var b strings.Builder
	b.WriteString(head)
	for i, line := range heads {
		b.WriteString(line + schemas[i])
	}
	if cut := len(res.Hits) - len(heads); cut > 0 {
		fmt.Fprintf(&b, "%d more hits were left out: ask for fewer, or narrow the query.\n", cut)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func hitLine(n int, tool *catalog.Tool) string {
	required := "none"
	if len(tool.Required) > 0 {
		required = strings.Join(tool.Required, ", ")
	}
	source := tool.Source
	if source == "" {
		source = "-"
	}
	line := fmt.Sprintf("%d. %s | %s | %s | %s\n", n, tool.Name, source, doorOf(tool.Access), clip(required, 300))
	if text := oneLine(tool); text != "" {
		line += "   " + text + "\n"
	}
	return line
}

// oneLine is the first sentence of a description, or its title, on one line.
func oneLine(tool *catalog.Tool) string {
	text := strings.TrimSpace(tool.Description)
	if text == "" {
		text = tool.Title
	}
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	if i := strings.Index(text, ". "); i > 20 {
		text = text[:i+1]
	}
	return clip(strings.Join(strings.Fields(text), " "), lineRunes)
}

// describe answers describe_tools with whole definitions, as listed.
func (e *Engine) describe(ctx context.Context, t *turn, args arguments) Decision {
	names, refusal := namesOf(args)
	if refusal != nil {
		return e.refuse(t, *refusal)
	}
	var b strings.Builder
	found := 0
	for _, name := range names {
		cat, tool, err := e.find(ctx, t.view(), name)
		if err != nil {
			return e.catalogFailed(t, err)
		}
		if tool == nil {
			b.WriteString(unknownTool(cat, name).Text + "\n")
			continue
		}
		found++
		fmt.Fprintf(&b, "%s (source: %s, run with %s):\n%s\n", tool.Name, tool.Source, doorOf(tool.Access), wire.Compact(tool.Definition))
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if found == 0 {
		return e.refuse(t, Refusal{UnknownTool, text})
	}
	return e.answer(t, wire.TextResult(text, false))
}

const maxNames = 10

// namesOf reads names: an array of strings, one string, or the array as JSON text.
func namesOf(args arguments) ([]string, *Refusal) {
	raw := args["names"]
	if raw == nil {
		raw = args["name"]
	}
	var names []string
	for _, item := range elementsOf(raw) {
		name, ok := wire.String(item)
		if !ok {
			return nil, &Refusal{BadCall, "names must be an array of tool names, like {\"names\":[\"wiki_get_page\"]}."}
		}
		names = append(names, name)
	}
	switch {
	case len(names) == 0:
		return nil, &Refusal{BadCall, "names is missing: give 1 to 10 tool names, like {\"names\":[\"wiki_get_page\"]}."}
	case len(names) > maxNames:
		return nil, &Refusal{BadCall, fmt.Sprintf("names has %d entries: describe at most %d tools at a time.", len(names), maxNames)}
	}
	return names, nil
}
