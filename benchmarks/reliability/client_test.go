package reliability_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/sidecar/wire"
)

// kind is what a request asks for.
type kind string

const (
	list   kind = "tools/list"
	search kind = "search"
	first  kind = "first search of a caller"
	read   kind = "read"
	write  kind = "write"
	batch  kind = "batch"
)

func kinds() []kind { return []kind{list, search, first, read, write, batch} }

// outcome is how one request ended.
type outcome struct {
	kind   kind
	marker string
	at     time.Time
	took   time.Duration
	ok     bool
	said   string // why not
	wrong  bool   // the answer is to something else
}

// client makes requests that can be told apart. Its answers are read to the end.
type client struct {
	url    string
	caller string
	web    *http.Client
	made   *atomic.Int64
	begun  func() // called at each event of a stream that is no answer yet; may be nil
}

// within is how long an answer may take.
const within = 20 * time.Second

// newClient makes a client whose markers nobody else has.
func newClient(url, caller string) *client {
	return &client{url: url, caller: caller + "-" + rand.Text()[:8], made: &atomic.Int64{}, web: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}}
}

// do makes one request.
func (c *client) do(ctx context.Context, k kind) outcome {
	return c.slow(ctx, k, 0)
}

// slow makes one request, of which a call takes the time given; the server says at once that it has begun.
func (c *client) slow(ctx context.Context, k kind, work time.Duration) outcome {
	n := c.made.Add(1)
	o := outcome{kind: k, marker: fmt.Sprintf("%s/%d", c.caller, n), at: time.Now()}
	caller := c.caller
	if k == first {
		caller = o.marker
	}
	item := func(tool, marker string) map[string]any {
		return map[string]any{"name": tool, "arguments": map[string]any{"marker": marker, "milliseconds": work.Milliseconds()}}
	}
	method, params, want := "tools/call", map[string]any(nil), "done "+o.marker
	switch k {
	case list:
		method, params, want = "tools/list", map[string]any{}, `"call_write_tool"`
	case search, first:
		params, want = map[string]any{"name": "search_tools", "arguments": map[string]any{"query": readTool}}, readTool
	case read:
		params = map[string]any{"name": "call_read_tool", "arguments": item(readTool, o.marker)}
	case write:
		params = map[string]any{"name": "call_write_tool", "arguments": item(writeTool, o.marker)}
	case batch:
		calls := []any{item(readTool, o.marker), item(readTool, o.marker+"b")}
		params = map[string]any{"name": "call_read_tools", "arguments": map[string]any{"calls": calls}}
	}
	c.ask(ctx, &o, caller, method, params, want)
	o.took = time.Since(o.at)
	return o
}

// ask sends the request and judges its answer.
func (c *client) ask(ctx context.Context, o *outcome, caller, method string, params map[string]any, want string) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": o.marker, "method": method, "params": params})
	if err != nil {
		o.said = err.Error()
		return
	}
	message, err := c.post(ctx, caller, body)
	if err != nil {
		o.said = err.Error()
		return
	}
	var m struct {
		ID     any
		Error  *struct{ Message string }
		Result struct{ IsError bool }
	}
	if err := json.Unmarshal(message, &m); err != nil {
		o.said = fmt.Sprintf("no message: %.200q", message)
		return
	}
	switch {
	case m.ID != nil && m.ID != o.marker:
		o.wrong, o.said = true, fmt.Sprintf("the answer is for %v", m.ID)
	case m.Error != nil:
		o.said = m.Error.Message
	case m.Result.IsError, method == "tools/call" && strings.Contains(string(message), ": error"):
		o.said = string(message)
	case !strings.Contains(string(message), want):
		o.wrong, o.said = true, fmt.Sprintf("%.300q does not hold %q", message, want)
	default:
		o.ok = true
	}
}

func (c *client) post(ctx context.Context, caller string, body []byte) ([]byte, error) {
	body, h, err := cases.Dress(body, wire.Modern, "")
	if err != nil {
		return nil, err
	}
	if c.begun != nil { // events come only to who asks for them
		body = bytes.Replace(body, []byte(`"_meta":{`), []byte(`"_meta":{"progressToken":"begun",`), 1)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = h
	r.Header.Set("Authorization", "Bearer "+caller)
	resp, err := c.web.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); mediaType != "text/event-stream" {
		return io.ReadAll(resp.Body)
	}
	events := wire.NewEventReader(resp.Body, 1<<20)
	for {
		ev, err := events.Next()
		if err != nil {
			return nil, fmt.Errorf("the stream broke off: %w", err)
		}
		if a, err := wire.ScanAnswer(ev.Data); err == nil && a.Method == "" && a.ID != nil {
			return ev.Data, nil
		}
		if c.begun != nil {
			c.begun()
		}
	}
}

// load lets n clients work until ctx ends, and returns all outcomes. Requests that have begun are finished.
func load(ctx, whole context.Context, url string, n int, pause time.Duration) []outcome {
	var mu sync.Mutex
	var all []outcome
	var working sync.WaitGroup
	for i := range n {
		c := newClient(url, fmt.Sprintf("load%d", i))
		working.Go(func() {
			defer c.web.CloseIdleConnections()
			tick := time.NewTicker(pause)
			defer tick.Stop()
			for turn := i; ; turn++ {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				mix := kinds()
				o := c.do(whole, mix[turn%len(mix)])
				mu.Lock()
				all = append(all, o)
				mu.Unlock()
			}
		})
	}
	working.Wait()
	return all
}
