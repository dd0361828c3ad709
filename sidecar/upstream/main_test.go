package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/caller"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	token     = "Bearer s3cret-token-value"
	challenge = `Bearer realm="s3cret-realm", error="invalid_token"`
)

// tool is a raw tool whose bytes an SDK would change: key order, big integers,
// a hint of the wrong type, an unknown member.
func tool(name string) string {
	return fmt.Sprintf(`{"x-vendor":{"n":9007199254740993,"f":1.0},"name":%q,"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"true"}}`, name)
}

func tools(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = tool(fmt.Sprintf("tool_%02d", i))
	}
	return all
}

func newClient(t *testing.T, change func(*Options)) *Client {
	t.Helper()
	o := Options{Version: "1.2.3", ListTimeout: 10 * time.Second}
	if change != nil {
		change(&o)
	}
	c := New(o)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func who(t *testing.T, authorization string) caller.Caller {
	t.Helper()
	id, err := caller.NewIdentifier(nil)
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	if authorization != "" {
		h.Set("Authorization", authorization)
	}
	return id.Identify(h)
}

func list(t *testing.T, c *Client, up *upstreamtest.Server) (*Listing, error) {
	t.Helper()
	return c.List(t.Context(), Target{URL: up.URL()}, who(t, token), ListOptions{})
}

func joined(l *Listing) string {
	var b strings.Builder
	for _, t := range l.Tools {
		b.Write(t)
		b.WriteByte('\n')
	}
	return b.String()
}

// mustKind demands an *Error of a kind, and that nothing secret is in it
// however it is printed.
func mustKind(t *testing.T, err error, kind Kind) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != kind {
		t.Fatalf("error = %v, want kind %v", err, kind)
	}
	noSecrets(t, err)
	return e
}

func noSecrets(t *testing.T, err error) {
	t.Helper()
	for _, text := range []string{err.Error(), fmt.Sprintf("%v", err), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)} {
		for _, secret := range []string{"s3cret", "127.0.0.1"} {
			if strings.Contains(text, secret) {
				t.Errorf("the error prints %q", secret)
			}
		}
	}
}

// until polls a condition that another goroutine makes true.
func until(t *testing.T, up *upstreamtest.Server, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		changed := up.Changed()
		if ok() {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("never happened: %s", what)
		}
	}
}
