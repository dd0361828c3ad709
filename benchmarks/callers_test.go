package benchmarks

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"mcp-toolsearch/internal/child"
)

// tenants is an upstream that lists other tools for every caller: the same in kind, no two of the same content.
type tenants struct {
	list string // with {tenant} where the caller's name goes
}

func newTenants(tools int) *tenants {
	all := definitions(tools)
	for i, d := range all {
		all[i] = strings.Replace(d, `"description":"`, `"description":"{tenant} `, 1)
	}
	return &tenants{list: `{"tools":[` + strings.Join(all, ",") + `]}`}
}

func (u *tenants) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	result := `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tenants","version":"1"}}`
	if m.Method == "tools/list" {
		result = strings.ReplaceAll(u.list, "{tenant}", strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// crowd are many callers of one running binary.
type crowd struct {
	door      string
	served    atomic.Int64
	comeAgain atomic.Int64
}

// search asks as one caller until it is answered, as the answer says when it is told to come again.
func (c *crowd) search(ctx context.Context, caller string) error {
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":"list the open invoices of a customer"}}}`
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.door+"/mcp/search", strings.NewReader(body))
		if err != nil {
			return err
		}
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"},
			"Authorization": {"Bearer " + caller}}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		answer, err := io.ReadAll(resp.Body)
		if err = firstError(err, resp.Body.Close()); err != nil {
			return err
		}
		switch {
		case resp.StatusCode == http.StatusOK && strings.Contains(string(answer), caller+" ") && !strings.Contains(string(answer), `"isError":true`):
			c.served.Add(1)
			return nil
		case resp.StatusCode != http.StatusServiceUnavailable:
			return fmt.Errorf("HTTP %d: %.300s", resp.StatusCode, answer)
		}
		c.comeAgain.Add(1)
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil {
			return err
		}
		select {
		case <-time.After(time.Duration(seconds) * time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// taken is what serving a crowd took.
type taken struct {
	*crowd
	peakMiB    float64 // the most memory that the process had
	evicted    float64 // catalogs that left
	shortTimes float64 // how often memory was short, or a listing was not begun for it
}

// crowded serves so many callers with so many tools each, a third of them twice, and reports what that took.
func crowded(tb testing.TB, binary, limit string, callers, tools int) taken {
	tb.Helper()
	up := httptest.NewServer(newTenants(tools))
	defer up.Close()
	c := &crowd{door: free(tb)}
	admin := free(tb)
	p, err := child.Start(tb.Context(), child.Spec{Path: binary, Env: []string{"GOMEMLIMIT=" + limit}, Args: []string{"serve", "--upstream", up.URL,
		"--listen", c.door, "--extproc-listen", "off", "--admin-listen", admin, "--log-level", "warn"}})
	if err != nil {
		tb.Fatal(err)
	}
	defer p.Stop(5 * time.Second)
	awaitReady(tb, p, admin)
	g, ctx := errgroup.WithContext(tb.Context())
	g.SetLimit(64)
	for i := range callers {
		g.Go(func() error {
			if err := c.search(ctx, fmt.Sprintf("tenant%dx", i)); err != nil || i%3 != 0 {
				return err
			}
			return c.search(ctx, fmt.Sprintf("tenant%dx", i/2)) // evicted by now, or not
		})
	}
	if err := g.Wait(); err != nil {
		tb.Fatalf("%v\n%s", err, p.Log())
	}
	metrics := "http://" + admin + "/metrics"
	return taken{c, peak(tb, p.Pid()), scraped(tb, metrics, "mcp_toolsearch_catalog_evictions_total"), scraped(tb, metrics, `mcp_toolsearch_limit_reached_total{limit="memory"}`)}
}

func awaitReady(tb testing.TB, p *child.Process, admin string) {
	tb.Helper()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for status(tb.Context(), "http://"+admin+"/readyz") != http.StatusOK {
		select {
		case <-poll.C:
		case <-p.Done():
			tb.Fatalf("the binary ended:\n%s", p.Log())
		}
	}
}

// peak is the most memory that a process had, in MiB, as the kernel counts it.
func peak(tb testing.TB, pid int) float64 {
	tb.Helper()
	return kernelSays(tb, pid, "VmHWM:")
}

// scraped is one value of the binary's metrics.
func scraped(tb testing.TB, url, name string) float64 {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, url, nil)
	if err != nil {
		tb.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				tb.Fatal(err)
			}
			return v
		}
	}
	tb.Fatalf("there is no %s", name)
	return 0
}

// BenchmarkCallers serves 1,000 callers with 1,000 tools each, none of the same content, with a memory limit of 512 MiB.
func BenchmarkCallers(b *testing.B) {
	binary := built(b)
	for range b.N {
		began := time.Now()
		took := crowded(b, binary, "512MiB", 1000, 1000)
		if took.peakMiB >= 512 {
			b.Errorf("the process had %.0f MiB", took.peakMiB)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(time.Since(began).Seconds(), "s")
		b.ReportMetric(took.peakMiB, "peak_MiB")
		b.ReportMetric(took.evicted, "evicted")
		b.ReportMetric(took.shortTimes, "memory_short")
		b.ReportMetric(float64(took.served.Load()), "served")
		b.ReportMetric(float64(took.comeAgain.Load()), "come_again")
	}
}

// TestManyCallersFitByEvicting is the benchmark's small sister: their catalogs are several times what they may take.
func TestManyCallersFitByEvicting(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the binary")
	}
	if _, err := os.Stat(filepath.Join("/proc", "self", "status")); err != nil {
		t.Skipf("SKIP: memory is read from /proc, which is not here: %v", err)
	}
	took := crowded(t, built(t), "192MiB", 60, 500)
	if took.peakMiB >= 192 || took.evicted == 0 || took.served.Load() != 80 {
		t.Errorf("the process had %.0f MiB, %.0f catalogs left, %d searches were answered", took.peakMiB, took.evicted, took.served.Load())
	}
	t.Logf("%.0f MiB, %.0f catalogs left, memory was short %.0f times, %d were told to come again", took.peakMiB, took.evicted, took.shortTimes, took.comeAgain.Load())
}
