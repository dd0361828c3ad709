package demoserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/internal/evalcatalog"
)

// demo is one running server: its tools and what their calls made.
type demo struct {
	mcp     *mcp.Server
	records *records
}

// New makes the handler of one MCP endpoint with these tools, without sessions, for clients of both eras. It serves every
// path it is mounted at. The error says which tool is malformed.
func New(tools []evalcatalog.Tool) (http.Handler, error) {
	d := &demo{records: newRecords()}
	d.mcp = mcp.NewServer(&mcp.Implementation{Name: "demo-tools", Version: "1.0.0"}, &mcp.ServerOptions{
		Instructions: "Made-up tools of a made-up company. Nothing here reaches the outside world.",
	})
	for _, tool := range tools {
		if err := d.add(tool); err != nil {
			return nil, err
		}
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return d.mcp }, &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		PropagateRequestCancellation: true,
		// The proxy in front keeps the host that its client asked for.
		DisableLocalhostProtection: true,
	}), nil
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
			return failed("invalid arguments: " + fault), nil
		}
		return d.answer(does, arguments), nil
	})
	return nil
}
