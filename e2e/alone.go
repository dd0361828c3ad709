package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/child"
	"mcp-toolsearch/internal/envoy"
)

// Alone starts the sidecar as an HTTP door without Envoy, in front of the server at path of upstream. Its search route is
// /mcp/search. It returns the door's origin when the door is ready.
func Alone(t testing.TB, program string, upstream envoy.Address, path string, flags ...string) string {
	t.Helper()
	return Standalone(t, program, append([]string{"--upstream", "http://" + string(upstream), "--routes", "/mcp/search=" + path}, flags...)...).Origin
}

// Server is a server of an mcpServers file.
type Server struct {
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Timeout string            `json:"timeout,omitempty"`
	Prefix  string            `json:"prefix,omitempty"`
	Auth    string            `json:"auth,omitempty"`
}

// Merge starts the sidecar without a gateway, with these servers in an mcpServers file, and returns when it is ready.
func Merge(t testing.TB, program string, list map[string]Server, flags ...string) *Door {
	t.Helper()
	return MergeAt(t, program, FreeAddress(t), list, flags...)
}

// MergeAt does what Merge does, at an address (host:port) that is known before.
func MergeAt(t testing.TB, program, door string, list map[string]Server, flags ...string) *Door {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"mcpServers": list})
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "servers.json")
	if err := os.WriteFile(config, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return standalone(t, program, door, append([]string{"--config", config}, flags...)...)
}

// Door is a running sidecar with an HTTP door and no Envoy.
type Door struct {
	*child.Process
	// Origin is where clients connect.
	Origin string
	// Ready is how long the start took.
	Ready time.Duration

	t     testing.TB
	admin string
}

// Standalone starts the sidecar with an HTTP door, and returns when it is ready. It ends with the test.
func Standalone(t testing.TB, program string, flags ...string) *Door {
	t.Helper()
	return standalone(t, program, FreeAddress(t), flags...)
}

func standalone(t testing.TB, program, door string, flags ...string) *Door {
	t.Helper()
	admin := FreeAddress(t)
	began := time.Now()
	args := []string{"serve", "--listen", door, "--extproc-listen", "off", "--admin-listen", admin}
	d := &Door{Process: Run(t, program, append(args, flags...)...), Origin: "http://" + door, t: t, admin: "http://" + admin}
	Until(t, "the door is ready", func() bool {
		if d.Exited() {
			t.Fatalf("the sidecar ended at once: %v\n%s", d.Wait(), strings.TrimSpace(d.Log()))
		}
		resp, err := http.Get(d.admin + "/readyz")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	d.Ready = time.Since(began)
	t.Cleanup(func() { KeepPages(program, d.admin) })
	return d
}

// Metrics is the sidecar's metrics page.
func (d *Door) Metrics() string {
	d.t.Helper()
	return d.Page("/metrics")
}

// Page is a page of the admin listener.
func (d *Door) Page(path string) string {
	d.t.Helper()
	resp, err := http.Get(d.admin + path)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(body)
}

// Refresh asks the admin listener to list again, and returns its status and answer.
func (d *Door) Refresh() (int, string) {
	d.t.Helper()
	resp, err := http.Post(d.admin+"/refresh", "application/json", nil)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}
