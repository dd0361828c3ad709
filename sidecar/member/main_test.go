package member

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// token must never be printed.
const token = "Bearer s3cret-token-value"

// legacyClient and modernClient are clients with a key of their own.
func legacyClient(key string) Client {
	return Client{Era: wire.Legacy, Version: "2025-11-25", Key: key,
		Capabilities: []byte(`{"elicitation":{},"sampling":{},"roots":{}}`), Info: []byte(`{"name":"old","version":"1"}`)}
}

func modernClient(key string) Client {
	return Client{Era: wire.Modern, Version: wire.ModernVersion, Key: key,
		Capabilities: []byte(`{"elicitation":{"form":{}},"sampling":{},"roots":{}}`), Info: []byte(`{"name":"new","version":"1"}`)}
}

func clientOf(era wire.Era, key string) Client {
	if era == wire.Modern {
		return modernClient(key)
	}
	return legacyClient(key)
}

func newMember(t *testing.T, url string, change func(*Options)) *Member {
	t.Helper()
	o := Options{Server: servers.Server{Name: "mail", URL: url}, Version: "1.2.3"}
	if change != nil {
		change(&o)
	}
	m := New(o)
	t.Cleanup(m.Close)
	return m
}

func session(t *testing.T, m *Member, c Client, id string) *Session {
	t.Helper()
	s, err := m.Session(t.Context(), c, id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// body is a request in an era.
func body(era wire.Era, id, method, params string) []byte {
	if era == wire.Modern {
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},"sampling":{},"roots":{}},"io.modelcontextprotocol/clientInfo":{"name":"new","version":"1"}}`
		params = strings.TrimSpace(params)
		if params == "{}" || params == "" {
			params = "{" + meta + "}"
		} else {
			params = "{" + meta + "," + params[1:]
		}
	}
	if params == "" {
		params = "{}"
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

func call(era wire.Era, id, tool, arguments string) []byte {
	return body(era, id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
}

// post sends a message and reads the whole answer.
func post(t *testing.T, s *Session, message []byte) (status int, contentType, text string) {
	t.Helper()
	a, err := s.Post(t.Context(), message, http.Header{})
	if err != nil {
		t.Fatal(err)
	}
	return a.Status, a.Header.Get("Content-Type"), readAll(t, a)
}

func readAll(t *testing.T, a *Answer) string {
	t.Helper()
	defer a.Body.Close()
	raw, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func mustKind(t *testing.T, err error, kind upstream.Kind) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != kind {
		t.Fatalf("error = %v, want kind %v", err, kind)
	}
	noSecrets(t, err)
	return e
}

func noSecrets(t *testing.T, v any) {
	t.Helper()
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(format, v); strings.Contains(text, "s3cret") || strings.Contains(text, "127.0.0.1") {
			t.Errorf("%s prints a secret", format)
		}
	}
}

// until polls a condition that a request or another goroutine makes true.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never happened: %s", what)
		}
	}
}

// observed counts what an Observer is told.
type observed struct {
	mu                sync.Mutex
	resets, downs, up int
}

func (o *observed) SessionReset(string)        { o.mu.Lock(); o.resets++; o.mu.Unlock() }
func (o *observed) Down(string, upstream.Kind) { o.mu.Lock(); o.downs++; o.mu.Unlock() }
func (o *observed) Up(string)                  { o.mu.Lock(); o.up++; o.mu.Unlock() }

func (o *observed) counts() [3]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return [3]int{o.resets, o.downs, o.up}
}

func tool(name string) string {
	return fmt.Sprintf(`{"x-vendor":{"n":9007199254740993,"f":1.0},"name":%q,"inputSchema":{"type":"object"}}`, name)
}

func scripted(t *testing.T, eras upstreamtest.Eras, tools ...string) *upstreamtest.Server {
	t.Helper()
	up := upstreamtest.New(t, tools...)
	up.Configure(func(b *upstreamtest.Behaviour) { b.Eras = eras })
	return up
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
