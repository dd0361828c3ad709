package overlay_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-toolsearch/sidecar/overlay"
)

// heard is a Watcher that writes down. Its reader waits for the bubble's other goroutines.
type heard struct{ said []string }

func (h *heard) Changed(o *overlay.Overlay) {
	if o.Of("a").Hide {
		h.said = append(h.said, "a is hidden")
		return
	}
	h.said = append(h.said, "a is there")
}

func (h *heard) Refused(err error) {
	short, _, _ := strings.Cut(err.Error(), ": ")
	h.said = append(h.said, "refused "+filepath.Base(short))
}

const (
	hides = "tools:\n  - match: a\n    hide: true\n"
	pins  = "tools:\n  - match: a\n    pin: true\n"
)

// watching plays steps, one every interval, and returns what was heard.
func watching(t *testing.T, steps ...func(path string) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "overlay.yaml")
	if err := os.WriteFile(path, []byte(pins), 0o600); err != nil {
		t.Fatal(err)
	}
	var h heard
	synctest.Test(t, func(t *testing.T) {
		f, _, err := overlay.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			f.Watch(ctx, time.Second, &h)
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
	if got := watching(t, writes(pins), writes(hides), writes(hides), writes(pins)); got != "a is hidden, a is there" {
		t.Errorf("heard %q", got)
	}
}

func TestABadFileKeepsTheOldOne(t *testing.T) {
	bad := writes("tools: 7")
	if got := watching(t, bad, bad, writes(hides)); got != "refused overlay.yaml, a is hidden" {
		t.Errorf("heard %q", got)
	}
}

func TestAFileThatIsGoneIsToldOnce(t *testing.T) {
	nothing := func(string) error { return nil }
	got := watching(t, os.Remove, nothing, writes(pins), writes(hides))
	if !strings.HasPrefix(got, "refused ") || strings.Count(got, "refused") != 1 || !strings.HasSuffix(got, ", a is hidden") {
		t.Errorf("heard %q, want that it is gone once, and the next change", got)
	}
}

func TestWatchEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "overlay.yaml")
	if err := writes(hides)(path); err != nil {
		t.Fatal(err)
	}
	f, o, err := overlay.Open(path)
	if err != nil || !o.Of("a").Hide {
		t.Fatalf("Open: %v, %v", o, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var h heard
	f.Watch(ctx, time.Hour, &h)
	if len(h.said) != 0 {
		t.Errorf("heard %q after the end", h.said)
	}
}

func TestOpeningSaysWhichFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "overlay.yaml")
	if _, _, err := overlay.Open(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names %s", err, path)
	}
	if err := writes("x")(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := overlay.Open(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names %s", err, path)
	}
}
