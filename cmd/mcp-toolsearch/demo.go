package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcp-toolsearch/sidecar"
)

// demoCommand shows the product by itself: made-up MCP servers merged behind the HTTP door, all in this process, and a
// client that uses them. It ends when the conversation has.
func demoCommand(ctx context.Context, t terminal, args []string) error {
	start := time.Now()
	fs := flag.NewFlagSet("demo", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	words, err := parseArgs(fs, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		usage(t.out, "demo", fs)
		return err
	case err != nil:
		return usageError{err}
	case len(words) > 0:
		return usageError{fmt.Errorf("%q is not expected here: write mcp-toolsearch demo", words[0])}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	servers, err := startDemoServers(ctx)
	if err != nil {
		return err
	}
	defer servers.close()
	end, address, err := demoDoor(ctx, servers)
	if err != nil {
		return err
	}
	defer end()
	d := demoTalk{out: t.out, url: "http://" + address + "/mcp"}
	defer d.http.CloseIdleConnections()
	if err := d.play(ctx, servers); err != nil {
		return err
	}
	_, err = fmt.Fprintf(t.out, demoNext, time.Since(start).Seconds())
	return err
}

// demoNext says what to do after the demo.
const demoNext = `
That took %.1f seconds, with nothing installed, fetched or sent anywhere.

Next, your own servers. Write the mcpServers file that your client has, or take its own, then serve it and connect:

  mcp-toolsearch serve --config mcp.json
  claude mcp add --transport http tools http://127.0.0.1:8092/mcp

docs/clients.md has the set-up of other clients; make demo shows the same behind a real Envoy.
`

// demoDoor serves the made-up servers merged, as mcp-toolsearch serve --config does, on a free port.
func demoDoor(ctx context.Context, servers *demoServers) (end func(), address string, err error) {
	dir, err := os.MkdirTemp("", "mcp-toolsearch-demo-")
	if err != nil {
		return nil, "", err
	}
	end = func() { _ = os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			end()
		}
	}()
	file, err := servers.config()
	if err != nil {
		return nil, "", err
	}
	config := filepath.Join(dir, "mcp.json")
	if err = os.WriteFile(config, file, 0o600); err != nil {
		return nil, "", err
	}
	s, err := serveSettings(terminal{}, "serve", []string{"--config", config, "--listen", "127.0.0.1:0", "--extproc-listen", listenOff})
	if err != nil {
		return nil, "", err
	}
	c, err := s.newCore(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, "", err
	}
	open, err := c.openDoors(ctx, &doorSecrets{})
	if err != nil {
		c.close()
		return nil, "", err
	}
	remove := end
	return func() {
		now, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		open.shutdown(now, 0)
		c.close()
		remove()
	}, open.relayAddr(), nil
}

// demoStep is one call of the conversation and what its answer must say.
type demoStep struct {
	about, tool, arguments string
	has                    []string
	refused                bool
}

func demoSteps() []demoStep {
	const issue = `{"name":"tallyboard_create_issue","arguments":{"project":"TB","title":"Rotate the signing key"}}`
	return []demoStep{
		{"Find a tool for a task", sidecar.SearchTools, `{"query":"send an invoice to a client","limit":3}`, []string{"billfold_send_invoice", sidecar.CallWriteTool}, false},
		{"The same in Lithuanian", sidecar.SearchTools, `{"query":"išsiųsk sąskaitą klientui","limit":3}`, []string{"billfold_send_invoice"}, false},
		{"Another in Japanese: book a meeting room", sidecar.SearchTools, `{"query":"会議室を予約したい","limit":3}`, []string{"daybook_book_room"}, false},
		{"A write through the read door is refused", sidecar.CallReadTool, issue, []string{sidecar.CallWriteTool}, true},
		{"Arguments that don't fit are refused before anything runs", sidecar.CallWriteTool,
			`{"name":"tallyboard_create_issue","arguments":{"project":"TB","titel":"x"}}`, []string{"title"}, true},
		{"Write", sidecar.CallWriteTool, issue, []string{"created DEMO-1"}, false},
		{"Read several at once, from two servers", sidecar.CallReadTools,
			`{"calls":[{"name":"tallyboard_list_issues"},{"name":"postrider_search_messages","arguments":{"query":"signing key"}}]}`,
			[]string{"[1] tallyboard_list_issues: ok", "Rotate the signing key", "[2] postrider_search_messages: ok"}, false},
	}
}

// play plays the conversation and prints it. The error says which answer isn't what it should be.
func (d *demoTalk) play(ctx context.Context, servers *demoServers) error {
	all := servers.all()
	tokens, fives := 0, 0
	for _, tool := range all {
		tokens += len(tool.seen()) / bytesPerToken
	}
	for _, tool := range sidecar.MetaTools() {
		fives += (len(tool.Name) + len(tool.Description) + len(tool.InputSchema)) / bytesPerToken
	}
	listed, err := d.list(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "%d made-up MCP servers with %d tools, merged in this process.\n\n", len(servers.tools), len(all))
	fmt.Fprintf(d.out, "A client without this program loads %d definitions, about %d,000 tokens; with it %d, about %d tokens:\n  %s\n",
		len(all), (tokens+500)/1000, len(listed), fives, strings.Join(listed, ", "))
	for i, step := range demoSteps() {
		if err := d.step(ctx, i+1, step); err != nil {
			return fmt.Errorf("the demo's step %d (%s): %w", i+1, step.about, err)
		}
	}
	return nil
}

// bytesPerToken is the usual estimate.
const bytesPerToken = 4

func (d *demoTalk) step(ctx context.Context, n int, step demoStep) error {
	text, refused, err := d.call(ctx, step.tool, step.arguments)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "\n%d. %s\n   > %s %s\n", n, step.about, step.tool, step.arguments)
	d.show(text)
	if refused != step.refused {
		return fmt.Errorf("the answer is an error: %t", refused)
	}
	for _, want := range step.has {
		if !strings.Contains(text, want) {
			return fmt.Errorf("the answer doesn't say %q", want)
		}
	}
	return nil
}

// show prints the beginning of an answer; schemas are for models.
func (d *demoTalk) show(text string) {
	shown := 0
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "   input: ") || strings.HasPrefix(line, "Input schema of ") {
			continue
		}
		if shown++; shown > demoLines {
			fmt.Fprintln(d.out, "     ...")
			return
		}
		if runes := []rune(line); len(runes) > demoRunes {
			line = string(runes[:demoRunes]) + " ..."
		}
		fmt.Fprintln(d.out, "     "+line)
	}
}

// How much of an answer is shown.
const (
	demoLines = 7
	demoRunes = 140
)
