package demoserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServersURI is the resource that lists the made-up servers.
const ServersURI = "demo://servers"

// addPrompts adds two prompts, one of them with an argument that completion
// knows values of.
func (d *demo) addPrompts() {
	d.mcp.AddPrompt(&mcp.Prompt{
		Name: "weekly_report", Title: "Weekly report", Description: "Sum up a team's week from issues, builds and incidents.",
		Arguments: []*mcp.PromptArgument{{Name: "team", Description: "Which team.", Required: true}},
	}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return prompt("Sum up last week of the team " + req.Params.Arguments["team"] + ": finished issues, failed builds, incidents."), nil
	})
	d.mcp.AddPrompt(&mcp.Prompt{Name: "incident_review", Description: "Prepare the review of the last incident."},
		func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return prompt("Read the timeline of the last incident and list what to change."), nil
		})
}

func prompt(text string) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}
}

// addResources adds the list of servers and a template for one of them.
func (d *demo) addResources() {
	d.mcp.AddResource(&mcp.Resource{Name: "servers", URI: ServersURI, MIMEType: "application/json", Description: "The made-up servers and how many tools each has."},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			counts := map[string]int{}
			for _, tool := range d.options.Tools {
				if d.visible(req, tool.Name) {
					counts[tool.Server]++
				}
			}
			return document(req.Params.URI, counts)
		})
	d.mcp.AddResourceTemplate(&mcp.ResourceTemplate{Name: "server", URITemplate: ServersURI + "/{name}", MIMEType: "application/json", Description: "The tools of one made-up server."},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			server := strings.TrimPrefix(req.Params.URI, ServersURI+"/")
			var names []string
			for _, tool := range d.options.Tools {
				if tool.Server == server && d.visible(req, tool.Name) {
					names = append(names, tool.Name)
				}
			}
			if len(names) == 0 {
				return nil, mcp.ResourceNotFoundError(req.Params.URI)
			}
			return document(req.Params.URI, names)
		})
}

// visible reports whether the request's caller may know of a tool.
func (d *demo) visible(req mcp.Request, tool string) bool {
	return d.options.Visible == nil || d.options.Visible(tokenOf(req), tool)
}

func document(uri string, v any) (*mcp.ReadResourceResult, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: "application/json", Text: string(text)}}}, nil
}

// complete offers teams for the prompt's argument.
func complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	var values []string
	if req.Params.Ref != nil && req.Params.Ref.Name == "weekly_report" {
		values = slices.DeleteFunc([]string{"backend", "billing", "frontend", "platform"}, func(team string) bool {
			return !strings.HasPrefix(team, req.Params.Argument.Value)
		})
	}
	if values == nil {
		values = []string{}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: len(values)}}, nil
}
