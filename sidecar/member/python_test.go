package member

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/internal/child"
	"mcp-toolsearch/internal/fixtures"
)

// pythonServer is a real server of the Python SDK.
func pythonServer(t *testing.T, eras string) string {
	t.Helper()
	r, w := io.Pipe()
	p, err := child.Start(t.Context(), child.Spec{Path: fixtures.Python(t), Args: []string{"testdata/server.py", eras}, Stdout: w,
		Env: []string{"PYTHONPATH=" + fixtures.PythonPath(t), "PYTHONDONTWRITEBYTECODE=1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	go func() {
		<-p.Done()
		w.Close()
	}()
	var port int
	if _, err := fmt.Fscanln(r, &port); err != nil {
		t.Fatalf("the server did not start: %v\n%s", err, p.Log())
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	return fmt.Sprintf("http://127.0.0.1:%d/mcp", port)
}

func TestThePythonServer(t *testing.T) {
	for _, eras := range []string{"both", "modern", "legacy"} {
		t.Run("of "+eras, func(t *testing.T) {
			t.Parallel() // a Python takes its time to start
			url := pythonServer(t, eras)
			for n, version := range []string{"2026-07-28", "2025-11-25"} {
				t.Run("a "+version+" client", func(t *testing.T) { playPython(t, url, version, n) })
			}
		})
	}
}

func playPython(t *testing.T, url, version string, before int) {
	t.Helper()
	m := newMember(t, url, nil)
	c := connect(t, serve(t, m), version)
	if c.InitializeResult().Instructions != "Speaks Python." || c.InitializeResult().ServerInfo.Name != "python" {
		t.Errorf("described as %+v", c.InitializeResult())
	}
	if got := c.call(t, "count", map[string]any{"steps": 3}); got != "counted to 3" {
		t.Errorf("count answers %q", got)
	}
	until(t, "progress arrives", func() bool { return c.has("progress") })
	for range 2 {
		if got := c.call(t, "greet", map[string]any{}); got != "Hello, Ada!" {
			t.Errorf("greet answers %q", got)
		}
	}
	if got := c.call(t, "nobody", map[string]any{}); !strings.Contains(got, "Unknown tool") {
		t.Errorf("an unknown tool answers %q", got)
	}
	note, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "note://today"})
	if err != nil || note.Contents[0].Text != "buy milk" {
		t.Errorf("resource %v, %v", note, err)
	}
	if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "note://never"}); err == nil {
		t.Error("a resource that isn't there was read")
	}
	prompt, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "hello", Arguments: map[string]string{"who": "Ada"}})
	if err != nil || len(prompt.Messages) != 1 {
		t.Errorf("prompt %v, %v", prompt, err)
	}
	cancelPython(t, c, before)
	for method, n := range map[string]int{"tools/list": 4, "prompts/list": 1, "resources/list": 1, "resources/templates/list": 0} {
		items, err := m.List(t.Context(), legacyClient("lists"), method)
		if err != nil || len(items) != n {
			t.Errorf("%s: %d items, %v", method, len(items), err)
		}
	}
}

func cancelPython(t *testing.T, c *sdkClient, before int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "wait", Arguments: map[string]any{}})
		done <- err
	}()
	until(t, "it waits", func() bool { return c.call(t, "waits", map[string]any{}) == fmt.Sprintf("1 %d", before) })
	cancel()
	if err := <-done; err == nil {
		t.Error("the cancelled call succeeded")
	}
	until(t, "it is cancelled", func() bool { return c.call(t, "waits", map[string]any{}) == fmt.Sprintf("0 %d", before+1) })
}
