package main

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/upstream"
)

// twoTools lists the tools a and b for everybody.
type twoTools struct{}

func (twoTools) List(context.Context, upstream.Target, caller.Caller, upstream.ListOptions) (*upstream.Listing, error) {
	return &upstream.Listing{Tools: [][]byte{
		[]byte(`{"name":"a","inputSchema":{"type":"object"}}`), []byte(`{"name":"b","inputSchema":{"type":"object"}}`)}}, nil
}

func TestAChangedOverlayIsUsedAndABadOneIsNot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "overlay.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("tools: []\n")
	var log bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		s := Settings{Overlay: path}
		file, rules, err := s.openOverlay()
		if err != nil {
			t.Fatal(err)
		}
		store := catalog.NewStore(catalog.Options{Lister: twoTools{}, Overlay: rules})
		defer store.Close()
		tools := func() int {
			c, err := store.Get(t.Context(), catalog.Request{})
			if err != nil {
				t.Fatal(err)
			}
			return len(c.Tools())
		}
		if n := tools(); n != 2 {
			t.Fatalf("%d tools, want 2", n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		wait := watchOverlay(ctx, file, overlayUse{store: store, log: slog.New(slog.NewTextHandler(&log, nil))})
		for _, text := range []string{"tools:\n  - match: a\n    hide: true\n", "tools:\n  - hide: true\n"} {
			write(text)
			time.Sleep(2*overlayEvery + overlayEvery/2) // of the bubble's clock; never at a tick, when half a file could be read
			if n := tools(); n != 1 {
				t.Errorf("%d tools after %q, want 1", n, text)
			}
		}
		cancel()
		wait()
	})
	for _, want := range []string{`msg="the overlay changed" rules=1`, "can't be used", "rule 1: match is missing"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %q: %s", want, log.String())
		}
	}
}
