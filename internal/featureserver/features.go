package featureserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Picture is the image that show_picture answers with: a PNG of one pixel.
func Picture() []byte {
	return []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82")
}

type steps struct {
	Steps   int `json:"steps" jsonschema:"how far to count"`
	PauseMS int `json:"pause_ms,omitempty" jsonschema:"milliseconds between two numbers"`
}

// addFeatures adds one tool for each thing that can happen during a call.
func (s *Server) addFeatures() {
	add := func(name, description string, annotations *mcp.ToolAnnotations, h func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
		mcp.AddTool(s.server, &mcp.Tool{Name: name, Description: description, Annotations: annotations},
			func(ctx context.Context, req *mcp.CallToolRequest, _ noNothing) (*mcp.CallToolResult, any, error) {
				result, err := h(ctx, req)
				return result, nil, err
			})
	}
	mcp.AddTool(s.server, &mcp.Tool{Name: "count_up", Description: "Count, and report progress at each number.", Annotations: reads()}, countUp)
	add("log_three_lines", "Log three lines.", reads(), logThreeLines)
	add("show_picture", "Answer with a picture.", reads(), showPicture)
	add("always_fail", "Fail.", reads(), func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("this tool always fails")
	})
	add("ask_user_name", "Ask the user for their name.", &mcp.ToolAnnotations{}, askUserName)
	add("ask_model", "Ask the client's model what the capital of France is.", &mcp.ToolAnnotations{}, askModel)
	add("wait_for_cancel", "Wait until the call is cancelled.", reads(), s.waitForCancel)
}

func countUp(ctx context.Context, req *mcp.CallToolRequest, in steps) (*mcp.CallToolResult, any, error) {
	token := req.Params.GetProgressToken()
	for i := 1; i <= in.Steps; i++ {
		if token != nil {
			err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Progress: float64(i), Total: float64(in.Steps), Message: time.Now().Format(time.RFC3339Nano),
			})
			if err != nil {
				return nil, nil, err
			}
		}
		if err := pause(ctx, time.Duration(in.PauseMS)*time.Millisecond); err != nil {
			return nil, nil, err
		}
	}
	return text("counted to %d", in.Steps), nil, nil
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

func logThreeLines(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for i := range 3 {
		if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Logger: "features", Data: fmt.Sprintf("line %d", i+1)}); err != nil {
			return nil, err
		}
	}
	return text("logged"), nil
}

func showPicture(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{
		&mcp.TextContent{Text: "a pixel"},
		&mcp.ImageContent{Data: Picture(), MIMEType: "image/png"},
	}}, nil
}

func nameQuestion() *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: "What is your name?", RequestedSchema: &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{"name": {Type: "string"}}, Required: []string{"name"},
	}}
}

func askUserName(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.ProtocolVersion() < Modern {
		answer, err := req.Session.Elicit(ctx, nameQuestion())
		if err != nil {
			return nil, err
		}
		return text("%s: Hello, %v!", answer.Action, answer.Content["name"]), nil
	}
	if answer, ok := req.Params.InputResponses["name"].(*mcp.ElicitResult); ok {
		return text("%s: Hello, %v! state=%s", answer.Action, answer.Content["name"], req.Params.RequestState), nil
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"name": nameQuestion()}, RequestState: "asked-once"}, nil
}

func modelQuestion() *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{MaxTokens: 50, Messages: []*mcp.SamplingMessage{
		{Role: "user", Content: &mcp.TextContent{Text: "What is the capital of France?"}},
	}}
}

func askModel(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.ProtocolVersion() < Modern {
		answer, err := req.Session.CreateMessage(ctx, modelQuestion())
		if err != nil {
			return nil, err
		}
		return sampled(answer.Content)
	}
	if answer, ok := req.Params.InputResponses["capital"].(*mcp.CreateMessageWithToolsResult); ok && len(answer.Content) > 0 {
		return sampled(answer.Content[0])
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"capital": modelQuestion()}}, nil
}

func sampled(content mcp.Content) (*mcp.CallToolResult, error) {
	if answer, ok := content.(*mcp.TextContent); ok {
		return text("the model says: %s", answer.Text), nil
	}
	raw, err := json.Marshal(content)
	return text("the model says: %s", raw), err
}

// waitForCancel reports progress once it waits, so that a client knows when to cancel.
func (s *Server) waitForCancel(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	if token := req.Params.GetProgressToken(); token != nil {
		err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1, Message: "waiting"})
		if err != nil {
			return nil, err
		}
	}
	if err := pause(ctx, longest); err != nil {
		s.cancelled.Add(1)
		return nil, err
	}
	return text("nobody cancelled"), nil
}
