//lint:file-ignore SA1019 clients still use what the protocol deprecates: sampling, logging

package demoserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The tools here ask the client while a call runs. They answer with input
// requests; for a client of a legacy era the SDK turns those into requests on
// the call's stream, for a modern one they are an input_required result.

func nameForm(message string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: message, RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)}
}

// nameIn reads the form's answer.
func nameIn(req *mcp.CallToolRequest, key string) (string, error) {
	answer, ok := req.Params.InputResponses[key].(*mcp.ElicitResult)
	if !ok {
		return "", fmt.Errorf("the answer to %q is missing", key)
	}
	return fmt.Sprintf("%s %v", answer.Action, answer.Content["name"]), nil
}

func askPerson(_ context.Context, req *mcp.CallToolRequest, _ json.RawMessage) (*mcp.CallToolResult, error) {
	if len(req.Params.InputResponses) == 0 {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"name": nameForm("What's your name?")}}, nil
	}
	name, err := nameIn(req, "name")
	if err != nil {
		return nil, err
	}
	return said("person: %s", name), nil
}

func askModel(_ context.Context, req *mcp.CallToolRequest, arguments json.RawMessage) (*mcp.CallToolResult, error) {
	var in struct{ Question string }
	if err := json.Unmarshal(arguments, &in); err != nil {
		return nil, err
	}
	if len(req.Params.InputResponses) == 0 {
		question := &mcp.CreateMessageParams{
			MaxTokens: 50,
			Messages:  []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: or(in.Question, "What is the capital of Lithuania?")}}},
		}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"answer": question}}, nil
	}
	switch answer := req.Params.InputResponses["answer"].(type) {
	case *mcp.CreateMessageResult:
		return modelSaid(answer.Content), nil
	case *mcp.CreateMessageWithToolsResult:
		if len(answer.Content) > 0 {
			return modelSaid(answer.Content[0]), nil
		}
	}
	return failed("the model's answer is missing"), nil
}

func modelSaid(content mcp.Content) *mcp.CallToolResult {
	text, ok := content.(*mcp.TextContent)
	if !ok {
		return failed("the model answered with something else than text")
	}
	return said("model: %s", text.Text)
}

// wizard takes two rounds; what the first one learnt travels in requestState.
func wizard(_ context.Context, req *mcp.CallToolRequest, _ json.RawMessage) (*mcp.CallToolResult, error) {
	responses := req.Params.InputResponses
	switch {
	case responses["first"] != nil:
		name, err := nameIn(req, "first")
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"second": nameForm("And the family name?")}, RequestState: "first=" + name}, nil
	case responses["second"] != nil:
		name, err := nameIn(req, "second")
		if err != nil {
			return nil, err
		}
		return said("%s, second=%s", req.Params.RequestState, name), nil
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"first": nameForm("What's the first name?")}, RequestState: "begun"}, nil
}
