package setup

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// NodeClients is the folder of the Node test clients, relative to the root: package.json and package-lock.json.
const NodeClients = "e2e/clients/node"

var noNode = &Missing{What: "Node 20 or newer with npm is not there", Next: "install it (Debian 13: apt-get install nodejs npm)"}

// Node finds the Node on PATH, 20 or newer, with npm. The error is a *Missing when there is none.
func Node(ctx context.Context) (string, error) {
	path, err := exec.LookPath("node")
	if err != nil {
		return "", noNode
	}
	if _, err := exec.LookPath("npm"); err != nil || nodeMajor(ctx, path) < 20 {
		return "", noNode
	}
	return path, nil
}

// NodeModules installs the packages of a folder's package-lock.json once (relative to the root, for example NodeClients)
// and returns a folder that holds node_modules. Install scripts of packages are not run.
// The error is a *Missing when there is no Node.
func NodeModules(ctx context.Context, folder string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	if _, err := Node(ctx); err != nil {
		return "", err
	}
	src := filepath.Join(root, filepath.FromSlash(folder))
	key, err := os.ReadFile(filepath.Join(src, "package-lock.json"))
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, ".cache", "node", strings.ReplaceAll(folder, "/", "-"))
	err = Once(dir, key, func(fresh string) error {
		Say("Fetching the Node packages of %s", folder)
		for _, name := range []string{"package.json", "package-lock.json"} {
			if err := copyFile(filepath.Join(fresh, name), filepath.Join(src, name)); err != nil {
				return err
			}
		}
		return run(ctx, fresh, "npm", "ci", "--prefix", fresh, "--cache", filepath.Join(root, ".cache", "npm"),
			"--ignore-scripts", "--no-update-notifier", "--no-audit", "--no-fund", "--loglevel=error")
	})
	if err != nil {
		return "", fmt.Errorf("install the Node packages of %s: %w", folder, err)
	}
	return dir, nil
}

// Node22 is a Node of at least version 22, which the conformance suite needs: the one that the test clients' packages
// bring, else the one on PATH.
func Node22(ctx context.Context) (string, error) {
	dir, err := NodeModules(ctx, NodeClients)
	if err != nil {
		return "", err
	}
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	bundled := filepath.Join(dir, "node_modules", "node-"+runtime.GOOS+"-"+arch, "bin", "node")
	if nodeMajor(ctx, bundled) >= 22 {
		return bundled, nil
	}
	if path, err := exec.LookPath("node"); err == nil && nodeMajor(ctx, path) >= 22 {
		return path, nil
	}
	return "", &Missing{What: "Node 22 is not there", Next: "on " + runtime.GOOS + "/" + runtime.GOARCH + " install Node 22 or newer and put it first in PATH"}
}

// nodeMajor is the major version that a Node binary reports; 0 when it doesn't run.
func nodeMajor(ctx context.Context, path string) int {
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return 0
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(out)), "v"), ".")
	n, err := strconv.Atoi(major)
	if err != nil {
		return 0
	}
	return n
}
