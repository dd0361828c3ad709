package main

import (
	"context"
	"log/slog"

	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/overlay"
)

// overlayEvery is how often the overlay file is looked at.
const overlayEvery = lookEvery

// openOverlay reads the file that --overlay names; nothing without one.
func (s *Settings) openOverlay() (*overlay.File, *overlay.Overlay, error) {
	if s.Overlay == "" {
		return nil, nil, nil
	}
	f, o, err := overlay.Open(s.Overlay)
	if err != nil {
		return nil, nil, fileMistake("--overlay", s.Overlay, err)
	}
	return f, o, nil
}

// overlayUse lays a changed overlay over the catalogs.
type overlayUse struct {
	store *catalog.Store
	log   *slog.Logger
}

// Changed implements [overlay.Watcher].
func (u overlayUse) Changed(o *overlay.Overlay) {
	u.store.SetOverlay(o)
	u.log.Info("the overlay changed", "rules", o.Rules())
}

// Refused implements [overlay.Watcher].
func (u overlayUse) Refused(err error) {
	u.log.Error("the overlay can't be used: the rules from before stay until it is corrected", "error", err.Error())
}

// watchOverlay watches f until ctx ends; the returned function waits for that.
func watchOverlay(ctx context.Context, f *overlay.File, u overlayUse) (wait func()) {
	if f == nil {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.Watch(ctx, overlayEvery, u)
	}()
	return func() { <-done }
}
