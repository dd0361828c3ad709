package benchmarks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tiktoken-go/tokenizer"

	"mcp-toolsearch/internal/evalcatalog"
	"mcp-toolsearch/internal/golden"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/upstream"
)

// seed of the generated catalogs.
const seed = 1

// least is the share of tokens that must be saved at 500 tools.
const least = 0.97

// loaded is a catalog in memory, listed as an upstream would.
type loaded []evalcatalog.Tool

func (l loaded) List(context.Context, upstream.Target, caller.Caller, upstream.ListOptions) (*upstream.Listing, error) {
	listing := &upstream.Listing{Pages: 1}
	for _, t := range l {
		raw, err := json.Marshal(map[string]any{"name": t.Name, "description": t.Description, "inputSchema": t.InputSchema, "annotations": annotations(t)})
		if err != nil {
			return nil, err
		}
		listing.Tools = append(listing.Tools, raw)
	}
	return listing, nil
}

func annotations(t evalcatalog.Tool) json.RawMessage {
	if len(t.Annotations) == 0 {
		return json.RawMessage("{}")
	}
	return t.Annotations
}

type silent struct{}

func (silent) Decided(sidecar.Kind, sidecar.Labels, time.Duration) {}
func (silent) Repaired(int)                                        {}
func (silent) Searched(int, int, time.Duration, string)            {}
func (silent) BatchItem(string)                                    {}
func (silent) Followed(int)                                        {}
func (silent) Definitions(int, int)                                {}
func (silent) CatalogUsed(time.Duration)                           {}
func (silent) NotEdited(string)                                    {}
func (silent) Listed(string, int, int64, time.Duration, string)    {}
func (silent) Evicted()                                            {}
func (silent) SchemaUncompilable()                                 {}
func (silent) Dropped(catalog.Dropped)                             {}

// figures are tokens (o200k_base) of what a model sees.
type figures struct {
	all    int // definitions of all tools
	five   int // definitions of the five
	search int // a search with its answer: query, 8 hits, 3 schemas
	call   int // a call through the call tool beyond what the direct call would take
}

func (f figures) definitionsSaved() float64 { return 1 - float64(f.five)/float64(f.all) }

// taskSaved is for a whole task: definitions, one search, one call.
func (f figures) taskSaved() float64 { return 1 - float64(f.five+f.search+f.call)/float64(f.all) }

func measure(tb testing.TB, tools []evalcatalog.Tool) figures {
	tb.Helper()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		tb.Fatal(err)
	}
	count := func(v any) int {
		text, isText := v.(string)
		if !isText {
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(v); err != nil {
				tb.Fatal(err)
			}
			text = b.String()
		}
		n, err := codec.Count(text)
		if err != nil {
			tb.Fatal(err)
		}
		return n
	}
	var f figures
	for _, t := range tools {
		f.all += count(seen{t.Name, t.Description, t.InputSchema})
	}
	for _, t := range sidecar.MetaTools() {
		f.five += count(seen{t.Name, t.Description, json.RawMessage(t.InputSchema)})
	}
	store := catalog.NewStore(catalog.Options{Lister: loaded(tools), Observer: silent{}})
	tb.Cleanup(store.Close)
	identifier, err := caller.NewIdentifier(nil)
	if err != nil {
		tb.Fatal(err)
	}
	engine := sidecar.New(sidecar.Options{Routes: []sidecar.Route{{Search: "/mcp/search", Aggregate: "/mcp/all"}}, Upstream: "http://gateway.test",
		SearchSchemas: 3, Identifier: identifier, Catalogs: store, Observer: silent{}})
	// The mean over many searches: each tool's own name in words is a query an agent could have written.
	const searches = 50
	for i := range searches {
		t := tools[i*len(tools)/searches]
		args := map[string]any{"query": t.Server + " " + t.Name}
		f.search += count(args) + count(ask(tb, engine, args))
		f.call += count(map[string]any{"name": t.Name, "arguments": map[string]any{}}) - count(map[string]any{})
	}
	f.search /= searches
	f.call /= searches
	return f
}

type seen struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// ask sends one search and returns the text of its answer.
func ask(tb testing.TB, e *sidecar.Engine, args map[string]any) string {
	tb.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": sidecar.SearchTools, "arguments": args}})
	if err != nil {
		tb.Fatal(err)
	}
	d := e.Decide(tb.Context(), sidecar.Request{Method: http.MethodPost, Path: "/mcp/search", Authority: "gateway.test", Body: body})
	var answer struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal(d.Body, &answer); err != nil || answer.Result.IsError || len(answer.Result.Content) != 1 {
		tb.Fatalf("the search was not answered: %s (%v)", d.Body, err)
	}
	return answer.Result.Content[0].Text
}

// inReadme are the catalog sizes of the table in README.md.
func inReadme() []int { return []int{100, 500, 1490} }

// TestTheReadmeSaysWhatIsMeasured holds the table of README.md between the two marks; -update writes it.
func TestTheReadmeSaysWhatIsMeasured(t *testing.T) {
	var b strings.Builder
	b.WriteString("| tools | definitions of all, tokens | of the five | saved | saved over a whole task (list, search, call) |\n|---|---|---|---|---|\n")
	for _, n := range inReadme() {
		f := measure(t, evalcatalog.Generate(n, seed))
		fmt.Fprintf(&b, "| %s | %s | %d | %.1f %% | %.1f %% |\n", thousands(n), thousands(f.all), f.five, 100*f.definitionsSaved(), 100*f.taskSaved())
	}
	golden.Section(t, "README.md", "tokens", b.String())
}

// thousands writes 123456 as 123,456.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func TestTokensSavedAtFiveHundredTools(t *testing.T) {
	f := measure(t, evalcatalog.Generate(500, seed))
	if s := f.definitionsSaved(); s < least {
		t.Errorf("definitions: %.2f %% fewer tokens than all loaded, at least %.0f %% are promised", 100*s, 100*least)
	}
	if s := f.taskSaved(); s < least {
		t.Errorf("a whole task: %.2f %% fewer tokens than all loaded, at least %.0f %% are promised", 100*s, 100*least)
	}
}

// BenchmarkTokens prints the tokens of generated catalogs against the five tools. Nothing in it is timed.
func BenchmarkTokens(b *testing.B) {
	for _, n := range append(inReadme(), 5000) {
		b.Run(fmt.Sprintf("%d_tools", n), func(b *testing.B) {
			f := measure(b, evalcatalog.Generate(n, seed))
			for range b.N { // the figures don't depend on N
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(f.all), "all_tokens")
			b.ReportMetric(float64(f.five), "five_tokens")
			b.ReportMetric(float64(f.search), "search_tokens")
			b.ReportMetric(100*f.definitionsSaved(), "%definitions_saved")
			b.ReportMetric(100*f.taskSaved(), "%task_saved")
		})
	}
}
