//lint:file-ignore SA1019 clients still use what the protocol deprecates: sampling, logging

package demoserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// FixtureNames are the tools that Options.Fixtures adds, in order.
func FixtureNames() []string {
	var names []string
	for _, f := range fixtures() {
		names = append(names, f.name)
	}
	return names
}

// fixture is a tool that does one thing a proxy can break.
type fixture struct {
	name, description, properties string
	reads                         bool
	run                           func(context.Context, *mcp.CallToolRequest, json.RawMessage) (*mcp.CallToolResult, error)
}

func fixtures() []fixture {
	return []fixture{
		{"fixture_slow_report", "Work on a report for a while and tell how far it has come.",
			`{"steps":{"type":"integer","minimum":1,"maximum":1000},"interval_ms":{"type":"integer","minimum":0,"maximum":60000}}`, true, slowReport},
		{"fixture_ask_person", "Ask the person at the client for a name (elicitation).", `{}`, false, askPerson},
		{"fixture_ask_model", "Ask the client's model (sampling).", `{"question":{"type":"string"}}`, false, askModel},
		{"fixture_wizard", "Ask two things, one after the other, with requestState in between. Modern era only.", `{}`, false, wizard},
		{"fixture_picture", "Answer with text, a picture, sound and a link to a resource.", `{}`, true, showPicture},
		{"fixture_big_numbers", "Answer with integers above 2^53 and with 1.0.", `{}`, true, bigNumbers},
		{"fixture_echo", "Answer with the arguments as they came, byte for byte.", `{"anything":{}}`, true, echo},
		{"fixture_headers", "Answer with the MCP headers of the request.",
			`{"region":{"type":"string","x-mcp-header":"Region"},"count":{"type":"integer","x-mcp-header":"Count"}}`, true, headers},
		{"fixture_big_result", "Answer with that many bytes of text.", `{"bytes":{"type":"integer","minimum":0,"maximum":33554432}}`, true, bigResult},
		{"fixture_fails", "Fail in the way asked for.", `{"how":{"type":"string","enum":["result","invalid_params","internal"]}}`, true, fails},
		{"fixture_log", "Write three log messages.", `{}`, true, writeLog},
		{"fixture_sleep", "Wait until the time is over or the call is cancelled.", `{"ms":{"type":"integer","minimum":0,"maximum":600000}}`, true, sleep},
	}
}

func (d *demo) addFixtures() {
	for _, f := range fixtures() {
		schema := json.RawMessage(`{"type":"object","properties":` + f.properties + `}`)
		tool := &mcp.Tool{Name: f.name, Description: f.description, InputSchema: schema, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: f.reads}}
		check := newCheck(schema)
		d.mcp.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if _, fault := check.read(req.Params.Arguments); fault != "" {
				return d.refuse(fault)
			}
			arguments := req.Params.Arguments
			if len(arguments) == 0 {
				arguments = json.RawMessage("{}")
			}
			return f.run(ctx, req, arguments)
		})
	}
}

func said(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

// slowReport sends one progress notification a step, when the caller gave a
// token. Its message is the time of sending, for whoever measures delays.
func slowReport(ctx context.Context, req *mcp.CallToolRequest, arguments json.RawMessage) (*mcp.CallToolResult, error) {
	in := struct {
		Steps      int `json:"steps"`
		IntervalMS int `json:"interval_ms"`
	}{Steps: 3}
	if err := json.Unmarshal(arguments, &in); err != nil {
		return nil, err
	}
	token := req.Params.GetProgressToken()
	for step := 1; step <= in.Steps; step++ {
		if err := pause(ctx, time.Duration(in.IntervalMS)*time.Millisecond); err != nil {
			return nil, err
		}
		if token == nil {
			continue
		}
		err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: float64(step), Total: float64(in.Steps), Message: time.Now().Format(time.RFC3339Nano),
		})
		if err != nil {
			return nil, err
		}
	}
	return said("report of %d steps", in.Steps), nil
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func showPicture(context.Context, *mcp.CallToolRequest, json.RawMessage) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{
		Meta: mcp.Meta{"example.demo/shade": "blue"},
		Content: []mcp.Content{
			&mcp.TextContent{Text: "a picture", Annotations: &mcp.Annotations{Audience: []mcp.Role{"user"}, Priority: 0.5}},
			&mcp.ImageContent{Data: picture(0xC08040), MIMEType: "image/png"},
			&mcp.AudioContent{Data: []byte("RIFF\x00\x00\x00\x00WAVE"), MIMEType: "audio/wav"},
			&mcp.ResourceLink{URI: ServersURI, Name: "servers"},
		},
	}, nil
}

// bigNumbers answers with numbers that a reader with 64-bit floats changes.
func bigNumbers(context.Context, *mcp.CallToolRequest, json.RawMessage) (*mcp.CallToolResult, error) {
	raw := json.RawMessage(`{"above":9007199254740993,"most":18446744073709551615,"one":1.0,"small":1e-7}`)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(raw)}}, StructuredContent: raw}, nil
}

func echo(_ context.Context, _ *mcp.CallToolRequest, arguments json.RawMessage) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(arguments)}}, StructuredContent: arguments}, nil
}

// headers tells the request's MCP headers, and of the others only which there
// are: a token must not get into an answer.
func headers(_ context.Context, req *mcp.CallToolRequest, _ json.RawMessage) (*mcp.CallToolResult, error) {
	seen := map[string][]string{}
	if extra := req.GetExtra(); extra != nil {
		for name, values := range extra.Header {
			if !strings.HasPrefix(strings.ToLower(name), "mcp-") {
				values = nil
			}
			seen[name] = values
		}
	}
	text, err := json.Marshal(seen)
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: seen}, nil
}

func bigResult(_ context.Context, _ *mcp.CallToolRequest, arguments json.RawMessage) (*mcp.CallToolResult, error) {
	var in struct{ Bytes int }
	if err := json.Unmarshal(arguments, &in); err != nil {
		return nil, err
	}
	return said("%s", strings.Repeat("a", in.Bytes)), nil
}

func fails(_ context.Context, _ *mcp.CallToolRequest, arguments json.RawMessage) (*mcp.CallToolResult, error) {
	var in struct{ How string }
	if err := json.Unmarshal(arguments, &in); err != nil {
		return nil, err
	}
	switch in.How {
	case "invalid_params":
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the server wants these arguments to be otherwise"}
	case "internal":
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server broke"}
	}
	return failed("it failed, as asked for"), nil
}

func writeLog(ctx context.Context, req *mcp.CallToolRequest, _ json.RawMessage) (*mcp.CallToolResult, error) {
	for i, level := range []mcp.LoggingLevel{"debug", "info", "warning"} {
		if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: level, Logger: "fixtures", Data: fmt.Sprintf("line %d", i+1)}); err != nil {
			return nil, err
		}
	}
	return said("logged"), nil
}

func sleep(ctx context.Context, _ *mcp.CallToolRequest, arguments json.RawMessage) (*mcp.CallToolResult, error) {
	var in struct{ MS int }
	if err := json.Unmarshal(arguments, &in); err != nil {
		return nil, err
	}
	if err := pause(ctx, time.Duration(in.MS)*time.Millisecond); err != nil {
		return nil, err
	}
	return said("slept"), nil
}
