package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"mcp-toolsearch/internal/child"
	"mcp-toolsearch/internal/demoserver"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/evalcatalog"
	"mcp-toolsearch/internal/setup"
)

// readyWithin bounds the start of each part.
const readyWithin = 30 * time.Second

// stack is everything that runs: servers, sidecar, Envoy.
type stack struct {
	tools      *http.Server
	everything *child.Process // nil when it can't be had
	sidecar    *child.Process
	admin      string
	envoy      *envoy.Envoy
	dir        string // of the full demo's servers; "" without them
}

func (s *stack) close() {
	if s.sidecar != nil {
		s.sidecar.Stop(5 * time.Second)
	}
	if s.envoy != nil {
		s.envoy.Close()
	}
	if s.everything != nil {
		s.everything.Stop(2 * time.Second)
	}
	if s.tools != nil {
		_ = s.tools.Close() // the process ends with it
	}
	if s.dir != "" {
		_ = os.RemoveAll(s.dir) // a temporary folder: the system's own cleaning does the rest
	}
}

// start starts everything. What was started before an error is in the returned stack.
func start(ctx context.Context, sidecar string, full bool) (*stack, error) {
	s := &stack{}
	cache, err := setup.CacheDir()
	if err != nil {
		return s, err
	}
	fmt.Println("Finding Envoy ($ENVOY, PATH, else a pinned one is fetched once) ...")
	binary, err := envoy.Find(ctx, cache)
	switch {
	case err != nil:
		return s, err
	case full:
		return s, s.startFull(ctx, binary, sidecar)
	}
	return s, s.startLight(ctx, binary, sidecar)
}

// startLight starts the 500 made-up tools and the official test server, each on a pair of routes.
func (s *stack) startLight(ctx context.Context, binary, sidecar string) error {
	toolsAddr, err := s.serveTools()
	if err != nil {
		return err
	}
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	extproc, everything := "127.0.0.1:"+ports[0], "127.0.0.1:"+ports[2]
	s.admin = "127.0.0.1:" + ports[1]
	s.everything, err = startEverything(ctx, ports[2])
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		fmt.Println("No second server:", err)
	}
	c := envoy.Default()
	c.Listen, c.AdminPort, c.Sidecar = "127.0.0.1:0", 0, envoy.Address(extproc)
	c.Pairs = []envoy.Pair{
		{Search: "/mcp/search", Aggregate: "/mcp/all", Upstream: envoy.Address(toolsAddr), Rewrite: "/mcp"},
		{Search: "/everything/search", Aggregate: "/everything/all", Upstream: envoy.Address(everything), Rewrite: "/mcp"},
	}
	config, err := envoy.Render(c)
	if err != nil {
		return err
	}
	if s.envoy, err = envoy.Start(ctx, binary, config); err != nil {
		return err
	}
	return s.run(ctx, sidecar, "--upstream", "http://"+s.envoy.Addr(), "--routes", "/mcp/search=/mcp/all", "--routes", "/everything/search=/everything/all",
		"--extproc-listen", extproc)
}

// serveTools serves the 500 made-up tools in this process.
func (s *stack) serveTools() (string, error) {
	tools, err := evalcatalog.Tools()
	if err != nil {
		return "", err
	}
	handler, err := demoserver.New(tools)
	if err != nil {
		return "", err
	}
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	s.tools = &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.tools.Serve(lis) }() // ends with close
	return lis.Addr().String(), nil
}

// startEverything starts the official test server. The demo goes on without it when it can't be had.
func startEverything(ctx context.Context, port string) (*child.Process, error) {
	node, err := setup.Node(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := setup.NodeModules(ctx, "internal/demo/node")
	if err != nil {
		return nil, err
	}
	script := filepath.Join(dir, "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	p, err := child.Start(ctx, child.Spec{Path: node, Args: []string{script, "streamableHttp"}, Env: []string{"PORT=" + port}})
	if err != nil {
		return nil, err
	}
	err = until(ctx, "the official test server", p, func() bool {
		c, err := net.DialTimeout("tcp", "127.0.0.1:"+port, time.Second)
		if err != nil {
			return false
		}
		return c.Close() == nil
	})
	if err != nil {
		p.Kill()
		return nil, err
	}
	return p, nil
}

func status(ctx context.Context, url string) int {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	if resp.Body.Close() != nil {
		return 0
	}
	return resp.StatusCode
}

// until polls ready until it is true, the process ends, or the time is over.
func until(ctx context.Context, what string, p *child.Process, ready func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ready() {
		select {
		case <-tick.C:
		case <-p.Done():
			return fmt.Errorf("%s ended at once; it printed:\n%s", what, p.Log())
		case <-ctx.Done():
			return fmt.Errorf("%s was not ready in %s; it printed:\n%s", what, readyWithin, p.Log())
		}
	}
	return nil
}

// freePorts finds ports that are free now.
func freePorts(n int) ([]string, error) {
	var ports []string
	for range n {
		lis, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer lis.Close()
		ports = append(ports, strconv.Itoa(lis.Addr().(*net.TCPAddr).Port))
	}
	return ports, nil
}
