package soak_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"strings"
	"time"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/sidecar/wire"
)

// client is one of the 64.
type client struct {
	name    string
	url     string
	era     wire.Era
	web     *http.Client
	random  *rand.Rand
	session string
	calls   int
	from    int // the first server that it uses
}

// outcome is how one request ended.
type outcome struct {
	server int
	at     time.Time
	took   time.Duration
	failed string // how the product said that it failed; "" when it succeeded
	broken error  // no answer, or not the answer to this request: never allowed
}

// limit is how long an answer may take, kills and restarts included.
const limit = 60 * time.Second

// one makes one request of a random kind to a random server.
func (c *client) one(ctx context.Context) outcome {
	c.calls++
	o := outcome{server: c.from + c.random.IntN(servers-c.from), at: time.Now()}
	marker := fmt.Sprintf("%s/%d", c.name, c.calls)
	item := func(door string) map[string]any {
		return map[string]any{"name": nameOf(o.server) + door, "arguments": map[string]any{"caller": c.name, "marker": marker}}
	}
	want := nameOf(o.server) + " answers " + marker
	var text string
	switch c.random.IntN(10) {
	case 0:
		want = nameOf(o.server)
		text, o.failed, o.broken = c.call(ctx, "search_tools", map[string]any{"query": nameOf(o.server) + "_read"})
	case 1, 2:
		text, o.failed, o.broken = c.call(ctx, "call_write_tool", item("_write"))
	case 3:
		text, o.failed, o.broken = c.call(ctx, "call_read_tools", map[string]any{"calls": []any{item("_read"), item("_read")}})
	default:
		text, o.failed, o.broken = c.call(ctx, "call_read_tool", item("_read"))
	}
	o.took = time.Since(o.at)
	switch {
	case o.broken != nil:
	case strings.Contains(text, "CROSSED"):
		o.broken = errors.New(text)
	case o.failed == "" && !strings.Contains(text, want):
		o.broken = fmt.Errorf("the answer to %s is %.200q", marker, text)
	}
	return o
}

// call calls a meta-tool. failed is what the product said when the call did not succeed.
func (c *client) call(ctx context.Context, tool string, arguments any) (text, failed string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if c.era == wire.Legacy && c.session == "" {
		if err := c.open(ctx); err != nil {
			return "", "", err
		}
	}
	id := fmt.Sprintf("%s-%d", c.name, c.calls)
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments}})
	if err != nil {
		return "", "", err
	}
	status, message, _, err := c.post(ctx, body)
	if err != nil {
		return "", "", err
	}
	if status == http.StatusNotFound && c.era == wire.Legacy { // the session is over: a client opens another
		c.session = ""
		return "", "404", nil
	}
	var m struct {
		ID     string
		Result *struct {
			Content []struct{ Text string }
			IsError bool
		}
		Error *struct{ Message string }
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return "", "", fmt.Errorf("HTTP %d: the answer is no message: %.200q", status, message)
	}
	switch {
	case m.Error != nil && (m.ID == id || m.ID == ""):
		return "", m.Error.Message, nil
	case m.Result == nil || m.ID != id:
		return "", "", fmt.Errorf("the answer to %s is %.200q", id, message)
	}
	for _, block := range m.Result.Content {
		text += block.Text + "\n"
	}
	if m.Result.IsError || strings.Contains(text, ": error") {
		return text, text, nil
	}
	return text, "", nil
}

// open opens a session.
func (c *client) open(ctx context.Context) error {
	status, message, h, err := c.post(ctx, []byte(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"`+cases.LegacyVersion+
		`","capabilities":{},"clientInfo":{"name":"soak","version":"1"}}}`))
	if err != nil || status != http.StatusOK {
		return errors.Join(err, fmt.Errorf("initialize: HTTP %d %.200q", status, message))
	}
	if c.session = h.Get("Mcp-Session-Id"); c.session == "" {
		return errors.New("initialize gave no session")
	}
	_, _, _, err = c.post(ctx, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	return err
}

// end ends the session.
func (c *client) end(ctx context.Context) error {
	if c.session == "" {
		return nil
	}
	hr, err := http.NewRequestWithContext(ctx, http.MethodDelete, c.url, nil)
	if err != nil {
		return err
	}
	hr.Header.Set("Mcp-Session-Id", c.session)
	hr.Header.Set("Authorization", "Bearer "+c.name)
	resp, err := c.web.Do(hr)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// post sends a message and reads the message that answers it.
func (c *client) post(ctx context.Context, body []byte) (int, []byte, http.Header, error) {
	body, h, err := cases.Dress(body, c.era, c.session)
	if err != nil {
		return 0, nil, nil, err
	}
	hr, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, err
	}
	hr.Header = h
	hr.Header.Set("Authorization", "Bearer "+c.name)
	resp, err := c.web.Do(hr)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	message, err := answerOf(resp)
	return resp.StatusCode, message, resp.Header, err
}

// answerOf reads a JSON answer, or a stream up to its answer.
func answerOf(resp *http.Response) ([]byte, error) {
	if mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); mediaType != "text/event-stream" {
		return io.ReadAll(resp.Body)
	}
	events := wire.NewEventReader(resp.Body, 1<<20)
	for {
		ev, err := events.Next()
		if err != nil { // a server that dies breaks its stream off: the client must be told, not left
			return []byte(`{"error":{"message":"the stream broke off"}}`), nil
		}
		if a, err := wire.ScanAnswer(ev.Data); err == nil && a.Method == "" && a.ID != nil {
			return ev.Data, nil
		}
	}
}
