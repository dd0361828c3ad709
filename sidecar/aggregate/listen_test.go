package aggregate_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/internal/featureserver"
	"mcp-toolsearch/sidecar/servers"
)

// stream reads the data lines of an event stream into a channel.
func stream(t *testing.T, req *http.Request) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(req.Context())
	resp, err := http.DefaultClient.Do(req.WithContext(ctx))
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	lines := make(chan string, 100)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(lines)
		scanner := bufio.NewScanner(resp.Body)
		for scanner.Scan() {
			if line := scanner.Text(); line != "" && !strings.HasPrefix(line, ":") {
				select {
				case lines <- line:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		resp.Body.Close()
		<-ended
	})
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the stream: %d", resp.StatusCode)
	}
	return lines
}

// within waits for a line that has all the words.
func within(t *testing.T, lines <-chan string, words ...string) string {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				t.Fatalf("the stream ended without %q", words)
			}
			has := true
			for _, word := range words {
				has = has && strings.Contains(line, word)
			}
			if has {
				return line
			}
		case <-deadline:
			t.Fatalf("no line with %q within ten seconds", words)
		}
	}
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func modernRequest(t *testing.T, url, method, name, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	req.Header.Set("Mcp-Method", method)
	if name != "" {
		req.Header.Set("Mcp-Name", name)
	}
	return req
}

func TestSubscriptionsOfAllServersAreOne(t *testing.T) {
	var changing []*mcp.Server
	remember := func(s *mcp.Server) {
		changing = append(changing, s)
		echo(s, fmt.Sprintf("tool_%d", len(changing)), "x")
	}
	modern, legacy := sdk(t, false, remember), sdk(t, true, remember)
	_, notes := features(t, false)
	r := start(t, []servers.Server{at("modern", modern.URL), at("legacy", legacy.URL), at("notes", notes)})
	body := `{"jsonrpc":"2.0","id":"sub-1","method":"subscriptions/listen","params":{` + modernMeta +
		`,"notifications":{"toolsListChanged":true,"resourceSubscriptions":["` + featureserver.Resource + `","nobody://x"]}}}`
	lines := stream(t, modernRequest(t, r.url, "subscriptions/listen", "", body))
	first := within(t, lines, "data:")
	for _, want := range []string{"notifications/subscriptions/acknowledged", `"toolsListChanged":true`, featureserver.Resource, `"io.modelcontextprotocol/subscriptionId":"sub-1"`} {
		if !strings.Contains(first, want) {
			t.Errorf("the acknowledgement lacks %s: %s", want, first)
		}
	}
	for i, s := range changing {
		echo(s, fmt.Sprintf("new_%d", i), "x")
		if line := within(t, lines, "notifications/tools/list_changed"); !strings.Contains(line, `"io.modelcontextprotocol/subscriptionId":"sub-1"`) {
			t.Errorf("a change without the subscription's id: %s", line)
		}
	}
	c := connect(t, r.url, nil, "2026-07-28")
	call(t, c, "touch_note")
	line := within(t, lines, "notifications/resources/updated")
	if !strings.Contains(line, featureserver.Resource) || !strings.Contains(line, "sub-1") {
		t.Errorf("the update: %s", line)
	}
	r.Close()
	within(t, lines, `"id":"sub-1"`, `"resultType":"complete"`)
}

func getStream(t *testing.T, url, session, last string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	req.Header.Set("Mcp-Session-Id", session)
	if last != "" {
		req.Header.Set("Last-Event-Id", last)
	}
	return req
}

// storing is a stateful server that keeps its events.
func storing(t *testing.T, build func(*mcp.Server)) string {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "storing", Version: "1"}, nil)
	build(s)
	place := &switchable{}
	place.set(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
		&mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)}))
	t.Cleanup(func() { endSessions(s) })
	return place.start(t)
}

func TestAStreamIsResumedAtTheRightServer(t *testing.T) {
	var changing []*mcp.Server
	remember := func(s *mcp.Server) {
		changing = append(changing, s)
		echo(s, fmt.Sprintf("tool_%d", len(changing)), "x")
	}
	a, b := storing(t, remember), storing(t, remember)
	r := start(t, []servers.Server{at("a", a), at("b", b)})
	resp, _ := post(t, r.url, "", hello)
	id := resp.Header.Get("Mcp-Session-Id")
	ctx, cancel := context.WithCancel(t.Context())
	lines := stream(t, getStream(t, r.url, id, "").WithContext(ctx))
	var last string
	eventually(t, "an event of b with an id", func() bool {
		echo(changing[1], fmt.Sprint("new", time.Now().UnixNano()), "x")
		select {
		case line := <-lines:
			if strings.HasPrefix(line, "id: b:") {
				last = strings.TrimPrefix(line, "id: ")
			}
		case <-time.After(100 * time.Millisecond):
		}
		return last != ""
	})
	cancel()
	echo(changing[1], "missed", "x")
	again := stream(t, getStream(t, r.url, id, last))
	within(t, again, "id: b:")
}

func TestServersWithoutAStreamGiveTheClientNone(t *testing.T) {
	a, b := sdk(t, false, echoes("a=a")), sdk(t, false, echoes("b=b"))
	r := start(t, []servers.Server{at("a", a.URL), at("b", b.URL)})
	resp, _ := post(t, r.url, "", hello)
	if resp, _ := do(t, getStream(t, r.url, resp.Header.Get("Mcp-Session-Id"), "")); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d, want 405", resp.StatusCode)
	}
	if resp, _ := do(t, getStream(t, r.url, "", "")); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET without a session: %d, want 405", resp.StatusCode)
	}
}
