package demoserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/internal/evalcatalog"
)

// Options say what a server serves. The zero value is the demo: the 500 tools of
// the evaluation catalog, stateless, both eras, no token needed.
type Options struct {
	// Tools replaces the evaluation catalog when not nil.
	Tools []evalcatalog.Tool
	// Fixtures adds the tools of FixtureNames: progress, elicitation, sampling,
	// multi round trip, images, big integers and others that tests need.
	Fixtures bool
	// Stateful serves the legacy era with sessions. The default serves the
	// modern era and the legacy one without sessions.
	Stateful bool
	// JSONResponse answers with application/json instead of an event stream.
	// Progress is then lost: the SDK drops it.
	JSONResponse bool
	// PageSize is the number of tools in a page; 0 means 1,000.
	PageSize int
	// ListTTL is the ttlMs of lists, in the modern era. 0 means not said.
	ListTTL time.Duration
	// ProtocolErrors answers arguments that don't fit with the JSON-RPC error
	// -32602 instead of a result with isError.
	ProtocolErrors bool
	// Tokens are the bearer tokens let in. Empty: no token is asked for.
	Tokens []string
	// ResourceMetadataURL goes into the challenge of a 401, when not empty.
	ResourceMetadataURL string
	// Visible decides whether the caller with this bearer token ("" when it
	// sent none) may see and call a tool. Nil: all tools.
	Visible func(token, tool string) bool
	// Instructions are the server's own; empty means a short default.
	Instructions string
	// Name is the server's name in serverInfo; empty means "demo-tools".
	Name string
}

// demo is one running server: its tools and what their calls made.
type demo struct {
	options Options
	mcp     *mcp.Server
	records *records
}

// New makes the handler of one MCP endpoint. It serves every path it is mounted
// at. The error says which tool is malformed.
func New(o Options) (http.Handler, error) {
	if o.Tools == nil {
		tools, err := evalcatalog.Tools()
		if err != nil {
			return nil, err
		}
		o.Tools = tools
	}
	d := &demo{options: o, records: newRecords()}
	d.mcp = mcp.NewServer(&mcp.Implementation{Name: or(o.Name, "demo-tools"), Version: "1.0.0"}, &mcp.ServerOptions{
		Instructions:       or(o.Instructions, "Made-up tools of a made-up company. Nothing here reaches the outside world."),
		PageSize:           o.PageSize,
		CompletionHandler:  complete,
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = int(o.ListTTL.Milliseconds()), "private"
		},
	})
	for _, tool := range o.Tools {
		if err := d.add(tool); err != nil {
			return nil, err
		}
	}
	if o.Fixtures {
		d.addFixtures()
	}
	d.addPrompts()
	d.addResources()
	d.mcp.AddReceivingMiddleware(d.hide)
	return d.handler(), nil
}

func (d *demo) handler() http.Handler {
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return d.mcp }, &mcp.StreamableHTTPOptions{
		Stateless:                    !d.options.Stateful,
		JSONResponse:                 d.options.JSONResponse,
		PropagateRequestCancellation: true,
		// The proxy in front keeps the host that its client asked for.
		DisableLocalhostProtection: true,
	})
	return d.requireToken(h)
}

// add serves one tool of the catalog. The SDK panics on a schema it can't take;
// here that is an error, since the schema is data.
func (d *demo) add(tool evalcatalog.Tool) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tool %s can't be served: %v", tool.Name, p)
		}
	}()
	listed := &mcp.Tool{Name: tool.Name, Description: tool.Description, InputSchema: tool.InputSchema}
	if len(tool.Annotations) > 0 {
		listed.Annotations = &mcp.ToolAnnotations{}
		if err := json.Unmarshal(tool.Annotations, listed.Annotations); err != nil {
			return fmt.Errorf("tool %s has malformed annotations: %w", tool.Name, err)
		}
	}
	check := newCheck(tool.InputSchema)
	does := actionOf(tool)
	d.mcp.AddTool(listed, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		arguments, fault := check.read(req.Params.Arguments)
		if fault != "" {
			return d.refuse(fault)
		}
		return d.answer(does, arguments), nil
	})
	return nil
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
