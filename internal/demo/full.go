package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"

	"mcp-toolsearch/internal/child"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/setup"
	"mcp-toolsearch/sidecar"
)

// server is one MCP server in the file that --config names.
type server struct {
	Command     string            `json:"command"`
	Args        []string          `json:"args"`
	Env         map[string]string `json:"env,omitempty"`
	OpenTimeout string            `json:"openTimeout"`
	ReadTools   []string          `json:"readTools,omitempty"`
}

// openTimeout is long: all servers start at the same time, on a machine that may be busy.
const openTimeout = "60s"

// realServers installs MCP servers from npm and PyPI, pinned, and says how each is started. Their files are in dir.
func realServers(ctx context.Context, dir string) (map[string]server, error) {
	node, err := setup.Node(ctx)
	if err != nil {
		return nil, err
	}
	modules, err := setup.NodeModules(ctx, "internal/demo/full")
	if err != nil {
		return nil, err
	}
	python, err := setup.Python(ctx)
	if err != nil {
		return nil, err
	}
	packages, err := setup.PythonPackages(ctx, "internal/demo/full/requirements.txt", filepath.Join("py-demo", "servers"))
	if err != nil {
		return nil, err
	}
	older, err := setup.PythonPackages(ctx, "internal/demo/full/requirements-sqlite.txt", filepath.Join("py-demo", "sqlite"))
	if err != nil {
		return nil, err
	}
	js := func(script string, args ...string) server {
		return server{Command: node, OpenTimeout: openTimeout, Args: append([]string{filepath.Join(modules, "node_modules", filepath.FromSlash(script))}, args...)}
	}
	py := func(path string, args ...string) server {
		return server{Command: python, OpenTimeout: openTimeout, Args: args, Env: map[string]string{"PYTHONPATH": path}}
	}
	memory := js("@modelcontextprotocol/server-memory/dist/index.js")
	memory.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory.jsonl")}
	sqlite := py(older, "-c", "import sys, mcp_server_sqlite; sys.exit(mcp_server_sqlite.main())", "--db-path", filepath.Join(dir, "demo.db"))
	sqlite.ReadTools = []string{"read_query", "list_tables", "describe_table"} // it says nothing about its tools
	return map[string]server{
		"filesystem": js("@modelcontextprotocol/server-filesystem/dist/index.js", filepath.Join(dir, "files")),
		"memory":     memory,
		"thinking":   js("@modelcontextprotocol/server-sequential-thinking/dist/index.js"),
		"everything": js("@modelcontextprotocol/server-everything/dist/index.js", "stdio"),
		"browser":    js("@playwright/mcp/cli.js", browserArgs()...),
		"git":        py(packages, "-m", "mcp_server_git", "--repository", filepath.Join(dir, "repository")),
		"time":       py(packages, "-m", "mcp_server_time", "--local-timezone", "UTC"),
		"fetch":      py(packages, "-m", "mcp_server_fetch"),
		"sqlite":     sqlite,
	}, nil
}

// browserArgs are for a browser without a window: the one of this machine when there is one. Without a browser the
// server lists its tools all the same.
func browserArgs() []string {
	args := []string{"--headless", "--isolated"}
	if path, err := exec.LookPath("chromium"); err == nil {
		args = append(args, "--executable-path", path)
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // the sandbox refuses to run as root
	}
	return args
}

// furnish makes what the servers work on: a folder with a file, and a repository with a commit.
func furnish(ctx context.Context, dir string) error {
	files := filepath.Join(dir, "files")
	if err := os.MkdirAll(files, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(files, "plan.txt"), []byte("Rotate the signing key before Friday.\n"), 0o644); err != nil {
		return err
	}
	repository := filepath.Join(dir, "repository")
	for _, args := range [][]string{{"init", "-q", repository}, {"-C", repository, "-c", "user.name=demo", "-c", "user.email=demo@example.org",
		"-c", "commit.gpgsign=false", "commit", "-q", "--allow-empty", "-m", "The first commit of the demo"}} {
		if out, err := exec.CommandContext(ctx, "git", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("git, which one of the servers needs: %w\n%s", err, out)
		}
	}
	return nil
}

// startFull starts Envoy with the merged servers behind it.
func (s *stack) startFull(ctx context.Context, binary, sidecar string) error {
	dir, err := os.MkdirTemp("", "mcp-toolsearch-demo-")
	if err != nil {
		return err
	}
	s.dir = dir
	if err := furnish(ctx, dir); err != nil {
		return err
	}
	servers, err := realServers(ctx, dir)
	if err != nil {
		return err
	}
	file, err := json.MarshalIndent(map[string]any{"mcpServers": servers}, "", "  ")
	if err != nil {
		return err
	}
	config := filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(config, file, 0o600); err != nil {
		return err
	}
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	extproc, door := "127.0.0.1:"+ports[0], "127.0.0.1:"+ports[2]
	s.admin = "127.0.0.1:" + ports[1]
	c := envoy.Default()
	c.Listen, c.AdminPort, c.Sidecar, c.Door = "127.0.0.1:0", 0, envoy.Address(extproc), envoy.Address(door)
	c.Pairs = []envoy.Pair{{Search: "/mcp/search", Aggregate: "/mcp/all", Upstream: envoy.Address(door), Rewrite: "/mcp/all"}}
	rendered, err := envoy.Render(c)
	if err != nil {
		return err
	}
	if s.envoy, err = envoy.Start(ctx, binary, rendered); err != nil {
		return err
	}
	fmt.Printf("Merging %d MCP servers from npm and PyPI (%s) ...\n", len(servers), config)
	if err := s.run(ctx, sidecar, "--config", config, "--listen", door, "--batch-door", "--extproc-listen", extproc); err != nil {
		return err
	}
	return s.refresh(ctx)
}

// refresh waits until all servers have been asked for their tools, and prints how many each has.
func (s *stack) refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*readyWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.admin+"/refresh", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("POST /refresh on the sidecar's admin listener: %w", err)
	}
	defer resp.Body.Close()
	var report struct {
		Tools   int
		Sources []struct {
			Name, State string
			Tools       int
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&report); err != nil || resp.StatusCode != http.StatusOK {
		return fmt.Errorf("POST /refresh on the sidecar's admin listener: HTTP %d: %w", resp.StatusCode, err)
	}
	fmt.Printf("%d tools:", report.Tools)
	for _, source := range report.Sources {
		if source.State != "up" {
			return fmt.Errorf("the server %s is %s; the sidecar printed:\n%s", source.Name, source.State, s.sidecar.Log())
		}
		fmt.Printf(" %s %d", source.Name, source.Tools)
	}
	fmt.Println()
	return nil
}

// fullScript is the conversation with the real servers, whose files are in dir.
func fullScript(dir string) []step {
	plan := filepath.Join(dir, "files", "plan.txt")
	repository := filepath.Join(dir, "repository")
	observation := object{"entities": []object{{"name": "signing key", "entityType": "secret", "observations": []string{"due on Friday"}}}}
	call := func(name string, arguments object) object { return object{"name": name, "arguments": arguments} }
	return []step{
		{"find a tool for a task", sidecar.SearchTools, object{"query": fullQuery, "limit": 3}, false, []string{"1. read_text_file", "filesystem"}},
		{"ask in Spanish", sidecar.SearchTools, object{"query": "hora actual en Tokio", "limit": 2}, false, []string{"get_current_time"}},
		{"ask in Japanese", sidecar.SearchTools, object{"query": "現在の時刻", "limit": 2}, false, []string{"get_current_time"}},
		{"read a file", sidecar.CallReadTool, call("read_text_file", object{"path": plan}), false, []string{"Rotate the signing key"}},
		{"read from four servers at once", sidecar.CallReadTools, object{"calls": []object{
			call("git_log", object{"repo_path": repository}), call("get_current_time", object{"timezone": "Asia/Tokyo"}),
			call("list_directory", object{"path": filepath.Join(dir, "files")}), call("get-sum", object{"a": 2, "b": 40})}},
			false, []string{"[1] git_log: ok", "The first commit of the demo", "[2] get_current_time: ok", "plan.txt", "42"}},
		{"a write through the read door is refused", sidecar.CallReadTool, call("create_entities", observation), true, []string{sidecar.CallWriteTool}},
		{"write into the memory", sidecar.CallWriteTool, call("create_entities", observation), false, []string{"signing key"}},
		{"and read it back", sidecar.CallReadTool, call("search_nodes", object{"query": "signing"}), false, []string{"due on Friday"}},
		{"a server that says nothing of its tools: writing", sidecar.CallWriteTool, call("create_table", object{"query": "CREATE TABLE keys (name TEXT)"}), false, nil},
		{"reading, which the configuration allows", sidecar.CallReadTool, call("list_tables", object{}), false, []string{"keys"}},
	}
}

// run starts the built sidecar with these flags and waits until Envoy uses it.
func (s *stack) run(ctx context.Context, binary string, flags ...string) error {
	if _, err := os.Stat(binary); err != nil {
		return errors.New(binary + " is not there: run make demo, which builds it")
	}
	var err error
	s.sidecar, err = child.Start(ctx, child.Spec{Path: binary, Args: append(flags, "--admin-listen", s.admin, "--drain-notice", "0s")})
	if err != nil {
		return err
	}
	// Envoy's health check must have seen the sidecar: the search route answers 503 before.
	return until(ctx, "the sidecar", s.sidecar, func() bool {
		return status(ctx, "http://"+s.admin+"/readyz") == http.StatusOK && status(ctx, s.envoy.URL("/mcp/search")) != http.StatusServiceUnavailable
	})
}
