package sidecar

import (
	"testing"
	"time"

	"mcp-toolsearch/sidecar/caller"
	"mcp-toolsearch/sidecar/catalog"
)

func TestASearchIsForgottenAfterTenMinutes(t *testing.T) {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for after, want := range map[time.Duration]bool{10 * time.Minute: true, 10*time.Minute + time.Second: false} {
		ts := newTrails(10)
		ts.searched(caller.Key{1}, began, []catalog.SearchHit{{Tool: &catalog.Tool{Name: "mail_find"}}})
		if _, ok := ts.called(caller.Key{1}, began.Add(after), "mail_find"); ok != want {
			t.Errorf("after %s a call follows the search: %t", after, ok)
		}
	}
}
