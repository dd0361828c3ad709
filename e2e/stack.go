package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mcp-toolsearch/internal/child"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/setup"
)

// patience bounds every wait for a part to start or to react.
const patience = 30 * time.Second

// EverythingServer is the package of the SDK's own conformance server.
const EverythingServer = "github.com/modelcontextprotocol/go-sdk/conformance/everything-server"

// EverythingClient is the package of the SDK's own conformance client.
const EverythingClient = "github.com/modelcontextprotocol/go-sdk/conformance/everything-client"

// Chain is the package of the program that puts the product between the suite's client and its server.
const Chain = "mcp-toolsearch/e2e/chain"

// AuthServer is the package of the authorization server.
const AuthServer = "mcp-toolsearch/e2e/authserver"

// Sidecar is the package of the product's program.
const Sidecar = "mcp-toolsearch/cmd/mcp-toolsearch"

// Programs builds programs, each once, into a folder that Close removes.
type Programs struct {
	dir   string
	mu    sync.Mutex
	built map[string]string
}

// NewPrograms makes the folder.
func NewPrograms() (*Programs, error) {
	dir, err := os.MkdirTemp("", "e2e-")
	return &Programs{dir: dir, built: map[string]string{}}, err
}

// Close removes what was built.
func (p *Programs) Close() error { return os.RemoveAll(p.dir) }

// Build builds the program of a package, or says where it was built before. In the place of the sidecar is a wrapper that
// records what it writes ([Programs.Recorded]).
func (p *Programs) Build(t testing.TB, pkg string) string {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if path, ok := p.built[pkg]; ok {
		return path
	}
	root, err := setup.Root()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(p.dir, filepath.Base(pkg))
	out := path
	if pkg == Sidecar {
		out = path + ".program"
	}
	cmd := exec.Command("go", "build", "-o", out, pkg)
	cmd.Dir = root
	if pkg == AuthServer { // a module of its own
		cmd.Dir, cmd.Args[len(cmd.Args)-1] = filepath.Join(root, "e2e", "authserver"), "."
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	if pkg == Sidecar {
		if err := wrap(path, out); err != nil {
			t.Fatal(err)
		}
	}
	p.built[pkg] = path
	return path
}

// Options say what a stack is made of.
type Options struct {
	// Program is the built sidecar (Programs.Build).
	Program string
	// Envoy is the version to run (fixtures.Envoys).
	Envoy string
	// Pairs are the routes.
	Pairs []envoy.Pair
	// Flags are further flags of the sidecar.
	Flags []string
	// Config changes Envoy's configuration before it starts; may be nil.
	Config func(*envoy.Config)
	// Rendered changes the configuration's text; may be nil.
	Rendered func(config string) string
}

// Stack is a running Envoy with a running sidecar.
type Stack struct {
	// Envoy is the running Envoy.
	Envoy *envoy.Envoy

	t       testing.TB
	o       Options
	extproc string // host:port
	admin   string // host:port
	sidecar *child.Process
	logs    []string // of sidecars that have ended
}

// Start starts Envoy and the sidecar, and returns when the search routes answer. Both end with the test.
func Start(t testing.TB, o Options) *Stack {
	t.Helper()
	s := &Stack{t: t, o: o, extproc: FreeAddress(t), admin: FreeAddress(t)}
	c := envoy.Default()
	c.Listen, c.AdminPort, c.Sidecar, c.Pairs = "127.0.0.1:0", 0, envoy.Address(s.extproc), o.Pairs
	if o.Config != nil {
		o.Config(&c)
	}
	config, err := envoy.Render(c)
	if err != nil {
		t.Fatal(err)
	}
	if o.Rendered != nil {
		config = []byte(o.Rendered(string(config)))
	}
	s.Envoy, err = envoy.Start(context.Background(), fixtures.Envoy(t, o.Envoy), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	s.StartSidecar()
	return s
}

// close ends everything and prints the logs when the test failed.
func (s *Stack) close() {
	s.KillSidecar()
	s.Envoy.Close()
	if s.t.Failed() {
		s.t.Logf("the sidecar's log:\n%s", strings.Join(s.logs, "--- restarted ---\n"))
		s.t.Logf("Envoy's log:\n%s", s.Envoy.Log())
	}
}

// URL is the address of a path on Envoy.
func (s *Stack) URL(path string) string { return s.Envoy.URL(path) }

// Metrics is the sidecar's metrics page.
func (s *Stack) Metrics() string {
	s.t.Helper()
	resp, err := http.Get("http://" + s.admin + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(body)
}

// SidecarLog is what the running sidecar has printed.
func (s *Stack) SidecarLog() string { return s.sidecar.Log() }

// StartSidecar starts the sidecar, on the same addresses as before, and returns when Envoy uses it.
func (s *Stack) StartSidecar() {
	s.t.Helper()
	args := []string{"serve", "--upstream", "http://" + s.Envoy.Addr(), "--extproc-listen", s.extproc, "--admin-listen", s.admin}
	for _, p := range s.o.Pairs {
		args = append(args, "--routes", p.Search+"="+p.Aggregate)
	}
	var err error
	s.sidecar, err = child.Start(context.Background(), child.Spec{Path: s.o.Program, Args: append(args, s.o.Flags...)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.Until("the sidecar answers on the search routes", func() bool {
		if s.sidecar.Exited() {
			s.t.Fatalf("the sidecar ended at once: %v\n%s", s.sidecar.Wait(), s.sidecar.Log())
		}
		for _, p := range s.o.Pairs {
			if s.listStatus(p.Search) != http.StatusOK {
				return false
			}
		}
		return true
	})
}

// listStatus is the HTTP status of a tools/list on a search route, 0 when there is no answer.
func (s *Stack) listStatus(path string) int {
	resp, err := http.Post(s.URL(path), "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":"ready","method":"tools/list"}`))
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0
	}
	return resp.StatusCode
}

// KillSidecar ends the sidecar at once, as SIGKILL does.
func (s *Stack) KillSidecar() {
	if s.sidecar == nil {
		return
	}
	KeepPages(s.o.Program, "http://"+s.admin)
	s.sidecar.Kill()
	s.logs = append(s.logs, s.sidecar.Log())
	s.sidecar = nil
}

// DumpSidecar has the sidecar print what all its goroutines do, which ends it (SIGQUIT), and returns what it printed.
func (s *Stack) DumpSidecar() string {
	s.t.Helper()
	if err := s.sidecar.Signal(syscall.SIGQUIT); err != nil {
		s.t.Fatal(err)
	}
	<-s.sidecar.Done()
	s.Until("the dump is printed", func() bool { return strings.Contains(s.sidecar.Log(), "SIGQUIT: quit") })
	defer s.KillSidecar()
	return s.sidecar.Log()
}

// StopSidecar ends the sidecar as an orderly shutdown does (SIGTERM, then up to patience).
func (s *Stack) StopSidecar() {
	s.sidecar.Stop(patience)
	s.KillSidecar()
}

// Until polls until ok is true; after patience the test fails.
func (s *Stack) Until(what string, ok func() bool) {
	s.t.Helper()
	Until(s.t, what, ok)
}

// Until polls until ok is true; after half a minute the test fails.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	poll(t, patience, 20*time.Millisecond, what, ok)
}

// Slowly polls as Until does, for what takes long on a busy machine: five times as long, and less often.
func Slowly(t testing.TB, what string, ok func() bool) {
	t.Helper()
	poll(t, 5*patience, 500*time.Millisecond, what, ok)
}

func poll(t testing.TB, most, every time.Duration, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(every)
	defer tick.Stop()
	deadline := time.After(most)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not within %s: %s", most, what)
		}
	}
}

// Serve serves an upstream for the length of the test and returns its address.
func Serve(t testing.TB, h http.Handler) envoy.Address {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return envoy.Address(web.Listener.Addr().String())
}

// Run runs a built program for the length of the test; its log is printed when the test failed.
func Run(t testing.TB, path string, args ...string) *child.Process {
	t.Helper()
	return RunIn(t, nil, path, args...)
}

// RunIn runs a program as Run does, with additions to its environment.
func RunIn(t testing.TB, env map[string]string, path string, args ...string) *child.Process {
	t.Helper()
	spec := child.Spec{Path: path, Args: args}
	for name, value := range env {
		spec.Env = append(spec.Env, name+"="+value)
	}
	p, err := child.Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("%s printed:\n%s", filepath.Base(path), p.Log())
		}
	})
	return p
}

// FreeAddress is a loopback address that nobody listens on now.
func FreeAddress(t testing.TB) string {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer lis.Close()
	return fmt.Sprint(lis.Addr())
}
