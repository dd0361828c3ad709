package main

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"mcp-toolsearch/internal/setup"
)

// build builds the program as `make build` does it.
func build(t *testing.T, tree, to string, env ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.version=test", "-o", to, "./cmd/mcp-toolsearch")
	cmd.Dir, cmd.Env = tree, append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestWhatIsBuilt(t *testing.T) {
	root, err := setup.Root()
	if err != nil {
		t.Fatal(err)
	}
	tree, binary := t.TempDir(), filepath.Join(t.TempDir(), "mcp-toolsearch")
	copyTree(t, root, tree) // what is edited meanwhile makes no difference
	build(t, tree, binary)
	t.Run("the binary is static", func(t *testing.T) { static(t, binary) })
	t.Run("two builds are the same", func(t *testing.T) { twice(t, tree, binary) })
	t.Run("the bill lists all that is in the binary", func(t *testing.T) { listed(t, tree, binary) })
}

func static(t *testing.T, binary string) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux binaries are looked into")
	}
	f, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("the binary has a %s: it asks its machine for libraries", p.Type)
		}
	}
	if libraries, _ := f.ImportedLibraries(); len(libraries) > 0 {
		t.Errorf("it needs %v", libraries)
	}
}

// twice builds again from another folder whose files are as old as now, with other variables.
func twice(t *testing.T, root, first string) {
	tree, second := t.TempDir(), filepath.Join(t.TempDir(), "again")
	copyTree(t, root, tree)
	build(t, tree, second, "GOFLAGS=-p=1", "TZ=Asia/Tokyo", "LANG=C", "HOME="+t.TempDir(), "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	a, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("two builds of the same source differ: %d and %d bytes", len(a), len(b))
	}
	if bytes.Contains(b, []byte(tree)) || bytes.Contains(a, []byte(root+"/")) {
		t.Error("the binary holds the path of the folder it was built in")
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// copyTree copies what a build may need.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && rel != "." || rel == "bin" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case !d.Type().IsRegular() || strings.HasSuffix(rel, "_test.go"):
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func listed(t *testing.T, root, binary string) {
	bill, err := billOf(binary, root, "test")
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]cdx.Component{}
	for _, c := range *bill.Components {
		there[c.Name] = c
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Deps) < 5 {
		t.Fatalf("only %d modules are in the binary", len(info.Deps))
	}
	for _, m := range info.Deps {
		if c := there[m.Path]; c.Version != m.Version || c.Hashes == nil {
			t.Errorf("%s %s is listed as %+v", m.Path, m.Version, c)
		}
	}
	for _, file := range []string{"model/default/static.bin", "search/text/lexicon.bin"} {
		want, err := sum(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if c := there[file]; c.Hashes == nil || (*c.Hashes)[0].Value != want {
			t.Errorf("%s is listed as %+v", file, c)
		}
	}
	if bill.Metadata.Component.Version != "test" {
		t.Errorf("the program's version is %q", bill.Metadata.Component.Version)
	}
	var one, two bytes.Buffer
	for _, out := range []*bytes.Buffer{&one, &two} {
		again, err := billOf(binary, root, "test")
		if err != nil {
			t.Fatal(err)
		}
		if err := cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).Encode(again); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("two bills of one binary differ")
	}
}
