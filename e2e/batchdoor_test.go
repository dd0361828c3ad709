package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

// slowly is an upstream whose slow_report takes a while.
type slowly struct {
	up   *upstreamtest.Server
	took time.Duration
}

func (s slowly) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Mcp-Name") == "slow_report" {
		select {
		case <-time.After(s.took):
		case <-r.Context().Done():
			return
		}
	}
	s.up.ServeHTTP(w, r)
}

// batchDoor is a stack whose batches with a progress token go to the HTTP door.
func batchDoor(t testing.TB, version string, took time.Duration, change func(string) string) *e2e.Stack {
	up := upstreamtest.New(t, slowTool, `{"name":"fast_report","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{}}}`)
	door := e2e.FreeAddress(t)
	return e2e.Start(t, e2e.Options{Program: programs.Build(t, e2e.Sidecar), Envoy: version, Rendered: change,
		Pairs:  []envoy.Pair{{Search: "/mcp/search", Aggregate: "/mcp/all", Upstream: e2e.Serve(t, slowly{up, took}), Rewrite: "/mcp"}},
		Config: func(c *envoy.Config) { c.Door = envoy.Address(door) },
		Flags:  []string{"--listen", door, "--batch-door", "--log-level", "warn"}})
}

func reports(tool string, n int) map[string]any {
	items := make([]any, n)
	for i := range items {
		items[i] = map[string]any{"name": tool}
	}
	return map[string]any{"calls": items}
}

// batchRequest is a modern batch; with a token the client wants to hear of its progress.
func batchRequest(t testing.TB, s *e2e.Stack, arguments map[string]any, token bool) *http.Request {
	meta := map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{},
		"io.modelcontextprotocol/clientInfo": map[string]any{"name": "t", "version": "1"}}
	if token {
		meta["progressToken"] = "p"
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": "call_read_tools", "arguments": arguments, "_meta": meta}})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL("/mcp/search"), bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "call_read_tools"} {
		req.Header.Set(name, value)
	}
	return req
}

// batchAnswer is what came back, and when.
type batchAnswer struct {
	status   int
	first    time.Duration // of the first byte of the body
	took     time.Duration
	progress int
	text     string
	broke    error
}

func runBatch(t testing.TB, req *http.Request) batchAnswer {
	start := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return batchAnswer{broke: err, took: time.Since(start)}
	}
	defer resp.Body.Close()
	a := batchAnswer{status: resp.StatusCode}
	in := bufio.NewReader(resp.Body)
	_, _ = in.Peek(1)
	a.first = time.Since(start)
	all, err := io.ReadAll(in)
	a.took, a.broke, a.text = time.Since(start), err, string(all)
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		a.text = ""
		events := wire.NewEventReader(bytes.NewReader(all), 1<<24)
		for {
			ev, err := events.Next()
			if err != nil {
				break
			}
			if strings.Contains(string(ev.Data), "notifications/progress") {
				a.progress++
			} else {
				a.text = string(ev.Data)
			}
		}
	}
	return a
}

// TestABatchTellsItsProgressThroughTheBatchDoor holds docs/decisions/0003-batches-through-envoy.md: with a progress token a
// batch goes to the HTTP door, tells its progress while it runs and knows no message timeout; without one it is answered
// at once.
func TestABatchTellsItsProgressThroughTheBatchDoor(t *testing.T) {
	short := func(config string) string {
		config = strings.Replace(config, "max_message_timeout: 600s", "max_message_timeout: 1s", 1)
		return strings.Replace(config, "message_timeout: 10s", "message_timeout: 1s", 1)
	}
	for _, version := range fixtures.Envoys(t) {
		t.Run("Envoy "+version, func(t *testing.T) {
			s := batchDoor(t, version, 700*time.Millisecond, short)
			a := runBatch(t, batchRequest(t, s, reports("slow_report", 20), true))
			if a.status != http.StatusOK || a.broke != nil || a.progress != 20 || !strings.Contains(a.text, "[20] slow_report: ok") {
				t.Errorf("HTTP %d, %v, %d times progress: %.300s", a.status, a.broke, a.progress, a.text)
			}
			decided := sum(t, strings.Join(regexp.MustCompile(`(?m)^mcp_toolsearch_decisions_total\{.*meta_tool="call_read_tools".*$`).FindAllString(s.Metrics(), -1), "\n"), "mcp_toolsearch_decisions_total")
			if items := counter(t, s, "mcp_toolsearch_batch_items_total"); items != 20 || decided != 1 {
				t.Errorf("one batch of 20 is counted as %d batches with %d items", decided, items)
			}
			if a.first > a.took-700*time.Millisecond {
				t.Errorf("the first progress came after %s of %s", a.first, a.took)
			}
			if a = runBatch(t, batchRequest(t, s, reports("slow_report", 20), false)); a.status != http.StatusGatewayTimeout {
				t.Errorf("without a token the message timeout of a second gives HTTP %d after %s, want 504", a.status, a.took)
			}
			if a = runBatch(t, batchRequest(t, s, reports("fast_report", 3), false)); a.status != http.StatusOK || a.progress != 0 || !strings.HasPrefix(a.text, "{") {
				t.Errorf("without a token: HTTP %d, %d times progress, %.300s", a.status, a.progress, a.text)
			}
			s.KillSidecar()
			if a = runBatch(t, batchRequest(t, s, reports("fast_report", 3), true)); a.status != http.StatusServiceUnavailable {
				t.Errorf("without the sidecar HTTP %d, want 503", a.status)
			}
		})
	}
}

// BenchmarkBatchThroughEnvoy compares the two ways of a batch of three fast calls.
func BenchmarkBatchThroughEnvoy(b *testing.B) {
	s := batchDoor(b, fixtures.Envoys(b)[0], time.Second, nil)
	for name, token := range map[string]bool{"answered at once": false, "through the door": true} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				a := runBatch(b, batchRequest(b, s, reports("fast_report", 3), token))
				if !strings.Contains(a.text, "[3] fast_report: ok") {
					b.Fatalf("HTTP %d %s", a.status, a.text)
				}
				took = append(took, a.took)
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}
