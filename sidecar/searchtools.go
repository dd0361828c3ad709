package sidecar

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/wire"
)

const (
	defaultHits = 8
	maxHits     = 50
)

// searchRequest is search_tools' own arguments.
type searchRequest struct {
	query, server string
	limit         int
	access        *catalog.Access
	refresh       bool
	note          string // about keys that were not understood
}

func searchRequestOf(args arguments) (searchRequest, *Refusal) {
	r := searchRequest{limit: defaultHits, note: ignored(args, "query", "limit", "server", "access", "refresh")}
	var ok bool
	if r.query, ok = wire.String(args["query"]); !ok {
		return r, &Refusal{BadCall, "query is missing: describe in a few words what you want to do, like {\"query\":\"send an email\"}." + r.note}
	}
	if strings.TrimSpace(r.query) == "" {
		return r, &Refusal{BadCall, "query is empty: describe in a few words what you want to do, like {\"query\":\"send an email\"}." + r.note}
	}
	if args.has("limit") {
		if r.limit, ok = number(args["limit"]); !ok {
			return r, &Refusal{BadCall, fmt.Sprintf("limit must be a whole number from 1 to %d.", maxHits)}
		}
	}
	r.limit = min(max(r.limit, 1), maxHits)
	if args.has("server") {
		if r.server, ok = wire.String(args["server"]); !ok {
			return r, &Refusal{BadCall, "server must be a string: the name of one source, as search hits show it."}
		}
	}
	refresh, _ := wire.String(args["refresh"])
	r.refresh = string(args["refresh"]) == "true" || strings.EqualFold(refresh, "true")
	return r, r.readAccess(args)
}

func (r *searchRequest) readAccess(args arguments) *Refusal {
	if !args.has("access") {
		return nil
	}
	word, ok := wire.String(args["access"])
	access := catalog.Write
	switch word = strings.ToLower(word); {
	case ok && word == "":
		return nil
	case word == "read":
		access = catalog.Read
	case word != "write":
		return &Refusal{BadCall, "access must be \"read\" or \"write\"; leave it out for both."}
	}
	r.access = &access
	return nil
}

// ignored names keys that were sent but mean nothing, when they look like a misspelling of one that does.
func ignored(args arguments, known ...string) string {
	var text strings.Builder
	for _, want := range known {
		if args.has(want) {
			continue
		}
		if key := args.near(want); key != "" {
			fmt.Fprintf(&text, "\nThe key %s was ignored: did you mean %q?", quote(clip(key, 64)), want)
		}
	}
	return text.String()
}

// number reads a JSON number, or one sent as text.
func number(raw []byte) (int, bool) {
	text := string(raw)
	if s, ok := wire.String(raw); ok {
		text = strings.TrimSpace(s)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) {
		return 0, false
	}
	return int(min(max(f, -1e6), 1e6)), true
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
	if r.server != "" {
		name, ok := sourceNamed(cat, r.server)
		if !ok {
			return e.refuse(t, Refusal{BadCall, fmt.Sprintf("There is no source %s.%s", quote(clip(r.server, 64)), sourcesLine(cat))})
		}
		r.server = name
	}
	start, span := time.Now(), t.step(StepSearch)
	res := cat.Search(catalog.SearchQuery{Text: r.query, Source: r.server, Limit: r.limit, Access: r.access})
	span.End(Facts{Labels: Labels{Outcome: "ok"}, Tools: len(cat.Tools()), Hits: len(res.Hits)})
	e.o.Observer.Searched(len(cat.Tools()), len(res.Hits), time.Since(start), span.TraceID())
	e.used(t, cat)
	e.trails.searched(t.who.Key(), time.Now(), res.Hits)
	notes := r.note + note + missingLine(cat)
	text := noHits(cat, res)
	if len(res.Hits) > 0 {
		text = e.hitsText(res.Hits, e.o.SearchTokens*bytesPerToken-len(notes))
	}
	return e.answer(t, wire.TextResult(text+notes, false))
}

// catalogFor gets the catalog, listing again first when asked to, and a note when the list is old.
func (e *Engine) catalogFor(ctx context.Context, t *turn, refresh bool) (cat *catalog.Catalog, note string, err error) {
	listed := true
	if refresh {
		cat, listed, note, err = e.relist(ctx, t)
	} else {
		cat, err = e.o.Catalogs.Get(ctx, t.view().request())
	}
	if err != nil || note != "" {
		return cat, note, err
	}
	age := cat.Age(time.Now())
	switch {
	case !listed:
		return cat, fmt.Sprintf("\nListed %d seconds ago; refresh works again in a moment.", int(age.Seconds())), nil
	case age > e.o.StaleAfter:
		return cat, fmt.Sprintf("\nThis list is %d minutes old: it is being listed again.", int(age.Minutes())), nil
	}
	return cat, "", nil
}

// missingLine says which sources don't answer, so that what isn't found isn't taken for what doesn't exist. One that is
// only starting is no failure.
func missingLine(cat *catalog.Catalog) string {
	starting := cat.Starting()
	down := slices.DeleteFunc(slices.Clone(cat.Missing()), func(name string) bool { return slices.Contains(starting, name) })
	text := ""
	if len(starting) > 0 {
		text = "\nStill starting: " + nameList(starting) + ". Their tools are not here yet; search again in a moment."
	}
	if len(down) > 0 {
		text += "\nNot answering now: " + nameList(down) + ". Their tools may be missing here, or fail; search again in a moment."
	}
	return text
}

// nameList writes names, as far as a line reaches.
func nameList(all []string) string {
	var names []string
	size := 0
	for i, name := range all {
		name = shown(clip(name, 64))
		if size += len(name); size > 500 {
			names = append(names, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// sourceNamed finds a source by its name, whatever its case: nothing is run by it.
func sourceNamed(cat *catalog.Catalog, name string) (string, bool) {
	folded := ""
	for _, s := range cat.Sources() {
		if s.Name == name {
			return name, true
		}
		if strings.EqualFold(s.Name, strings.TrimSpace(name)) {
			folded = s.Name
		}
	}
	return folded, folded != ""
}

// sourcesLine names the sources with their numbers of tools, as far as a line reaches.
func sourcesLine(cat *catalog.Catalog) string {
	var names []string
	size := 0
	sources := cat.Sources()
	for i, s := range sources {
		entry := fmt.Sprintf("%s (%d)", shown(clip(s.Name, 64)), s.Tools)
		if size += len(entry); size > 1500 {
			names = append(names, fmt.Sprintf("and %d more", len(sources)-i))
			break
		}
		names = append(names, entry)
	}
	if len(names) == 0 {
		return ""
	}
	return " Sources: " + strings.Join(names, ", ") + "."
}

// noHits says that nothing matched, and what there is: nothing is added to look like a match.
func noHits(cat *catalog.Catalog, res catalog.SearchResult) string {
	if len(cat.Tools()) == 0 {
		return "No match: the catalog is empty, this caller sees no tools."
	}
	text := fmt.Sprintf("No match among %d tools.%s", len(cat.Tools()), sourcesLine(cat))
	if len(res.NearTerms) > 0 {
		terms := make([]string, len(res.NearTerms))
		for i, term := range res.NearTerms {
			terms[i] = clip(term, 64)
		}
		text += " Near terms: " + shownAll(terms) + "."
	}
	return text + " Try other words for the task."
}
