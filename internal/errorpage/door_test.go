package errorpage_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-toolsearch/internal/errorpage"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/relay"
)

// told is the last reason that a door gave.
type told struct {
	mu     sync.Mutex
	reason string
}

func (o *told) Decided(_ sidecar.Kind, l sidecar.Labels, _ time.Duration) { o.RelayFailed(l.Reason) }

func (o *told) RelayFailed(reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reason = reason
}

// broken is an upstream that can't be talked to.
type broken struct{ err error }

func (b broken) RoundTrip(*http.Request) (*http.Response, error) { return nil, b.err }

// page is an upstream with a gateway's own page.
type page struct{}

func (page) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusBadGateway, Header: http.Header{"Content-Type": {"text/html"}}, Body: io.NopCloser(strings.NewReader("<h1>")), Request: r}, nil
}

// slow is a body that doesn't come.
type slow struct{ io.Reader }

func (slow) Read([]byte) (int, error) { return 0, os.ErrDeadlineExceeded }

func one() string { return "one" }

func TestEveryRowOfTheDoorHappens(t *testing.T) {
	triggers := map[string]struct {
		change    func(*http.Request)
		transport http.RoundTripper
		bearer    func() string
	}{
		"host_refused":         {change: func(r *http.Request) { r.Host = "evil.example" }},
		"origin_refused":       {change: func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }},
		"loop":                 {change: func(r *http.Request) { r.Header.Set("Via", strings.Repeat("1.1 mcp-toolsearch-x,", 5)) }},
		"token_missing":        {bearer: one},
		"token_refused":        {bearer: one, change: func(r *http.Request) { r.Header.Set("Authorization", "Bearer other") }},
		"path_not_served":      {change: func(r *http.Request) { r.URL.Path = "/nowhere" }},
		"method_refused":       {change: func(r *http.Request) { r.Method = http.MethodPut }},
		"body_slow":            {change: func(r *http.Request) { r.Body = io.NopCloser(slow{}) }},
		"upstream_unreachable": {transport: broken{&net.OpError{Op: "dial", Err: errors.New("refused")}}},
		"certificate_refused":  {transport: broken{&net.OpError{Op: "remote error", Err: errors.New("tls: certificate required")}}},
		"upstream_timed_out":   {transport: broken{&net.OpError{Op: "dial", Err: context.DeadlineExceeded}}},
		"upstream_broke_off":   {transport: broken{io.ErrUnexpectedEOF}},
		"upstream_failed":      {transport: page{}},
	}
	for _, row := range errorpage.Door() {
		t.Run(row.Reason, func(t *testing.T) {
			tr, ok := triggers[row.Reason]
			if !ok {
				t.Fatal("no request shows that this row happens")
			}
			up := upstreamtest.New(t)
			o := &told{}
			door, err := relay.New(relay.Options{Engine: testdoor.Open(t, up, nil).Engine, Observer: o, Logger: slog.New(slog.DiscardHandler), Upstream: up.Origin(),
				Transport: tr.transport, Bearer: tr.bearer, Loopback: true, Routes: []sidecar.Route{{Search: testdoor.SearchPath, Aggregate: testdoor.AggregatePath}}})
			if err != nil {
				t.Fatal(err)
			}
			hr := httptest.NewRequest(http.MethodPost, "http://localhost"+testdoor.SearchPath, strings.NewReader(ping))
			if tr.change != nil {
				tr.change(hr)
			}
			w := httptest.NewRecorder()
			door.ServeHTTP(w, hr)
			text, code := words(t, w.Body.Bytes())
			if w.Code != row.Modern || code != row.Code || !fits(row.Text, text) || o.reason != row.Reason {
				t.Errorf("HTTP %d, code %d, reason %s, text %.300q; the row says %d, %d, %q", w.Code, code, o.reason, text, row.Modern, row.Code, row.Text)
			}
		})
	}
}
