package e2e_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/featureserver"
	"mcp-toolsearch/sidecar"
)

func (p *player) modern() bool { return p.version >= featureserver.Modern }

func (p *player) playFeatures() {
	p.playPromptsAndResources()
	p.step("logging", p.playLogging)
	p.step("progress", p.playProgress)
	p.step("a picture", p.playPicture)
	p.step("a tool's own failure", func() error {
		return wants{isError: true, has: []string{"this tool always fails"}}.check(p.call(p.ctx, sidecar.CallReadTool, e2e.Item{Name: "always_fail"}, nil))
	})
	p.step("elicitation", func() error {
		return wants{has: []string{"accept: Hello, Ada!"}}.check(p.call(p.ctx, sidecar.CallWriteTool, e2e.Item{Name: "ask_user_name"}, nil))
	})
	p.step("sampling", func() error {
		return wants{has: []string{"the model says: Paris"}}.check(p.call(p.ctx, sidecar.CallWriteTool, e2e.Item{Name: "ask_model"}, nil))
	})
	p.step("subscription", p.playSubscription)
	p.step("cancellation", p.playCancellation)
}

func (p *player) playPromptsAndResources() {
	p.step("prompts/list", func() error {
		listed, err := p.session.ListPrompts(p.ctx, nil)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(listed.Prompts, func(x *mcp.Prompt) bool { return x.Name == "greeting" }) {
			return errors.New("no greeting")
		}
		return nil
	})
	p.step("prompts/get", func() error {
		got, err := p.session.GetPrompt(p.ctx, &mcp.GetPromptParams{Name: "greeting", Arguments: map[string]string{"who": "Ada"}})
		if err != nil {
			return err
		}
		if text, ok := got.Messages[0].Content.(*mcp.TextContent); !ok || text.Text != "Greet Ada" {
			return fmt.Errorf("got %v", got.Messages[0].Content)
		}
		return nil
	})
	p.step("resources/list", func() error {
		listed, err := p.session.ListResources(p.ctx, nil)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(listed.Resources, func(x *mcp.Resource) bool { return x.URI == featureserver.Resource }) {
			return errors.New("no note of today")
		}
		return nil
	})
	p.step("resources/templates/list", func() error {
		listed, err := p.session.ListResourceTemplates(p.ctx, nil)
		if err != nil {
			return err
		}
		if len(listed.ResourceTemplates) != 1 || listed.ResourceTemplates[0].URITemplate != "note://{day}" {
			return fmt.Errorf("listed %v", listed.ResourceTemplates)
		}
		return nil
	})
	p.step("resources/read", func() error {
		read, err := p.session.ReadResource(p.ctx, &mcp.ReadResourceParams{URI: "note://tomorrow"})
		if err != nil {
			return err
		}
		if read.Contents[0].Text != "the note at note://tomorrow" {
			return fmt.Errorf("read %q", read.Contents[0].Text)
		}
		return nil
	})
	p.step("completion", func() error {
		got, err := p.session.Complete(p.ctx, &mcp.CompleteParams{
			Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "greeting"}, Argument: mcp.CompleteParamsArgument{Name: "who", Value: "a"},
		})
		if err != nil {
			return err
		}
		if !slices.Equal(got.Completion.Values, []string{"Ada", "Alan"}) {
			return fmt.Errorf("completed %q", got.Completion.Values)
		}
		return nil
	})
}

func (p *player) playLogging() error {
	meta := mcp.Meta{}
	if p.modern() {
		meta[mcp.MetaKeyLogLevel] = "info"
	} else if err := p.session.SetLoggingLevel(p.ctx, &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
		return err
	}
	err := wants{has: []string{"logged"}}.check(p.call(p.ctx, sidecar.CallReadTool, e2e.Item{Name: "log_three_lines"}, meta))
	if err != nil {
		return err
	}
	return eventually("three log lines", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.logs) == 3
	})
}

func (p *player) playProgress() error {
	p.mu.Lock()
	p.progress = nil
	p.mu.Unlock()
	item := e2e.Item{Name: "count_up", Arguments: object{"steps": 5, "pause_ms": 20}}
	err := wants{has: []string{"counted to 5"}}.check(p.call(p.ctx, sidecar.CallReadTool, item, mcp.Meta{"progressToken": "progress-1"}))
	if err != nil {
		return err
	}
	return eventually("progress 1 to 5, in order", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return slices.Equal(p.progress, []float64{1, 2, 3, 4, 5})
	})
}

func (p *player) playPicture() error {
	result, err := p.call(p.ctx, sidecar.CallReadTool, e2e.Item{Name: "show_picture"}, nil)
	if err != nil {
		return err
	}
	for _, c := range result.Content {
		if picture, ok := c.(*mcp.ImageContent); ok && picture.MIMEType == "image/png" && bytes.Equal(picture.Data, featureserver.Picture()) {
			return nil
		}
	}
	return fmt.Errorf("no picture in %v", result.Content)
}

func (p *player) playSubscription() error {
	if err := p.session.Subscribe(p.ctx, &mcp.SubscribeParams{URI: featureserver.Resource}); err != nil {
		return err
	}
	// In the modern era Subscribe doesn't wait for the acknowledgement, so the first touch may come too early.
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for {
		err := wants{has: []string{"touched"}}.check(p.call(p.ctx, sidecar.CallWriteTool, e2e.Item{Name: "touch_note"}, nil))
		if err != nil {
			return err
		}
		select {
		case uri := <-p.updated:
			if uri != featureserver.Resource {
				return fmt.Errorf("updated: %s", uri)
			}
			return p.session.Unsubscribe(p.ctx, &mcp.UnsubscribeParams{URI: featureserver.Resource})
		case <-tick.C:
		case <-deadline:
			return errors.New("no update within 10 s")
		}
	}
}

func (p *player) playCancellation() error {
	ctx, cancel := context.WithTimeout(p.ctx, 20*time.Second)
	defer cancel()
	p.wire.taken.Store(false)
	p.mu.Lock()
	p.waiting = cancel
	p.mu.Unlock()
	_, err := p.call(ctx, sidecar.CallReadTool, e2e.Item{Name: "wait_for_cancel"}, mcp.Meta{"progressToken": "wait-1"})
	p.mu.Lock()
	p.waiting = nil
	p.mu.Unlock()
	if !errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("the tool never said that it waits: %w", ctx.Err())
	}
	if err == nil {
		return errors.New("the cancelled call was answered")
	}
	return eventually("the cancellation is taken", p.wire.taken.Load)
}
