package benchmarks

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/child"
	"mcp-toolsearch/internal/evalcatalog"
	"mcp-toolsearch/internal/upstreamtest"
)

// built builds the binary as make build does, without its version.
func built(b testing.TB) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "mcp-toolsearch")
	p, err := child.Start(b.Context(), child.Spec{Path: "go", Env: []string{"CGO_ENABLED=0"},
		Args: []string{"build", "-trimpath", "-ldflags", "-s -w", "-o", path, "mcp-toolsearch/cmd/mcp-toolsearch"}})
	if err != nil {
		b.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		b.Fatalf("the binary was not built: %v\n%s", err, p.Log())
	}
	return path
}

// free is an address nobody listens on.
func free(b testing.TB) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// server is the running binary and the time from its start to ready.
type server struct {
	process *child.Process
	door    string
	ready   time.Duration
}

func start(b *testing.B, binary, upstream string) server {
	b.Helper()
	door, admin := free(b), free(b)
	began := time.Now()
	p, err := child.Start(b.Context(), child.Spec{Path: binary, Args: []string{"serve", "--upstream", upstream, "--listen", door,
		"--extproc-listen", free(b), "--admin-listen", admin}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.Context(), 20*time.Second)
	defer cancel()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for status(ctx, "http://"+admin+"/readyz") != http.StatusOK {
		select {
		case <-poll.C:
		case <-p.Done():
			b.Fatalf("the binary ended:\n%s", p.Log())
		case <-ctx.Done():
			b.Fatalf("not ready in time:\n%s", p.Log())
		}
	}
	return server{process: p, door: door, ready: time.Since(began)}
}

// status is the status of a GET, 0 when there is no answer.
func status(ctx context.Context, url string) int {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// search asks over the HTTP door; the first one lists the upstream and builds its index.
func (s server) search(b *testing.B, query string) {
	b.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":%q}}}`, query)
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "http://"+s.door+"/mcp/search", strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"}}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(answer), "invoice") || strings.Contains(string(answer), `"isError":true`) {
		b.Fatalf("the search was not answered: %d %.300s (%v)", resp.StatusCode, answer, err)
	}
}

// resident is the memory of a process in MiB, as the kernel counts it: the binary's own pages in use are part of it.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	return kernelSays(b, pid, "VmRSS:")
}

// kernelSays is a line of a process's status, in MiB.
func kernelSays(b testing.TB, pid int, name string) float64 {
	b.Helper()
	said, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skipf("memory is read from /proc, which is not here: %v", err)
	}
	for line := range strings.Lines(string(said)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == name {
			kib, err := strconv.Atoi(f[1])
			if err != nil {
				b.Fatal(err)
			}
			return float64(kib) / 1024
		}
	}
	b.Fatalf("/proc says nothing of %s", name)
	return 0
}

func definitions(n int) []string {
	var raw []string
	for _, t := range evalcatalog.Generate(n, seed) {
		raw = append(raw, string(t.Definition()))
	}
	return raw
}

// BenchmarkProcess measures the built binary: its size, the time to ready (the middle of five starts), and its memory when
// ready and after the first search of 500 tools.
func BenchmarkProcess(b *testing.B) {
	binary := built(b)
	info, err := os.Stat(binary)
	if err != nil {
		b.Fatal(err)
	}
	up := upstreamtest.New(b, definitions(500)...)
	var times []time.Duration
	var ready, searched []float64
	for range 5 {
		s := start(b, binary, up.Origin())
		times = append(times, s.ready)
		ready = append(ready, resident(b, s.process.Pid()))
		s.search(b, "list the open invoices of a customer")
		searched = append(searched, resident(b, s.process.Pid()))
		s.process.Stop(5 * time.Second)
	}
	for range b.N { // the figures don't depend on N
	}
	slices.Sort(times)
	slices.Sort(ready)
	slices.Sort(searched)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(info.Size())/(1<<20), "binary_MiB")
	b.ReportMetric(float64(times[2].Microseconds())/1000, "ready_ms")
	b.ReportMetric(ready[2], "ready_MiB")
	b.ReportMetric(searched[2], "searched_MiB")
}
