package servers_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-toolsearch/sidecar/servers"
)

// heard is a Watcher that writes down. Its reader waits for the bubble's other goroutines.
type heard struct{ said []string }

func (h *heard) Changed(list []servers.Server) {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.Name
	}
	h.said = append(h.said, strings.Join(names, " "))
}

func (h *heard) Refused(err error) {
	short, _, _ := strings.Cut(err.Error(), ": ")
	h.said = append(h.said, "refused "+filepath.Base(short))
}

const (
	onlyA   = "mcpServers: {a: {url: 'http://a/mcp'}}"
	both    = "mcpServers: {a: {url: 'http://a/mcp'}, b: {url: 'http://b/mcp'}}"
	callers = "mcpServers: {a: {url: 'http://a/mcp', auth: caller}, b: {url: 'http://b/mcp', auth: caller}}"
)

func opened(t *testing.T, path string) *servers.File {
	t.Helper()
	f, _, err := servers.Open(path, getenv, func(list []servers.Server) error { return servers.Check(list, false) })
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// watching plays steps, one every interval, and returns what was heard.
func watching(t *testing.T, steps ...func(path string) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp.yaml")
	if err := os.WriteFile(path, []byte(onlyA), 0o600); err != nil {
		t.Fatal(err)
	}
	var h heard
	synctest.Test(t, func(t *testing.T) {
		f := opened(t, path)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			f.Watch(ctx, time.Second, nil, &h)
		}()
		for _, step := range append(steps, func(string) error { return nil }) {
			synctest.Wait()
			if err := step(path); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second) // of the bubble's clock
		}
		cancel()
		<-ended
	})
	return strings.Join(h.said, ", ")
}

func writes(text string) func(string) error {
	return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
}

func TestAChangedFileIsReadAgain(t *testing.T) {
	if got := watching(t, writes(onlyA), writes(both), writes(both), writes(onlyA)); got != "a b, a" {
		t.Errorf("heard %q", got)
	}
}

func TestABadFileKeepsTheOldOne(t *testing.T) {
	if got := watching(t, writes("mcpServers: 7"), writes("mcpServers: 7"), writes(callers), writes(both)); got != "refused mcp.yaml, refused mcp.yaml, a b" {
		t.Errorf("heard %q", got)
	}
}

func TestAFileThatIsGoneIsToldOnce(t *testing.T) {
	nothing := func(string) error { return nil }
	got := watching(t, os.Remove, nothing, writes(onlyA), writes(both))
	if !strings.HasPrefix(got, "refused ") || strings.Count(got, "refused") != 1 || !strings.HasSuffix(got, ", a b") {
		t.Errorf("heard %q, want that it is gone once, and the next change", got)
	}
}

func TestAFileIsReadAtOnceWhenAsked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.yaml")
	if err := writes(onlyA)(path); err != nil {
		t.Fatal(err)
	}
	f := opened(t, path)
	if err := writes(both)(path); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	now := make(chan struct{})
	var h heard
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.Watch(ctx, time.Hour, now, &h)
	}()
	now <- struct{}{}
	now <- struct{}{} // taken when the first look is over
	cancel()
	<-ended
	if got := strings.Join(h.said, ", "); got != "a b" {
		t.Errorf("heard %q", got)
	}
}

func TestOpeningSaysWhatIsWrong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.yaml")
	if _, _, err := servers.Open(path, getenv, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v of a file that isn't there", err)
	}
	for text, want := range map[string]string{"x": path + ": line 1: the file must be", callers: path + ": auth: caller would send"} {
		if err := writes(text)(path); err != nil {
			t.Fatal(err)
		}
		if _, _, err := servers.Open(path, getenv, func(list []servers.Server) error { return servers.Check(list, false) }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
