package setup_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"mcp-toolsearch/internal/setup"
)

func TestAChangedListIsInstalledAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "things")
	fills := 0
	fill := func(key string) {
		t.Helper()
		err := setup.Once(dir, []byte(key), func(fresh string) error {
			fills++
			return os.WriteFile(filepath.Join(fresh, "key"), []byte(key), 0o644)
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "key")); string(got) != key {
			t.Errorf("installed from %q, want %q", got, key)
		}
	}
	fill("a")
	fill("a")
	if fills != 1 {
		t.Errorf("the same list was installed %d times", fills)
	}
	fill("b")
	if fills != 2 {
		t.Errorf("%d installs after the change, want 2", fills)
	}
}

func TestAFailedInstallLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "things")
	broken := errors.New("no network")
	err := setup.Once(dir, nil, func(fresh string) error {
		if err := os.WriteFile(filepath.Join(fresh, "half"), nil, 0o644); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want the fill's own", err)
	}
	left, err := filepath.Glob(filepath.Join(parent, "things*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range left {
		if filepath.Ext(path) != ".lock" {
			t.Errorf("%s was left behind", path)
		}
	}
}

func TestParallelInstallsHappenOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "things")
	var fills atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			err := setup.Once(dir, []byte("k"), func(string) error { fills.Add(1); return nil })
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := fills.Load(); n != 1 {
		t.Errorf("installed %d times", n)
	}
}

func TestMissingSaysWhatToInstall(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for name, find := range map[string]func() error{
		"python": func() error { _, err := setup.PythonPath(t.Context()); return err },
		"node":   func() error { _, err := setup.NodeModules(t.Context(), setup.NodeClients); return err },
	} {
		t.Run(name, func(t *testing.T) {
			var missing *setup.Missing
			if err := find(); !errors.As(err, &missing) {
				t.Fatalf("error %v, want a *Missing", err)
			}
			if missing.Next == "" {
				t.Error("no next step")
			}
		})
	}
}
