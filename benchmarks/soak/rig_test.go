package soak_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-toolsearch/internal/child"
)

// commands is how many of the servers are local commands; the product starts those.
const commands = 2

// rig is the product with its servers.
type rig struct {
	t     *testing.T
	door  string // origin
	admin string // origin

	mu        sync.Mutex
	processes [servers]*child.Process // nil for commands
	addresses [servers]string
}

// start builds and starts everything.
func start(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, door: "http://" + free(t), admin: "http://" + free(t)}
	type entry struct {
		URL     string   `json:"url,omitempty"`
		Command string   `json:"command,omitempty"`
		Args    []string `json:"args,omitempty"`
		Auth    string   `json:"auth,omitempty"`
	}
	list := map[string]entry{}
	for i := range servers {
		if i < commands {
			list[nameOf(i)] = entry{Command: os.Args[0], Args: []string{upstreamWord, nameOf(i), "stdio"}}
			continue
		}
		r.addresses[i] = free(t)
		e := entry{URL: "http://" + r.addresses[i] + "/mcp"}
		if keepsSessions(i) {
			e.Auth = "caller" // clients without sessions then have one for each caller, not one for all
		}
		list[nameOf(i)] = e
		r.run(i)
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": list})
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "servers.json")
	if err := os.WriteFile(config, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	p := r.product(config)
	t.Cleanup(func() {
		p.Stop(10 * time.Second)
		if t.Failed() {
			t.Logf("the product's last words:\n%s", lastLines(p.Log(), 40))
		}
		for _, s := range r.processes {
			if s != nil {
				s.Kill()
			}
		}
	})
	return r
}

func (r *rig) product(config string) *child.Process {
	r.t.Helper()
	program := filepath.Join(r.t.TempDir(), "mcp-toolsearch")
	build, err := child.Start(r.t.Context(), child.Spec{Path: "go", Args: []string{"build", "-o", program, "mcp-toolsearch/cmd/mcp-toolsearch"}})
	if err != nil {
		r.t.Fatal(err)
	}
	if err := build.Wait(); err != nil {
		r.t.Fatalf("%v\n%s", err, build.Log())
	}
	p, err := child.Start(context.Background(), child.Spec{Path: program, Args: []string{"serve", "--config", config, "--share-caller-token",
		"--extproc-listen", "off", "--listen", strings.TrimPrefix(r.door, "http://"), "--admin-listen", strings.TrimPrefix(r.admin, "http://"), "--log-level", "warn"}})
	if err != nil {
		r.t.Fatal(err)
	}
	r.until("the product is ready", func() bool {
		if p.Exited() {
			r.t.Fatalf("the product ended at once: %s", p.Log())
		}
		resp, err := http.Get(r.admin + "/readyz")
		return err == nil && resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
	return p
}

func keepsSessions(i int) bool { return i%2 == 1 }

// run starts an HTTP server.
func (r *rig) run(i int) {
	args := []string{upstreamWord, nameOf(i), r.addresses[i]}
	if keepsSessions(i) {
		args = append(args, "sessions")
	}
	p, err := child.Start(context.Background(), child.Spec{Path: os.Args[0], Args: args})
	if err != nil {
		r.t.Error(err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.processes[i] = p
}

// kill ends a server as a crash does: one of those behind an address, or a command's process that the product started.
func (r *rig) kill(i int) {
	if i < commands {
		killCommand(nameOf(i))
		return
	}
	r.mu.Lock()
	p := r.processes[i]
	r.mu.Unlock()
	p.Kill()
}

// killCommand kills all processes of a command: the product's children that carry its name.
func killCommand(name string) {
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range found {
		line, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(line), upstreamWord+"\x00"+name+"\x00stdio") || !strings.HasPrefix(string(line), os.Args[0]) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()
			}
		}
	}
}

// killings kills servers at random and starts them again.
type killings struct {
	rig    *rig
	random *rand.Rand
	count  int

	mu   sync.Mutex
	last map[int]time.Time // when a server was last seen being killed or started
}

// run kills one every second or two, for the time given.
func (k *killings) run(ctx context.Context, until time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, until)
	defer cancel()
	for {
		if !pause(ctx, time.Second+time.Duration(k.random.Int64N(int64(2*time.Second)))) {
			return
		}
		i := k.random.IntN(servers)
		k.mark(i)
		k.rig.kill(i)
		k.count++
		if i >= commands {
			pause(ctx, time.Duration(k.random.Int64N(int64(time.Second)))) // some are down for a while
			k.rig.run(i)
		}
		k.mark(i)
	}
}

func (k *killings) mark(i int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last[i] = time.Now()
}

// explains tells whether a call failed because its server was killed while it ran, or not long before.
func (k *killings) explains(o outcome) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	last, ever := k.last[o.server]
	return ever && last.Add(aftermath).After(o.at)
}

// ago says when the server of a call was killed last.
func (k *killings) ago(o outcome) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if last, ever := k.last[o.server]; ever {
		return fmt.Sprintf("last %s before the call", o.at.Sub(last).Round(time.Millisecond))
	}
	return "never"
}

func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (r *rig) until(what string, ok func() bool) {
	r.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			r.t.Fatalf("not within a minute: %s", what)
		}
	}
}

// used is what the product uses.
type used struct{ goroutines, files, memory float64 }

func (u used) String() string {
	return fmt.Sprintf("%.0f goroutines, %.0f files, %.1f MiB", u.goroutines, u.files, u.memory/(1<<20))
}

var metric = regexp.MustCompile(`(?m)^(go_goroutines|process_open_fds|go_memstats_heap_inuse_bytes) (\S+)$`)

// now reads the product's own metrics.
func (r *rig) now() (used, error) {
	resp, err := http.Get(r.admin + "/metrics")
	if err != nil {
		return used{}, err
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		return used{}, err
	}
	values := map[string]float64{}
	for _, m := range metric.FindAllStringSubmatch(string(page), -1) {
		if values[m[1]], err = strconv.ParseFloat(m[2], 64); err != nil {
			return used{}, err
		}
	}
	return used{values["go_goroutines"], values["process_open_fds"], values["go_memstats_heap_inuse_bytes"]}, nil
}

// settled is what the product uses when nobody asks it anything.
func (r *rig) settled() used {
	r.t.Helper()
	u, err := r.now()
	if err != nil || u.goroutines == 0 || u.files == 0 {
		r.t.Fatalf("the metrics say %v, %v", u, err)
	}
	return u
}

// givenBack holds that what the clients used is given back when they have left.
func (r *rig) givenBack(idle used) {
	r.t.Helper()
	var last used
	// Each HTTP server may keep a few connections, each with two goroutines; each command its process.
	const connections = 8 * servers
	deadline := time.Now().Add(time.Minute)
	r.until("what the clients used is given back", func() bool {
		last, _ = r.now()
		ok := last.goroutines <= idle.goroutines+2*connections && last.files <= idle.files+connections
		if !ok && time.Now().After(deadline.Add(-time.Second)) {
			r.t.Fatalf("idle at the start: %s; now: %s", idle, last)
		}
		return ok
	})
	r.t.Logf("idle at the start: %s; at the end: %s", idle, last)
}

// watch looks at what the product uses while the clients work.
type watch struct {
	rig     *rig
	samples []used
}

func (w *watch) run(ctx context.Context, length time.Duration) {
	for pause(ctx, length/120) {
		if u, err := w.rig.now(); err == nil {
			w.samples = append(w.samples, u)
		}
	}
}

// judge compares the last quarter of the samples with the second one: by then everything has been used once.
func (w *watch) judge(t *testing.T) {
	t.Helper()
	quarter := len(w.samples) / 4
	if quarter < 5 {
		t.Fatalf("%d samples", len(w.samples))
	}
	early, late := median(w.samples[quarter:2*quarter]), median(w.samples[3*quarter:])
	t.Logf("in the second quarter: %s; in the last: %s", early, late)
	if late.goroutines > early.goroutines*1.25+50 || late.files > early.files*1.25+50 || late.memory > early.memory*1.25+(16<<20) {
		t.Errorf("it grows: %s in the second quarter, %s in the last", early, late)
	}
}

func median(all []used) used {
	of := func(value func(used) float64) float64 {
		values := make([]float64, len(all))
		for i, u := range all {
			values[i] = value(u)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return used{of(func(u used) float64 { return u.goroutines }), of(func(u used) float64 { return u.files }), of(func(u used) float64 { return u.memory })}
}

func free(t *testing.T) string {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer lis.Close()
	return lis.Addr().String()
}

func lastLines(text string, n int) string {
	all := strings.Split(text, "\n")
	return strings.Join(all[max(0, len(all)-n):], "\n")
}
