package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
)

func TestOfTwoEqualNamesTheFirstWinsAndTheOtherIsReachable(t *testing.T) {
	one, two := upstreamtest.New(t, toolOf("search", "Search one.", true)), upstreamtest.New(t, toolOf("search", "Search two.", true))
	one.Script("search", upstreamtest.Script{Result: `{"resultType":"complete","content":[{"type":"text","text":"one ran"}]}`})
	two.Script("search", upstreamtest.Script{Result: `{"resultType":"complete","content":[{"type":"text","text":"two ran"}]}`})
	m := besideGood(t, map[string]e2e.Server{"anna": {URL: one.URL()}, "bert": {URL: two.URL()}})
	m.goodWorks()
	for tool, want := range map[string]string{"search": "one ran", "bert__search": "two ran"} {
		if r := m.run(tool); r.failed || r.text != want {
			t.Errorf("%s: %.300s, want %q", tool, r.body, want)
		}
	}
	if !strings.Contains(m.Log(), "bert__search") {
		t.Error("the log does not say that a name is taken")
	}
}

func TestAServerThatIsPlainlyOurselvesIsRefused(t *testing.T) {
	program, at := programs.Build(t, e2e.Sidecar), e2e.FreeAddress(t)
	for _, path := range []string{"/mcp", "/mcp/all", "/mcp/search"} {
		config := filepath.Join(t.TempDir(), "servers.json")
		if err := os.WriteFile(config, []byte(`{"mcpServers":{"self":{"url":"http://`+at+path+`"}}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		p := e2e.Run(t, program, "serve", "--config", config, "--listen", at, "--extproc-listen", "off", "--admin-listen", e2e.FreeAddress(t))
		if err := p.Wait(); err == nil || !strings.Contains(p.Log(), "self") || !strings.Contains(p.Log(), "itself") {
			t.Errorf("%s: it ends with %v and says %s", path, err, p.Log())
		}
	}
}

// TestALoopEnds has the product among its own servers, where the configuration doesn't show it: behind another address,
// and two products that have each other. The good server is the first in each: of a name that the loop has too, the first
// one's is called, and a call that goes into the loop is refused.
func TestALoopEnds(t *testing.T) {
	program := programs.Build(t, e2e.Sidecar)
	zoo := upstreamtest.New(t, toolOf("zebra_count", "Count the zebras.", true))
	for _, path := range []string{"/mcp", "/mcp/all"} {
		first, second := e2e.FreeAddress(t), e2e.FreeAddress(t)
		u := &url.URL{Scheme: "http", Host: first}
		elsewhere := e2e.Serve(t, &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(u) }})
		for name, list := range map[string][]map[string]e2e.Server{
			"one behind another address": {{"zoo": {URL: zoo.URL()}, "zself": {URL: "http://" + string(elsewhere) + path}}},
			"two in a circle": {
				{"zoo": {URL: zoo.URL()}, "zother": {URL: "http://" + second + path}},
				{"zoo2": {URL: zoo.URL()}, "zother": {URL: "http://" + first + path}},
			},
		} {
			t.Run(name+path, func(t *testing.T) {
				m := &merged{t: t, good: zoo}
				doors := make([]*e2e.Door, len(list))
				for i, servers := range list {
					doors[i] = e2e.MergeAt(t, program, []string{first, second}[i], servers)
				}
				m.Door = doors[0]
				m.goodWorks()
				for _, d := range slices.Backward(doors) {
					d.Refresh() // what was begun at the start, when the other one was not there yet, is over
				}
				zoo.Reset()
				if status, answer := m.Refresh(); status >= http.StatusInternalServerError {
					t.Errorf("refresh: %d %s", status, answer)
				}
				if n := len(zoo.RequestsOf("tools/list")); n > 4 {
					t.Errorf("one refresh listed the good server %d times: it went round", n)
				}
				m.goodWorks()
			})
		}
	}
}

// TestAServerThatChangesAllTheTime changes a server's tools a hundred times, with a notification each: what is new is
// found soon, and the server is not listed for every change.
func TestAServerThatChangesAllTheTime(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "moody", Version: "1"}, nil)
	add := func(i int) string {
		name := fmt.Sprintf("moody_tool_%03d", i)
		server.AddTool(&mcp.Tool{Name: name, Description: "Another mood.", InputSchema: map[string]any{"type": "object"}, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name + " ran"}}}, nil
			})
		return name
	}
	add(0)
	moody := upstreamtest.New(t)
	moody.Redirect("http://" + string(e2e.Serve(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))))
	m := besideGood(t, map[string]e2e.Server{"moody": {URL: moody.URL()}})
	m.goodWorks()
	if r := m.run("moody_tool_000"); r.failed {
		t.Fatalf("before the changes: %.300s", r.body)
	}
	moody.Reset()
	tick := time.NewTicker(50 * time.Millisecond) // twelve times as fast as a hundred a minute
	defer tick.Stop()
	for i := range 100 {
		<-tick.C
		server.RemoveTools(fmt.Sprintf("moody_tool_%03d", i))
		add(i + 1)
	}
	e2e.Until(t, "the newest tool is found and the older ones are not", func() bool {
		r := m.ask(sidecar.SearchTools, object{"query": "moody_tool", "limit": 50})
		return strings.Contains(r.text, "moody_tool_100") && !strings.Contains(r.text, "moody_tool_0")
	})
	if n := len(moody.RequestsOf("tools/list")); n > 40 {
		t.Errorf("a hundred changes led to %d listings", n)
	}
	if r := m.run("moody_tool_100"); r.failed || !strings.Contains(r.text, "moody_tool_100 ran") {
		t.Errorf("the newest tool: %.300s", r.body)
	}
	m.goodWorks()
}

// workspace is a catalog in the shape of the one that the predecessors' examples are from: mail, calendar, browser.
func workspace(t *testing.T) map[string]e2e.Server {
	serve := func(tools ...string) e2e.Server { return e2e.Server{URL: upstreamtest.New(t, tools...).URL()} }
	return map[string]e2e.Server{
		"google": serve(
			toolOf("gmail-message_send", "Send an email message to one or more people.", false),
			toolOf("gmail-message_get", "Get one message with its headers and body.", true),
			toolOf("gmail-threads_list", "List threads, newest first; can filter for unread ones.", true),
			toolOf("gmail-labels_list", "List all labels of the mailbox.", true),
			toolOf("gmail-drafts_create", "Create a draft.", false),
			toolOf("calendar-event_create", "Create an event with a title, a time and guests.", false),
			toolOf("calendar-events_list", "List events between two points in time.", true),
			toolOf("drive-files_search", "Search files by name or content.", true)),
		"browser": serve(
			toolOf("browser-page_navigate", "Navigate the browser to an address.", false),
			toolOf("browser-page_screenshot", "Take a screenshot of the current page.", true),
			toolOf("browser-element_click", "Click an element of the page.", false)),
		"notes": serve(toolOf("notes-note_add", "Add a note.", false), toolOf("notes-notes_find", "Find notes by their words.", true)),
	}
}

func TestThePredecessorsExamplesHold(t *testing.T) {
	m := besideGood(t, workspace(t))
	m.goodWorks()
	hits := func(query string) []string {
		r := m.ask(sidecar.SearchTools, object{"query": query})
		var names []string
		for _, hit := range regexp.MustCompile(`(?m)^\d+\. (\S+) \|`).FindAllStringSubmatch(r.text, -1) {
			names = append(names, hit[1])
		}
		return names
	}
	for _, tt := range []struct {
		query, first string
		among        int // the first is among so many
	}{
		{"send gmail email", "gmail-message_send", 1},
		{"list gmail threads unread", "gmail-threads_list", 1},
		{"create calendar event tomorrow", "calendar-event_create", 1},
		{"navigate browser page screenshot", "browser-page_screenshot", 5},
		{"navigate browser page screenshot", "browser-page_navigate", 5},
	} {
		got := hits(tt.query)
		if !strings.Contains(strings.Join(got[:min(len(got), tt.among)], " "), tt.first) {
			t.Errorf("%q finds %q, want %s among the first %d", tt.query, got, tt.first, tt.among)
		}
	}
	if got := strings.Join(hits("mail"), " "); strings.Count(got, "gmail-") != 5 {
		t.Errorf(`"mail" finds %s, want the five gmail tools`, got)
	}
	nothing := m.ask(sidecar.SearchTools, object{"query": "xyzzy plugh qqq"})
	for _, source := range []string{"google", "browser", "notes", "zoo"} {
		if !strings.Contains(nothing.text, source) {
			t.Errorf("nothing is found, and %s is not named: %.600s", source, nothing.text)
		}
	}
	if len(hits("xyzzy plugh qqq")) != 0 {
		t.Errorf("nonsense finds %.300s", nothing.text)
	}
}

func TestTheFingerprintIsTheSameWhenNothingChanged(t *testing.T) {
	m := besideGood(t, workspace(t))
	m.goodWorks()
	fingerprint := func() string {
		status, answer := m.Refresh()
		if status != http.StatusOK {
			t.Fatalf("refresh: %d %s", status, answer)
		}
		return regexp.MustCompile(`\b\d+:[0-9a-f]{16}\b`).FindString(answer)
	}
	before := fingerprint()
	if !strings.HasPrefix(before, "14:") {
		t.Errorf("the fingerprint is %q, want that of 14 tools", before)
	}
	if again := fingerprint(); again != before {
		t.Errorf("%s after %s, and nothing changed", again, before)
	}
	m.good.SetTools(toolOf("zebra_count", "Count the zebras.", true), toolOf("zebra_feed", "Feed the zebras.", false))
	if changed := fingerprint(); !strings.HasPrefix(changed, "15:") {
		t.Errorf("with one tool more it is %q", changed)
	}
}
