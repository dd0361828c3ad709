package stdio_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/stdio"
	"mcp-toolsearch/sidecar/wire"
)

// roleVariable makes the test's own program one of the servers below.
const roleVariable = "STDIO_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		serve(role)
		return
	}
	goleak.VerifyTestMain(m)
}

// rig is a transport for a scripted server.
type rig struct {
	*stdio.Transport
	log *record
}

func open(t *testing.T, role string, change ...func(*stdio.Options)) *rig {
	t.Helper()
	log := &record{}
	o := stdio.Options{
		Server:  servers.Server{Name: "scripted", Command: os.Args[0], Env: map[string]string{roleVariable: role, "GORACE": "atexit_sleep_ms=0"}},
		Environ: os.Environ(), Grace: 300 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, c := range change {
		c(&o)
	}
	r := &rig{Transport: stdio.New(o), log: log}
	t.Cleanup(r.Close)
	return r
}

// record is a log that can be read while it is written.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// request is a POST of a body as it is.
func request(t *testing.T, ctx context.Context, session, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://scripted/", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	return r
}

// modern is a POST of a body dressed for the modern era.
func modern(t *testing.T, ctx context.Context, body string) *http.Request {
	t.Helper()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
	switch {
	case strings.Contains(body, `"_meta":{`):
		body = strings.Replace(body, `"_meta":{`, meta+",", 1)
	case strings.Contains(body, `"params":{}`):
		body = strings.Replace(body, `"params":{`, `"params":{`+meta+"}", 1)
	case strings.Contains(body, `"params":{`):
		body = strings.Replace(body, `"params":{`, `"params":{`+meta+"},", 1)
	default:
		body = strings.TrimSuffix(body, "}") + `,"params":{` + meta + "}}}"
	}
	r := request(t, ctx, "", body)
	r.Header.Set("Mcp-Protocol-Version", wire.ModernVersion)
	return r
}

// answer is a read answer.
type answer struct {
	status int
	header http.Header
	body   string
	events []string
}

func (r *rig) do(t *testing.T, hr *http.Request) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(hr.Context(), 15*time.Second)
	defer cancel()
	resp, err := r.RoundTrip(hr.WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	return read(t, resp)
}

func read(t *testing.T, resp *http.Response) answer {
	t.Helper()
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, header: resp.Header}
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		a.body = string(raw)
		return a
	}
	events := wire.NewEventReader(resp.Body, 32<<20)
	for {
		ev, err := events.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		a.events = append(a.events, string(ev.Data))
		a.body = string(ev.Data)
	}
	return a
}

// session opens one.
func (r *rig) session(t *testing.T) string {
	t.Helper()
	a := r.do(t, request(t, t.Context(), "", initialize))
	if a.status != http.StatusOK || a.header.Get("Mcp-Session-Id") == "" {
		t.Fatalf("initialize: HTTP %d, %v, %s", a.status, a.header, a.body)
	}
	return a.header.Get("Mcp-Session-Id")
}

// call runs a tool in a session.
func (r *rig) call(t *testing.T, session, tool string) answer {
	t.Helper()
	return r.do(t, request(t, t.Context(), session, call("7", tool)))
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func call(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{},"_meta":{"progressToken":` + id + `}}}`
}

// has holds that an answer has a status and a text.
func (a answer) has(t *testing.T, status int, text string) {
	t.Helper()
	if a.status != status || !strings.Contains(a.body, text) {
		t.Errorf("HTTP %d, %.400s; want %d and %q", a.status, a.body, status, text)
	}
}

// eventually polls a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not within 10 s: %s", what)
		}
	}
}
