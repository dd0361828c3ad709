package licences_test

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/licences"
)

// suit fails for each without a licence that suits.
func suit(t *testing.T, modules []licences.Module, least int) {
	t.Helper()
	if len(modules) < least {
		t.Fatalf("only %d were found", len(modules))
	}
	for _, m := range modules {
		if len(m.Licences) == 0 {
			t.Errorf("%s %s: no suitable licence was recognised: read its licence; then teach package licences, or do without it", m.Path, m.Version)
		}
	}
}

func requireAll() bool { return os.Getenv(fixtures.RequireAll) == "1" }

// The modules of tools, tests and benchmarks are never shipped, but whoever works on the project runs them. Those that
// weren't downloaded yet are downloaded in CI alone.
func TestEveryModuleOfTheOtherGoModsHasASuitableLicence(t *testing.T) {
	for _, dir := range otherModules(t) {
		rel, err := filepath.Rel(root(t), dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.ToSlash(rel), func(t *testing.T) {
			patterns, tests := []string{"./..."}, true
			if sources, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(sources) == 0 {
				patterns, tests = []string{"tool"}, false // it names tools, whose own tests nobody runs here
			}
			if !requireAll() {
				t.Setenv("GOPROXY", "off")
				if missing := notDownloaded(t.Context(), dir, tests, patterns); missing != "" {
					t.Skipf("not looked at: its modules aren't downloaded (%s); run go mod download in %s", missing, rel)
				}
			}
			modules, err := licences.Modules(t.Context(), dir, tests, patterns...)
			if err != nil {
				t.Fatal(err)
			}
			suit(t, modules, 1)
		})
	}
}

// notDownloaded is the line of the go command that says that something is missing here; "" when all is there.
func notDownloaded(ctx context.Context, dir string, tests bool, patterns []string) string {
	args := []string{"list", "-deps"}
	if tests {
		args = append(args, "-test")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, patterns...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if err != nil && strings.Contains(line, "GOPROXY=off") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// otherModules are the folders below the root that have a go.mod.
func otherModules(t *testing.T) []string {
	t.Helper()
	var dirs []string
	err := filepath.WalkDir(root(t), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if e.Name() == "go.mod" && filepath.Dir(path) != root(t) {
			dirs = append(dirs, filepath.Dir(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(dirs) < 4 {
		t.Fatalf("go.mod files were found in %q only", dirs)
	}
	return dirs
}

// What tests, the demo and the benchmarks install, where it is installed: its own metadata says the licence.
func TestEveryInstalledPackageHasASuitableLicence(t *testing.T) {
	if requireAll() {
		fixtures.PythonPath(t)
		fixtures.NodeModules(t)
	}
	for _, c := range []struct {
		folder string
		list   func(dir string) ([]licences.Module, error)
	}{
		{"py", licences.PythonPackages}, {"py-demo/servers", licences.PythonPackages}, {"py-demo/sqlite", licences.PythonPackages},
		{"py-model", licences.PythonPackages}, {"py-peers", licences.PythonPackages},
		{"node/e2e-clients-node/node_modules", licences.NodePackages}, {"node/internal-demo-node/node_modules", licences.NodePackages},
		{"node/internal-demo-full/node_modules", licences.NodePackages},
	} {
		t.Run(c.folder, func(t *testing.T) {
			dir := filepath.Join(root(t), ".cache", filepath.FromSlash(c.folder))
			if _, err := os.Stat(dir); err != nil {
				t.Skipf("not looked at: .cache/%s isn't installed", c.folder)
			}
			modules, err := c.list(dir)
			if err != nil {
				t.Fatal(err)
			}
			suit(t, modules, 2)
		})
	}
}

func TestLicencesOfPackagesAreRead(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const mit = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software"
	put("a-1.dist-info/METADATA", "Name: a\nVersion: 1\nLicense-Expression: MIT OR GPL-3.0-or-later\n\nLicense: GPL")
	put("b-1.dist-info/METADATA", "Name: b\nVersion: 1\nLicense: GPL\nClassifier: License :: OSI Approved :: GNU General Public License v3 (GPLv3)\n")
	put("c-1.dist-info/METADATA", "Name: c\r\nVersion: 1\r\nLicense: UNKNOWN\r\nClassifier: License :: OSI Approved :: BSD License\r\n")
	put("d-1.dist-info/METADATA", "Name: d\nVersion: 1\n")
	put("d-1.dist-info/licenses/LICENSE", mit)
	put("e-1.dist-info/METADATA", "Name: e\nVersion: 1\nLicense-Expression: AGPL-3.0-only\nClassifier: License :: OSI Approved :: MIT License\n")
	put("node_modules/f/package.json", `{"name":"f","version":"1","license":"(MIT AND Zlib)"}`)
	put("node_modules/f/lib/package.json", `{"type":"module"}`)
	put("node_modules/@s/g/package.json", `{"name":"@s/g","version":"1","license":"SEE LICENSE IN LICENSE"}`)
	put("node_modules/@s/g/LICENSE", mit)
	put("node_modules/@s/g/node_modules/h/package.json", `{"name":"h","version":"1","license":"GPL-2.0 AND MIT"}`)
	put("node_modules/j/package.json", `{"name":"j","version":"1"}`)
	put("node_modules/j/README.md", "This MCP server is licensed under the MIT License. This means")
	put("node_modules/i/package.json", `{"name":"i","version":"1"}`)
	python, err := licences.PythonPackages(dir)
	if err != nil {
		t.Fatal(err)
	}
	node, err := licences.NodePackages(filepath.Join(dir, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	var good, bad []string
	for _, m := range append(python, node...) {
		if len(m.Licences) > 0 {
			good = append(good, m.Path)
		} else {
			bad = append(bad, m.Path)
		}
	}
	slices.Sort(good)
	slices.Sort(bad)
	if want := []string{"@s/g", "a", "c", "d", "f", "j"}; !slices.Equal(good, want) {
		t.Errorf("suitable: %v, want %v", good, want)
	}
	if want := []string{"b", "e", "h", "i"}; !slices.Equal(bad, want) {
		t.Errorf("not suitable: %v, want %v", bad, want)
	}
}
