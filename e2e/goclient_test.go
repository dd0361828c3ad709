package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/sidecar"
)

type object = map[string]any

// goClient plays the conversation with the go-sdk; h2 speaks HTTP/2 without TLS to Envoy when there is one.
func goClient(version string, h2 bool) func(*testing.T, string, e2e.Plan) []step {
	return func(t *testing.T, url string, plan e2e.Plan) []step {
		transport := &http.Transport{Protocols: new(http.Protocols)}
		transport.Protocols.SetHTTP1(!h2 || plan.Bare)
		transport.Protocols.SetUnencryptedHTTP2(h2 && !plan.Bare)
		t.Cleanup(transport.CloseIdleConnections)
		p := &player{ctx: t.Context(), version: version, plan: plan, wire: &cancelWatch{next: taints.Transport(transport)}}
		p.run(&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: p.wire}})
		return p.steps
	}
}

// cancelWatch notes when a notifications/cancelled has been taken by the other side: the SDK sends it in the background,
// and a session that is closed before leaves its call running.
type cancelWatch struct {
	next  http.RoundTripper
	taken atomic.Bool
}

func (w *cancelWatch) RoundTrip(r *http.Request) (*http.Response, error) {
	cancelled := false
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(body)
		if err != nil {
			return nil, err
		}
		cancelled = bytes.Contains(content, []byte("notifications/cancelled"))
	}
	resp, err := w.next.RoundTrip(r)
	if cancelled && err == nil {
		w.taken.Store(true)
	}
	return resp, err
}

// player plays the conversation of clients/node/conversation.mjs in Go.
type player struct {
	ctx     context.Context
	version string
	plan    e2e.Plan
	session *mcp.ClientSession
	steps   []step
	wire    *cancelWatch

	mu       sync.Mutex
	logs     []any
	progress []float64
	updated  chan string
	waiting  context.CancelFunc // called at a progress notification while it is set
}

func (p *player) step(name string, run func() error) {
	s := step{Step: name, OK: true}
	if err := run(); err != nil {
		s.OK, s.Detail = false, err.Error()
	}
	p.steps = append(p.steps, s)
}

func (p *player) run(transport mcp.Transport) {
	p.updated = make(chan string, 10)
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e-go", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler:          elicited,
		CreateMessageHandler:        sampled,
		LoggingMessageHandler:       func(_ context.Context, r *mcp.LoggingMessageRequest) { p.onLog(r.Params.Data) },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { p.onProgress(r.Params.Progress) },
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			select {
			case p.updated <- r.Params.URI:
			default: // nobody waits any more
			}
		},
	})
	p.step("connect", func() (err error) {
		p.session, err = client.Connect(p.ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: p.version})
		if err != nil {
			return err
		}
		if got := p.session.InitializeResult().ProtocolVersion; got != p.version {
			return fmt.Errorf("protocol version %s, want %s", got, p.version)
		}
		return nil
	})
	if p.session == nil {
		return
	}
	if p.plan.Tools != nil {
		p.playTools(p.plan.Tools)
	}
	if p.plan.Features {
		p.playFeatures()
	}
	p.step("close", p.session.Close)
}

func elicited(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return &mcp.ElicitResult{Action: "accept", Content: object{"name": "Ada"}}, nil
}

func sampled(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	return &mcp.CreateMessageResult{Role: "assistant", Model: "none", Content: &mcp.TextContent{Text: "Paris"}}, nil
}

func (p *player) onLog(data any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logs = append(p.logs, data)
}

func (p *player) onProgress(progress float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.progress = append(p.progress, progress)
	if p.waiting != nil {
		p.waiting()
	}
}

// call runs a tool through a door, or by its own name when there is no tool search in front.
func (p *player) call(ctx context.Context, door string, item e2e.Item, meta mcp.Meta) (*mcp.CallToolResult, error) {
	params := &mcp.CallToolParams{Name: item.Name, Arguments: item.Arguments, Meta: meta}
	if params.Arguments == nil {
		params.Arguments = object{}
	}
	if !p.plan.Bare {
		params.Name, params.Arguments = door, object{"name": item.Name, "arguments": params.Arguments}
	}
	return p.session.CallTool(ctx, params)
}

// wants is what an answer must be.
type wants struct {
	isError bool
	has     []string
}

func (w wants) check(result *mcp.CallToolResult, err error) error {
	if err != nil {
		return err
	}
	text := textOf(result)
	if result.IsError != w.isError {
		return fmt.Errorf("isError is %t: %s", result.IsError, text)
	}
	for _, part := range w.has {
		if !strings.Contains(text, part) {
			return fmt.Errorf("%q is not in %q", part, text)
		}
	}
	return nil
}

func textOf(result *mcp.CallToolResult) string {
	var all []string
	for _, c := range result.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			all = append(all, text.Text)
		}
	}
	return strings.Join(all, "\n")
}

// meta calls a meta-tool, or anything else, by its name.
func (p *player) meta(tool string, arguments any, w wants) error {
	return w.check(p.session.CallTool(p.ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments}))
}

func (p *player) playTools(plan *e2e.ToolsPlan) {
	p.step("instructions", func() error {
		if got := p.session.InitializeResult().Instructions; !strings.Contains(got, sidecar.SearchTools) {
			return fmt.Errorf("instructions %q", got)
		}
		return nil
	})
	p.step("tools/list", func() error {
		listed, err := p.session.ListTools(p.ctx, nil)
		if err != nil {
			return err
		}
		var names []string
		for _, tool := range listed.Tools {
			names = append(names, tool.Name)
		}
		if !slices.Equal(names, sidecar.MetaToolNames()) {
			return fmt.Errorf("listed %q", names)
		}
		return nil
	})
	p.step("search", func() error {
		return p.meta(sidecar.SearchTools, object{"query": plan.Query}, wants{has: []string{plan.Finds}})
	})
	p.step("describe", func() error {
		return p.meta(sidecar.DescribeTools, object{"names": []string{plan.Finds}}, wants{has: []string{plan.Finds, "inputSchema"}})
	})
	p.step("read", func() error {
		return wants{has: []string{plan.Read.Has}}.check(p.call(p.ctx, sidecar.CallReadTool, plan.Read, nil))
	})
	p.step("batch", func() error {
		var w wants
		var calls []object
		for _, item := range plan.Batch {
			w.has = append(w.has, item.Has)
			calls = append(calls, object{"name": item.Name, "arguments": item.Arguments})
		}
		return p.meta(sidecar.CallReadTools, object{"calls": calls}, w)
	})
	if plan.Write != nil {
		p.step("write", func() error {
			return wants{has: []string{plan.Write.Has}}.check(p.call(p.ctx, sidecar.CallWriteTool, *plan.Write, nil))
		})
	}
	p.playRefusals(plan)
}

func (p *player) playRefusals(plan *e2e.ToolsPlan) {
	nothing := plan.Absent
	refused := func(part string) wants { return wants{isError: true, has: []string{part}} }
	p.step("a write through the read door is refused", func() error {
		return p.meta(sidecar.CallReadTool, object{"name": plan.WriteTool, "arguments": object{}}, refused(sidecar.CallWriteTool))
	})
	p.step("an unknown tool is refused", func() error {
		return p.meta(sidecar.CallReadTool, object{"name": nothing, "arguments": object{}}, refused(sidecar.SearchTools))
	})
	if plan.Bad != nil {
		p.step("bad arguments are refused with their faults", func() error {
			return p.meta(sidecar.CallWriteTool, object{"name": plan.Bad.Name, "arguments": plan.Bad.Arguments}, refused(plan.Bad.Has))
		})
	}
	p.step("a direct call is refused with the tool to use", func() error {
		return p.meta(plan.Read.Name, object{}, refused(sidecar.CallReadTool))
	})
	p.step("a direct call of nothing is a protocol error", func() error {
		_, err := p.session.CallTool(p.ctx, &mcp.CallToolParams{Name: nothing, Arguments: object{}})
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
			return fmt.Errorf("answered with %v", err)
		}
		return nil
	})
}

// eventually polls a condition for ten seconds.
func eventually(what string, ok func() bool) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			return fmt.Errorf("not within 10 s: %s", what)
		}
	}
	return nil
}
