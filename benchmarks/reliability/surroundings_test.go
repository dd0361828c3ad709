package reliability_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/fixtures"
)

// diskFull fills the disk that the manifest is on: the product goes on, the old file stays whole, and the new one is
// written when there is room.
func diskFull(t *testing.T, program string, rows *table) {
	dir := t.TempDir()
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).Run(); err != nil {
		fixtures.Skip(t, "a small disk needs root and mount: "+err.Error())
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	manifest, filler := filepath.Join(dir, "manifest.json"), filepath.Join(dir, "filler")
	s := alone(t, program, setting{flags: []string{"--manifest-path", manifest}})
	c := newClient(s.url, "disk")
	s.recovered(c, search, time.Now())
	holds := func(tool string) bool {
		now, err := os.ReadFile(manifest)
		return err == nil && strings.Contains(string(now), tool)
	}
	until(t, "the manifest is written", func() bool { return holds(readTool) })
	before, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	r := &row{fault: "disk of the manifest full while the tools change, restart on it", door: s.door, struck: 1}
	fill(t, filler)
	s.server.grow("ledger_close")
	refresh(t, s)
	var all []outcome
	for _, k := range kinds() {
		all = append(all, c.do(t.Context(), k))
	}
	if now, err := os.ReadFile(manifest); err != nil || string(now) != string(before) {
		t.Errorf("with a full disk the manifest is %d bytes (%v), it was %d", len(now), err, len(before))
	}
	s.kill()
	s.start()
	s.recovered(c, search, time.Now())
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	over := time.Now()
	s.server.grow("ledger_reopen")
	refresh(t, s)
	until(t, "the manifest is written again", func() bool { return holds("ledger_close") && holds("ledger_reopen") })
	r.recoveries = append(r.recoveries, time.Since(over))
	r.count(s.server, all...)
	r.judge(t, all, false)
	rows.add(r)
}

func refresh(t *testing.T, s *stand) {
	t.Helper()
	resp, err := http.Post("http://"+s.admin+"/refresh", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("POST /refresh: %d", resp.StatusCode)
	}
}

// fill writes until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for {
		if _, err := f.Write(make([]byte, 512)); err != nil {
			return
		}
	}
}
