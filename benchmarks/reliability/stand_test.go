package reliability_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-toolsearch/internal/child"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/fixtures"
)

// stand is the product between clients and the server, with taps on the connections that can be tapped.
type stand struct {
	t      testing.TB
	door   string // how the table names it
	url    string // of the search route
	server *server
	taps   map[string]*tap
	envoy  *envoy.Envoy // nil for the HTTP door

	program string
	args    []string
	env     []string
	admin   string

	mu      sync.Mutex
	product *child.Process
}

const (
	throughEnvoy = "Envoy"
	throughHTTP  = "HTTP door"
)

// behindEnvoy starts Envoy with the shipped configuration and the sidecar, and taps the connections from Envoy to the
// sidecar, from the sidecar to Envoy (it lists through it) and from Envoy to the server.
func behindEnvoy(t testing.TB, program string) *stand {
	t.Helper()
	s := &stand{t: t, door: throughEnvoy, server: newServer(ledger), program: program, admin: free(t), taps: map[string]*tap{}}
	extproc := free(t)
	s.taps["to the sidecar"] = newTap(t, extproc)
	s.taps["to the server"] = newTap(t, serve(t, s.server.handler()))
	s.startEnvoy(free(t), s.taps["to the sidecar"].addr(), nil)
	s.taps["of its listings"] = newTap(t, s.envoy.Addr())
	s.args = []string{"serve", "--upstream", "http://" + s.taps["of its listings"].addr(), "--extproc-listen", extproc, "--admin-listen", s.admin,
		"--log-level", "warn"}
	s.url = s.envoy.URL("/mcp/search")
	s.start()
	return s
}

// startEnvoy starts Envoy with the shipped configuration, changed where change is not nil.
func (s *stand) startEnvoy(listen, sidecar string, change func(string) string) {
	s.t.Helper()
	c := envoy.Default()
	c.Listen, c.AdminPort, c.Sidecar = envoy.Address(listen), 0, envoy.Address(sidecar)
	c.Pairs = []envoy.Pair{{Search: "/mcp/search", Aggregate: "/mcp/all", Upstream: envoy.Address(s.taps["to the server"].addr()), Rewrite: "/mcp"}}
	config, err := envoy.Render(c)
	if err != nil {
		s.t.Fatal(err)
	}
	if change != nil {
		config = []byte(change(string(config)))
	}
	versions := envoy.Versions()
	if s.envoy, err = envoy.Start(context.Background(), fixtures.Envoy(s.t, versions[len(versions)-1]), config); err != nil {
		s.t.Fatal(err)
	}
	running := s.envoy
	s.t.Cleanup(running.Close)
}

// setting is what a stand of the HTTP door has beside what all have; the zero value is nothing.
type setting struct {
	// servers changes the servers of the configuration.
	servers func(s *stand, all map[string]any)
	// shell is a command that runs first, with the product in a mount namespace of their own.
	shell string
	flags []string
}

// alone starts the HTTP door over two merged servers, and taps the connections from the clients and to the first one.
func alone(t testing.TB, program string, o setting) *stand {
	t.Helper()
	s := &stand{t: t, door: throughHTTP, server: newServer(ledger), program: program, admin: free(t), taps: map[string]*tap{}}
	door := free(t)
	s.taps["from the client"] = newTap(t, door)
	s.taps["to the server"] = newTap(t, serve(t, s.server.handler()))
	all := map[string]any{"ledger": map[string]any{"url": "http://" + s.taps["to the server"].addr() + "/mcp"},
		"other": map[string]any{"url": "http://" + serve(t, newServer("other").handler()) + "/mcp"}}
	if o.servers != nil {
		o.servers(s, all)
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": all})
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "servers.json")
	if err := os.WriteFile(config, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	s.args = append([]string{"serve", "--config", config, "--extproc-listen", "off", "--listen", door, "--admin-listen", s.admin, "--log-level", "warn"}, o.flags...)
	if o.shell != "" {
		s.args = append([]string{"--mount", "sh", "-c", o.shell + ` && exec "$0" "$@"`, s.program}, s.args...)
		s.program = "unshare"
	}
	s.url = "http://" + s.taps["from the client"].addr() + "/mcp"
	s.start()
	return s
}

// start starts the product; it doesn't wait until it is ready.
func (s *stand) start() {
	s.t.Helper()
	p, err := child.Start(context.Background(), child.Spec{Path: s.program, Args: s.args, Env: s.env})
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.product = p
	s.t.Cleanup(func() {
		p.Kill()
		if s.t.Failed() {
			s.t.Logf("the product printed:\n%.4000s", p.Log())
		}
	})
}

// kill ends the product as a crash does.
func (s *stand) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.product.Kill()
}

// recovered waits until requests succeed again, and says how long after since.
func (s *stand) recovered(c *client, k kind, since time.Time) time.Duration {
	s.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		o := c.do(s.t.Context(), k)
		if o.ok {
			return o.at.Add(o.took).Sub(since)
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%s: no %s succeeds within a minute of the fault: %s", s.door, k, o.said)
		}
		pause(5 * time.Millisecond)
	}
}

// pause lets a loop breathe between two attempts.
func pause(d time.Duration) { <-time.After(d) }

// gauges are the product's own figures.
func (s *stand) gauges() map[string]float64 {
	s.t.Helper()
	return metricsOf(s.t, s.admin)
}

func serve(t testing.TB, h http.Handler) string {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return strings.TrimPrefix(web.URL, "http://")
}

func free(t testing.TB) string {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer lis.Close()
	return lis.Addr().String()
}
