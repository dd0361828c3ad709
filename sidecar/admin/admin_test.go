package admin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-toolsearch/sidecar/admin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func listen(t *testing.T, metrics http.Handler) *admin.Server {
	t.Helper()
	s, err := admin.Listen(t.Context(), "127.0.0.1:0", admin.Options{Metrics: metrics, Refresh: nothing, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// nothing refreshes nothing.
func nothing(context.Context) (any, error) {
	return nil, errors.New("each caller's tools are listed as that caller")
}

var numbers = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "numbers 1") })

func get(t *testing.T, s *admin.Server, method, path string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.Addr().String()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, strings.TrimSpace(string(body))
}

func TestThreePagesAndNoMore(t *testing.T) {
	s := listen(t, numbers)
	s.SetReady(true)
	for path, want := range map[string]string{"/healthz": "200 ok", "/readyz": "200 ready", "/metrics": "200 numbers 1", "/": "404 404 page not found", "/debug/pprof/": "404 404 page not found"} {
		if code, body := get(t, s, http.MethodGet, path); fmt.Sprintf("%d %s", code, body) != want {
			t.Errorf("GET %s: %d %s, want %s", path, code, body, want)
		}
	}
	if code, _ := get(t, s, http.MethodPost, "/readyz"); code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", code)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestProfilesAreServedWhenAskedFor(t *testing.T) {
	s, err := admin.Listen(t.Context(), "127.0.0.1:0", admin.Options{Metrics: numbers, Refresh: nothing, Pprof: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/debug/pprof/": 200, "/debug/pprof/goroutine?debug=2": 200, "/debug/pprof/heap": 200, "/debug/pprof/cmdline": 404, "/debug/pprof/symbol": 404} {
		if code, body := get(t, s, http.MethodGet, path); code != want {
			t.Errorf("GET %s: %d, want %d: %.100s", path, code, want, body)
		}
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestReadyEndsWithTheDrain(t *testing.T) {
	s := listen(t, numbers)
	if code, _ := get(t, s, http.MethodGet, "/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("before serving: %d", code)
	}
	s.SetReady(true)
	if code, _ := get(t, s, http.MethodGet, "/readyz"); code != http.StatusOK {
		t.Errorf("while serving: %d", code)
	}
	s.SetReady(false)
	if code, body := get(t, s, http.MethodGet, "/readyz"); code != http.StatusServiceUnavailable || body != "not ready" {
		t.Errorf("while draining: %d %s", code, body)
	}
	if code, _ := get(t, s, http.MethodGet, "/healthz"); code != http.StatusOK {
		t.Errorf("a drain is no reason to be killed: %d", code)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if code, _ := get(t, s, http.MethodGet, "/healthz"); code != 0 {
		t.Errorf("after the end: %d", code)
	}
	if err, ok := <-s.Failed(); ok {
		t.Errorf("a good end is reported as %v", err)
	}
}

func TestARequestUnderWayIsFinished(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-leave
		fmt.Fprintln(w, "late")
	}))
	answers := make(chan string, 1)
	go func() {
		_, body := get(t, s, http.MethodGet, "/metrics")
		answers <- body
	}()
	<-entered
	ended := make(chan error, 1)
	go func() { ended <- s.Shutdown(context.Background()) }()
	close(leave)
	if body := <-answers; body != "late" {
		t.Errorf("answer %q", body)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAnEndWithoutPatienceEndsInTime(t *testing.T) {
	entered := make(chan struct{})
	s := listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
	}))
	client := make(chan struct{})
	go func() {
		defer close(client)
		get(t, s, http.MethodGet, "/metrics")
	}()
	<-entered
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Shutdown(ctx); err == nil {
		t.Error("no error although a request was cut off")
	}
	<-client
}

func TestAnAddressThatIsTaken(t *testing.T) {
	s := listen(t, numbers)
	defer func() { _ = s.Shutdown(t.Context()) }()
	_, err := admin.Listen(t.Context(), s.Addr().String(), admin.Options{Metrics: numbers, Refresh: nothing, Logger: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), "choose another --admin-listen") {
		t.Errorf("error %v", err)
	}
}

func TestARefreshSaysWhatThereIs(t *testing.T) {
	s, err := admin.Listen(t.Context(), "127.0.0.1:0", admin.Options{Metrics: numbers, Logger: slog.New(slog.DiscardHandler),
		Refresh: func(context.Context) (any, error) { return map[string]int{"tools": 3}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	if code, body := get(t, s, http.MethodPost, "/refresh"); code != http.StatusOK || body != `{"tools":3}` {
		t.Errorf("%d %s", code, body)
	}
	if code, _ := get(t, s, http.MethodGet, "/refresh"); code != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", code)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.Addr().String()+"/refresh", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", "http://localhost")
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("from a page: %d", resp.StatusCode)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	other := listen(t, numbers)
	if code, body := get(t, other, http.MethodPost, "/refresh"); code != http.StatusConflict || body != "each caller's tools are listed as that caller" {
		t.Errorf("where there is nothing to refresh: %d %s", code, body)
	}
	if err := other.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
