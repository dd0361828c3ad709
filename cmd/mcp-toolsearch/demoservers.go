package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	evaldata "mcp-toolsearch/search/testdata/eval"
	"mcp-toolsearch/sidecar/wire"
)

// demoServers are the made-up MCP servers of the demo, one at each path /NAME of one address on loopback. They speak MCP
// 2026-07-28, do nothing, and remember the issues that are made.
type demoServers struct {
	origin string
	tools  map[string][]demoTool // by server
	http   *http.Server
	done   chan struct{}

	mu     sync.Mutex
	issues []string
}

// demoTool is a tool as its server lists it.
type demoTool struct {
	Server      string          `json:"server"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
}

// raw is the tool in an answer to tools/list.
func (t demoTool) raw() string {
	hints := ""
	if len(t.Annotations) > 0 {
		hints = `,"annotations":` + string(t.Annotations)
	}
	return `{` + t.seen() + hints + `}`
}

// seen is what a model sees of the tool, without the braces.
func (t demoTool) seen() string {
	return fmt.Sprintf(`"name":%s,"description":%s,"inputSchema":%s`, wire.Quote(t.Name), wire.Quote(t.Description), t.InputSchema)
}

// startDemoServers serves until close.
func startDemoServers(ctx context.Context) (*demoServers, error) {
	d := &demoServers{tools: map[string][]demoTool{}, done: make(chan struct{})}
	lines := json.NewDecoder(bytes.NewReader(evaldata.Tools))
	for {
		var t demoTool
		if err := lines.Decode(&t); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("the demo's tools: %w", err)
		}
		d.tools[t.Server] = append(d.tools[t.Server], t)
	}
	var lc net.ListenConfig
	lis, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("the demo's servers need a port on 127.0.0.1: %w", err)
	}
	d.origin = "http://" + lis.Addr().String()
	d.http = &http.Server{Handler: d, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(d.done)
		_ = d.http.Serve(lis) // ends with close
	}()
	return d, nil
}

func (d *demoServers) close() {
	_ = d.http.Close() // only says that sockets were closed already
	<-d.done
}

// all are the tools of all servers.
func (d *demoServers) all() []demoTool {
	var all []demoTool
	for _, tools := range d.tools {
		all = append(all, tools...)
	}
	slices.SortFunc(all, func(a, b demoTool) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// config is the file that clients have, with these servers in it.
func (d *demoServers) config() ([]byte, error) {
	type server struct {
		URL string `json:"url"`
	}
	of := map[string]server{}
	for name := range d.tools {
		of[name] = server{d.origin + "/" + name}
	}
	return json.MarshalIndent(map[string]any{"mcpServers": of}, "", "  ")
}

// ServeHTTP implements [http.Handler].
func (d *demoServers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	tools, ok := d.tools[strings.TrimPrefix(r.URL.Path, "/")]
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<20))
	if !ok || err != nil || r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	m, fault := wire.Scan(body, wire.DefaultLimits())
	switch {
	case fault != nil:
		w.WriteHeader(http.StatusBadRequest)
		return
	case m.Kind != wire.Request:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	result := d.result(m, tools)
	if result == "" {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write(wire.ErrorBody(m.ID, wire.CodeMethodNotFound, "the demo has no such method", nil))
		return
	}
	_, _ = w.Write(wire.ResultBody(m.ID, wire.Modern, []byte(result)))
}

// result answers one request; "" where there is no such method.
func (d *demoServers) result(m *wire.Message, tools []demoTool) string {
	switch m.Method {
	case "server/discover":
		return `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"demo","version":"1"},"ttlMs":60000,"cacheScope":"public"}`
	case "tools/list":
		raw := make([]string, len(tools))
		for i, t := range tools {
			raw[i] = t.raw()
		}
		return `{"tools":[` + strings.Join(raw, ",") + `],"ttlMs":60000,"cacheScope":"public"}`
	case "tools/call":
		return string(wire.TextResult(d.run(m), false))
	}
	return ""
}

// run is what a call of a made-up tool says.
func (d *demoServers) run(m *wire.Message) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	arguments := m.Arguments.In(m.Body)
	switch m.Name {
	case "tallyboard_create_issue":
		d.issues = append(d.issues, string(wire.Compact(arguments)))
		return fmt.Sprintf("created DEMO-%d", len(d.issues))
	case "tallyboard_list_issues":
		lines := []string{fmt.Sprintf("open issues: %d", len(d.issues))}
		for i, issue := range d.issues {
			lines = append(lines, fmt.Sprintf("DEMO-%d %s", i+1, issue))
		}
		return strings.Join(lines, "\n")
	}
	return fmt.Sprintf("%s ran, made up, with %s", m.Name, wire.Compact(arguments))
}
