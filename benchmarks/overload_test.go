package benchmarks

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/child"
)

// TestHealthIsAnsweredWhileAllIsFull: one request is all that the binary takes, and it doesn't end.
func TestHealthIsAnsweredWhileAllIsFull(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the binary")
	}
	came, stuck := make(chan struct{}, 10), make(chan struct{})
	up := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		came <- struct{}{}
		select {
		case <-stuck:
		case <-r.Context().Done():
		}
	}))
	defer up.Close()
	defer close(stuck)
	door, admin := free(t), free(t)
	p, err := child.Start(t.Context(), child.Spec{Path: built(t), Args: []string{"serve", "--upstream", up.URL, "--listen", door, "--extproc-listen", "off",
		"--admin-listen", admin, "--log-level", "warn", "--max-requests", "1", "--max-listings", "1", "--max-waiting-listings", "1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(5 * time.Second)
	awaitReady(t, p, admin)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	defer func() { cancel(); <-ended }()
	go func() {
		defer close(ended)
		if resp, err := http.DefaultClient.Do(toolsList(t, ctx, door)); err == nil {
			_ = resp.Body.Close() // it was cancelled with the test
		}
	}()
	select {
	case <-came:
	case <-p.Done():
		t.Fatalf("the binary ended:\n%s", p.Log())
	}
	resp, err := http.DefaultClient.Do(toolsList(t, t.Context(), door))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Fatalf("one request more: HTTP %d, %v", resp.StatusCode, resp.Header)
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		if code := status(t.Context(), "http://"+admin+path); code != http.StatusOK {
			t.Errorf("%s: HTTP %d while all is full", path, code)
		}
	}
	if n := scraped(t, "http://"+admin+"/metrics", `mcp_toolsearch_limit_reached_total{limit="requests"}`); n != 1 {
		t.Errorf("%v requests are counted as refused", n)
	}
}

func toolsList(t *testing.T, ctx context.Context, door string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+door+"/mcp/all", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"}}
	return req
}
