package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/child"
	"mcp-toolsearch/internal/inverseshim"
)

// patience bounds the product's start and the client's whole run.
const patience = 2 * time.Minute

func main() {
	var c chain
	flag.StringVar(&c.sidecar, "sidecar", "", "the product's program")
	flag.StringVar(&c.client, "client", "", "the conformance client")
	flag.StringVar(&c.beside, "beside", "", "another server to merge with the mock server")
	flag.Parse()
	if strings.HasPrefix(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "auth/") {
		fmt.Fprintln(os.Stderr, "auth scenarios judge an OAuth client, which the product is not")
		os.Exit(1)
	}
	if err := c.run(flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type chain struct{ sidecar, client, beside string }

// run starts the product in front of the mock server, then the client in front of the product.
func (c chain) run(mock string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	server, err := url.Parse(mock)
	if err != nil || server.Host == "" {
		return fmt.Errorf("the last argument must be the mock server's URL, not %q", mock)
	}
	if server.Path == "" {
		server.Path = "/"
	}
	door, admin, err := addresses()
	if err != nil {
		return err
	}
	args := []string{"serve", "--listen", door, "--extproc-listen", "off", "--admin-listen", admin, "--embedder", "none", "--drain-notice", "0s"}
	if c.beside == "" {
		args = append(args, "--upstream", server.Scheme+"://"+server.Host, "--routes", "/mcp/search="+server.Path)
	} else {
		dir, err := os.MkdirTemp("", "chain-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		config, err := c.config(dir, server)
		if err != nil {
			return err
		}
		args = append(args, "--config", config)
	}
	p, err := child.Start(ctx, child.Spec{Path: c.sidecar, Args: args})
	if err != nil {
		return err
	}
	defer p.Kill()
	defer e2e.KeepPages(c.sidecar, "http://"+admin)
	if err := ready(ctx, p, "http://"+admin+"/readyz"); err != nil {
		return err
	}
	at := "http://" + door + "/mcp/all"
	if c.beside != "" {
		if err := listed(ctx, "http://"+admin+"/refresh"); err != nil {
			return err
		}
	} else {
		end, shim, err := serveShim("http://"+door, server.Path)
		if err != nil {
			return err
		}
		defer end()
		at = shim
	}
	cmd := exec.CommandContext(ctx, c.client, at)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w; the product's log:\n%s", err, p.Log())
	}
	return nil
}

// config writes an mcpServers file with both servers, the mock server first: the client takes the first tool that it finds.
func (c chain) config(dir string, mock *url.URL) (string, error) {
	type server struct {
		URL string `json:"url"`
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": map[string]server{"mock": {mock.String()}, "other": {c.beside}}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "servers.json")
	return path, os.WriteFile(path, raw, 0o600)
}

// listed has all servers listed: on a busy machine one that is slow would be left for later, and its tools be missing.
func listed(ctx context.Context, at string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, at, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func ready(ctx context.Context, p *child.Process, at string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
		if err != nil {
			return err
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-tick.C:
		case <-p.Done():
			return fmt.Errorf("the product ended at once: %s", p.Log())
		case <-ctx.Done():
			return errors.Join(ctx.Err(), errors.New(p.Log()))
		}
	}
}

// addresses are two that nobody listens on now.
func addresses() (door, admin string, err error) {
	one, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", err
	}
	defer one.Close()
	two, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", err
	}
	defer two.Close()
	return one.Addr().String(), two.Addr().String(), nil
}

// serveShim turns the client's calls into calls through call_write_tool. The client's own parameter headers are taken
// away: those that arrive are then the product's.
func serveShim(origin, aggregate string) (end func(), at string, err error) {
	search, err := url.Parse(origin + "/mcp/search")
	if err != nil {
		return nil, "", err
	}
	list, err := url.Parse(origin + aggregate)
	if err != nil {
		return nil, "", err
	}
	shim := inverseshim.New(search, list)
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	server := &http.Server{ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			if strings.HasPrefix(name, "Mcp-Param-") {
				r.Header.Del(name)
			}
		}
		shim.ServeHTTP(w, r)
	})}
	go func() { _ = server.Serve(lis) }() // ends with Close
	return func() { _ = server.Close() }, "http://" + lis.Addr().String() + "/", nil
}
