package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() { os.Exit(demo()) }

// demo runs the demo and returns the exit status. A demo for people ends well when they end it; one that is to play once
// does not.
func demo() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	sidecar := filepath.Join("bin", "mcp-toolsearch")
	if len(os.Args) > 1 {
		sidecar = os.Args[1]
	}
	kinds := strings.Split(os.Getenv("DEMO"), ",")
	once := slices.Contains(kinds, "once")
	err := run(ctx, sidecar, once, slices.Contains(kinds, "full"))
	switch {
	case err == nil:
		return 0
	case ctx.Err() == nil:
		fmt.Fprintln(os.Stderr, "demo:", err)
		return 1
	}
	fmt.Println("\nInterrupted. Everything that was started has been ended.")
	if once {
		return 1
	}
	return 0
}

func run(ctx context.Context, sidecar string, once, full bool) error {
	s, err := start(ctx, sidecar, full)
	if s != nil {
		defer s.close()
	}
	if err != nil {
		return err
	}
	if err := converse(ctx, s); err != nil {
		return fmt.Errorf("%w\n\nThe sidecar printed:\n%s", err, s.sidecar.Log())
	}
	if once {
		return nil
	}
	printConnect(s)
	select {
	case <-ctx.Done():
		fmt.Println("\nEnding everything that was started.")
		return nil
	case <-s.sidecar.Done():
		return fmt.Errorf("the sidecar ended by itself; it printed:\n%s", s.sidecar.Log())
	}
}

func printConnect(s *stack) {
	search, query := s.envoy.URL("/mcp/search"), lightQuery
	if s.dir != "" {
		query = fullQuery
	}
	fmt.Printf(`
Everything stays up until Ctrl-C. Connect to it:

  Claude Code   claude mcp add --transport http tools %s
  Inspector     npx @modelcontextprotocol/inspector   (Node 22.19 or newer; Streamable HTTP, %s)
  curl          curl -s %s -H 'content-type: application/json' \
                  -H 'accept: application/json, text/event-stream' \
                  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":"%s"}}}'

  All tools without the sidecar:          %s
`, search, search, search, query, s.envoy.URL("/mcp/all"))
	if s.everything != nil {
		fmt.Printf("  The official test server, five tools:   %s\n", s.envoy.URL("/everything/search"))
	}
	fmt.Printf("  The sidecar's metrics:                  http://%s/metrics\n", s.admin)
}
