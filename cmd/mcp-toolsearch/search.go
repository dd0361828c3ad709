package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"text/tabwriter"

	"mcp-toolsearch/search"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// searchFlags are the search command's own flags.
type searchFlags struct {
	json    bool
	limit   int
	headers []string
}

// found is one hit as --json prints it.
type found struct {
	Name        string   `json:"name"`
	Source      string   `json:"source,omitempty"`
	Door        string   `json:"run_with"`
	Required    []string `json:"required,omitempty"`
	Score       float64  `json:"score"`
	Exact       bool     `json:"exact,omitempty"`
	Why         []string `json:"why,omitempty"`
	Description string   `json:"description,omitempty"`
}

// searchCommand lists an upstream's tools and prints what a query finds.
func searchCommand(ctx context.Context, t terminal, args []string) error {
	var own searchFlags
	s, words, err := settingsOf(t, "search", args, func(fs *flag.FlagSet) {
		fs.BoolVar(&own.json, "json", false, "Print JSON instead of a table.")
		fs.IntVar(&own.limit, "limit", 8, "How many hits are printed.")
		fs.Func("header", "`HEADER` sent with the listing, like \"Authorization: Bearer ...\"; repeatable.", func(v string) error {
			own.headers = append(own.headers, v)
			return nil
		})
	})
	if err != nil {
		return err
	}
	if len(words) == 0 || s.Upstream == "" && !s.merges() {
		return usageError{errors.New(`give the words and the MCP server's URL: mcp-toolsearch search "send an email" --upstream http://127.0.0.1:8080/mcp/all, or a file of servers with --config`)}
	}
	list := s.listOnce
	mistakes := append(s.connectionMistakes(), s.fileMistakes()...)
	if s.merges() {
		list = s.listMerged(t)
		mistakes = append(mistakes, s.upstreamMistake())
		mistakes = append(mistakes, s.sourceMistakes()...)
	} else {
		mistakes = append(mistakes, s.wholeURLMistake())
	}
	if err := errors.Join(mistakes...); err != nil {
		return usageError{err}
	}
	cat, err := list(ctx, own.headers)
	if err != nil {
		return err
	}
	res := cat.Search(catalog.SearchQuery{Text: strings.Join(words, " "), Limit: max(own.limit, 1)})
	if own.json {
		return printJSON(t.out, res)
	}
	return printTable(t.out, cat, res)
}

// wholeURLMistake is that of --upstream, which is an aggregate route's whole URL here.
func (s *Settings) wholeURLMistake() error {
	_, err := endpoint("--upstream", s.Upstream, exampleUpstream+"/mcp/all")
	return err
}

// listMerged lists the servers that are merged here.
func (s *Settings) listMerged(t terminal) func(context.Context, []string) (*catalog.Catalog, error) {
	return func(ctx context.Context, headers []string) (*catalog.Catalog, error) {
		h, err := headersOf(headers)
		if err != nil {
			return nil, err
		}
		for name := range h {
			s.CallerHeaders = append(s.CallerHeaders, name)
		}
		s.ManifestPath, s.LogLevel = "", "error" // a look writes no file
		c, err := s.newCore(ctx, s.logger(t))
		if err != nil {
			return nil, err
		}
		defer c.close()
		if c.merged.shared {
			if _, err := c.merged.aggregate.Refresh(ctx); err != nil {
				return nil, err
			}
		}
		return c.store.Get(ctx, catalog.Request{Who: c.merged.identifier.Identify(h), Era: wire.Modern, Target: c.merged.target})
	}
}

// headersOf reads the lines of --header.
func headersOf(lines []string) (http.Header, error) {
	h := http.Header{}
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, usageError{errors.New(`--header must be "Name: value"`)}
		}
		h.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return h, nil
}

// listOnce lists one upstream with the given headers as the caller's identity.
func (s *Settings) listOnce(ctx context.Context, headers []string) (*catalog.Catalog, error) {
	h, err := headersOf(headers)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	identifier, err := caller.NewIdentifier(names)
	if err != nil {
		return nil, usageError{fmt.Errorf("--header: %w", err)}
	}
	client, err := s.client()
	if err != nil {
		return nil, usageError{err}
	}
	defer client.CloseIdleConnections()
	index, err := s.searchOptions()
	if err != nil {
		return nil, usageError{err}
	}
	_, rules, err := s.openOverlay()
	if err != nil {
		return nil, usageError{err}
	}
	store := catalog.NewStore(catalog.Options{Lister: client, Search: index, Overlay: rules, ReadTools: s.ReadTools, WriteTools: s.WriteTools, ListTimeout: s.ListTimeout,
		SourceSeparator: s.SourceSeparator, MetaTools: sidecar.MetaToolNames()})
	defer store.Close()
	return store.Get(ctx, catalog.Request{Who: identifier.Identify(h), Era: wire.Modern,
		Target: upstream.Target{URL: s.Upstream, Authority: s.UpstreamAuthority}})
}

// explain says what one part of a score rests on, and how much it gave.
func explain(r search.Reason) string {
	if r.Field == search.FieldMeaning {
		return fmt.Sprintf("meaning %.2f", r.Score)
	}
	return fmt.Sprintf("%s in %s %.2f", r.Word, r.Field, r.Score)
}

func doorOf(a catalog.Access) string {
	if a == catalog.Read {
		return sidecar.CallReadTool
	}
	return sidecar.CallWriteTool
}

func printJSON(w io.Writer, res catalog.SearchResult) error {
	hits := make([]found, 0, len(res.Hits))
	for _, h := range res.Hits {
		f := found{Name: h.Tool.Name, Source: h.Tool.Source, Door: doorOf(h.Tool.Access), Required: h.Tool.Required,
			Score: h.Score, Exact: h.Exact, Description: h.Tool.Description}
		for _, why := range h.Why {
			f.Why = append(f.Why, explain(why))
		}
		hits = append(hits, f)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	near := res.NearTerms
	if near == nil {
		near = []string{}
	}
	return enc.Encode(struct {
		Hits      []found  `json:"hits"`
		NearTerms []string `json:"near_terms"`
	}{hits, near})
}

func printTable(w io.Writer, cat *catalog.Catalog, res catalog.SearchResult) error {
	if len(res.Hits) == 0 {
		_, err := fmt.Fprintf(w, "No match among %d tools.\n", len(cat.Tools()))
		return err
	}
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "#\tTOOL\tSOURCE\tRUN WITH\tSCORE\tREQUIRED\tWHY")
	for i, h := range res.Hits {
		var why []string
		for _, r := range h.Why {
			if len(why) < 3 {
				why = append(why, explain(r))
			}
		}
		fmt.Fprintf(tw, "%d\t%s\t%s\t%s\t%.2f\t%s\t%s\n", i+1, printable(h.Tool.Name), printable(h.Tool.Source), doorOf(h.Tool.Access), h.Score,
			printable(strings.Join(h.Tool.Required, ",")), printable(strings.Join(why, ", ")))
	}
	return tw.Flush()
}

// printable keeps what an upstream chose from steering the terminal, and tells names apart that look the same: one with
// odd characters or spaces at its ends is quoted.
func printable(s string) string {
	quoted := strconv.Quote(s)
	if quoted == `"`+s+`"` && strings.TrimSpace(s) == s && !strings.Contains(s, "  ") {
		return s
	}
	return quoted
}
