package envoy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mcp-toolsearch/internal/child"
)

// readyWithin is how long Envoy may take to start.
const readyWithin = 30 * time.Second

// Envoy is a running Envoy.
type Envoy struct {
	process *child.Process
	dir     string
	admin   string            // host:port
	listens map[string]string // listener name -> host:port
}

// Start runs the Envoy binary with this configuration and returns when it serves. ctx bounds its life.
func Start(ctx context.Context, binary string, config []byte) (*Envoy, error) {
	dir, err := os.MkdirTemp("", "envoy-")
	if err != nil {
		return nil, err
	}
	e := &Envoy{dir: dir}
	if err := e.start(ctx, binary, config); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

func (e *Envoy) start(ctx context.Context, binary string, config []byte) error {
	file, adminFile := filepath.Join(e.dir, "envoy.yaml"), filepath.Join(e.dir, "admin")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return err
	}
	var err error
	e.process, err = child.Start(ctx, child.Spec{Path: binary, Args: []string{
		"--config-path", file, "--admin-address-path", adminFile,
		"--disable-hot-restart", "--concurrency", "2", "--log-level", "warning",
	}})
	if err != nil {
		return err
	}
	if err := e.waitUntilReady(ctx, adminFile); err != nil {
		return fmt.Errorf("%w; it printed:\n%s", err, e.Log())
	}
	return nil
}

func (e *Envoy) waitUntilReady(ctx context.Context, adminFile string) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if e.ready(ctx, adminFile) {
			return nil
		}
		select {
		case <-tick.C:
		case <-e.process.Done():
			if err := e.process.Wait(); err != nil {
				return fmt.Errorf("envoy ended before it was ready: %w", err)
			}
			return errors.New("envoy ended before it was ready, without an error: is it really an Envoy?")
		case <-ctx.Done():
			return fmt.Errorf("envoy was not ready within %s: %w", readyWithin, ctx.Err())
		}
	}
}

// ready learns the admin address and the listeners' real ports; false as long as Envoy isn't serving.
func (e *Envoy) ready(ctx context.Context, adminFile string) bool {
	address, err := os.ReadFile(adminFile)
	if err != nil || len(address) == 0 {
		return false
	}
	e.admin = strings.TrimSpace(string(address))
	if _, err := e.Admin(ctx, "/ready"); err != nil {
		return false
	}
	body, err := e.Admin(ctx, "/listeners?format=json")
	if err != nil {
		return false
	}
	e.listens, err = listenerAddresses(body)
	return err == nil && len(e.listens) > 0
}

// listenerAddresses reads the answer of Envoy's admin path /listeners?format=json.
func listenerAddresses(body []byte) (map[string]string, error) {
	var listed struct {
		Statuses []struct {
			Name    string `json:"name"`
			Address struct {
				Socket struct {
					Address string `json:"address"`
					Port    int    `json:"port_value"`
				} `json:"socket_address"`
			} `json:"local_address"`
		} `json:"listener_statuses"`
	}
	if err := json.Unmarshal(body, &listed); err != nil {
		return nil, fmt.Errorf("read Envoy's list of listeners: %w", err)
	}
	all := map[string]string{}
	for _, s := range listed.Statuses {
		host := s.Address.Socket.Address
		if host == "0.0.0.0" {
			host = "127.0.0.1"
		}
		all[s.Name] = net.JoinHostPort(host, strconv.Itoa(s.Address.Socket.Port))
	}
	return all, nil
}

// Addr is the host:port where clients connect.
func (e *Envoy) Addr() string { return e.listens["mcp"] }

// URL is the address of a path on Envoy's listener.
func (e *Envoy) URL(path string) string { return "http://" + e.Addr() + path }

// Admin reads a path of Envoy's admin listener, for example /stats. An answer other than 200 is an error.
func (e *Envoy) Admin(ctx context.Context, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+e.admin+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask Envoy's admin listener: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("ask Envoy's admin listener: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("ask Envoy's admin listener for %s: it answered %d", path, resp.StatusCode)
	}
	return body, nil
}

// Stat is one of Envoy's counters or gauges; an error when there is none of this name.
func (e *Envoy) Stat(ctx context.Context, name string) (int64, error) {
	body, err := e.Admin(ctx, "/stats?format=text&filter="+name)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(body)) {
		if value, found := strings.CutPrefix(line, name+": "); found {
			return strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		}
	}
	return 0, fmt.Errorf("there is no Envoy statistic %q", name)
}

// Log is what Envoy has printed.
func (e *Envoy) Log() string {
	if e.process == nil {
		return ""
	}
	return e.process.Log()
}

// Close ends Envoy and removes its files. It may be called more than once.
func (e *Envoy) Close() {
	if e.process != nil {
		e.process.Kill()
	}
	os.RemoveAll(e.dir)
}

// Validate lets Envoy check a configuration without serving it (envoy --mode validate).
func Validate(ctx context.Context, binary string, config []byte) error {
	dir, err := os.MkdirTemp("", "envoy-validate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "envoy.yaml")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return err
	}
	p, err := child.Start(ctx, child.Spec{Path: binary, Args: []string{"--mode", "validate", "--config-path", file, "--log-level", "warning"}})
	if err != nil {
		return err
	}
	if err := p.Wait(); err != nil {
		return fmt.Errorf("%w: the configuration is refused:\n%s", err, p.Log())
	}
	return nil
}
