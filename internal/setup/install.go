package setup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Missing says that this machine lacks something, and what to do about it.
type Missing struct {
	// What is missing, in a few words.
	What string
	// Next is the sentence that says what to install.
	Next string
}

// Error is one line: what is missing and what to do next.
func (m *Missing) Error() string { return m.What + ": " + m.Next }

// Root is the project's root: the nearest folder with a go.mod at or above the working directory.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.mod at or above the working directory: run this inside the project")
		}
		dir = up
	}
}

// CacheDir is the project's ignored folder for everything fetched, created when absent.
func CacheDir() (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, ".cache")
	return dir, os.MkdirAll(dir, 0o755)
}

// Say tells on standard error what takes a while: a silent download looks like a program that hangs.
func Say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+" ...\n", args...) }

// stampFile, in an installed folder, holds the digest of the lists it was installed from.
const stampFile = ".installed-from"

// Once fills the folder dir by calling fill with an empty folder beside it, unless dir already came from the same key.
// Parallel processes wait for each other. A failed fill leaves dir as it was.
func Once(dir string, key []byte, fill func(fresh string) error) error {
	sum := sha256.Sum256(key)
	want := hex.EncodeToString(sum[:])
	if installed(dir, want) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	unlock, err := lockedfile.MutexAt(dir + ".lock").Lock()
	if err != nil {
		return fmt.Errorf("lock %s: %w", dir, err)
	}
	defer unlock()
	if installed(dir, want) {
		return nil
	}

	fresh, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := fill(fresh); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(fresh, stampFile), []byte(want+"\n"), 0o644); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	return os.Rename(fresh, dir)
}

func installed(dir, want string) bool {
	got, err := os.ReadFile(filepath.Join(dir, stampFile))
	return err == nil && string(bytes.TrimSpace(got)) == want
}

// run runs a client program and puts the end of its output into the error when it fails.
func run(ctx context.Context, dir, program string, args ...string) error {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %v: %w\n%s", program, args, err, lastBytes(out.Bytes(), 2000))
	}
	return nil
}

func lastBytes(b []byte, n int) []byte { return b[max(0, len(b)-n):] }

func copyFile(dst, src string) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(dst)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
