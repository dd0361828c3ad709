package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// demoTalk is the demo's client: it speaks MCP 2026-07-28, which needs no session.
type demoTalk struct {
	out  io.Writer
	url  string
	http http.Client
}

// demoAnswer is what the client reads of an answer.
type demoAnswer struct {
	Result *struct {
		Tools   []struct{ Name string }
		Content []struct{ Text string }
		IsError bool
	}
	Error *struct{ Message string }
}

// list names the tools that the client sees.
func (d *demoTalk) list(ctx context.Context) ([]string, error) {
	answer, err := d.ask(ctx, "tools/list", "", `{}`)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(answer.Result.Tools))
	for i, tool := range answer.Result.Tools {
		names[i] = tool.Name
	}
	return names, nil
}

// call calls one of the listed tools.
func (d *demoTalk) call(ctx context.Context, tool, arguments string) (text string, refused bool, err error) {
	answer, err := d.ask(ctx, "tools/call", tool, fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
	if err != nil {
		return "", false, err
	}
	var texts []string
	for _, block := range answer.Result.Content {
		texts = append(texts, block.Text)
	}
	return strings.Join(texts, "\n"), answer.Result.IsError, nil
}

// ask sends one request. params is an object without _meta.
func (d *demoTalk) ask(ctx context.Context, method, tool, params string) (*demoAnswer, error) {
	const version = "2026-07-28"
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + version + `","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"demo","version":"1"}}`
	if params != "{}" {
		meta += ","
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}`, method, meta, params[1:])
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", version)
	req.Header.Set("Mcp-Method", method)
	if tool != "" {
		req.Header.Set("Mcp-Name", tool)
	}
	resp, err := d.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var answer demoAnswer
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("HTTP %d is no JSON: %w", resp.StatusCode, err)
	}
	if answer.Error != nil {
		return nil, errors.New(answer.Error.Message)
	}
	if answer.Result == nil {
		return nil, fmt.Errorf("HTTP %d has no result", resp.StatusCode)
	}
	return &answer, nil
}
