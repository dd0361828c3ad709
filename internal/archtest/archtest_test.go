package archtest_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"mcp-toolsearch/internal/archtest"
	"mcp-toolsearch/internal/setup"
)

// rules are all the rules, by name.
func rules(root fs.FS) map[string]func(*archtest.Tree) []string {
	return map[string]func(*archtest.Tree) []string{
		"imports":      archtest.Imports,
		"homes":        archtest.Homes,
		"environment":  archtest.Environment,
		"clocks":       archtest.Clocks,
		"file sizes":   archtest.FileSizes,
		"functions":    archtest.FunctionSizes,
		"package docs": archtest.PackageDocs,
		"page tests":   archtest.PagesTests,
		"symbol docs":  archtest.SymbolDocs,
		"names":        archtest.Names,
		"texts":        archtest.Texts,
		"globals":      archtest.Globals,
		"processes":    archtest.Processes,
		"panics":       archtest.Panics,
		"pinned":       archtest.Pinned,
		"corpora": func(t *archtest.Tree) []string {
			return archtest.Corpora(t, func(dir string) bool { files, err := fs.ReadDir(root, dir); return err == nil && len(files) > 0 })
		},
		"links": func(t *archtest.Tree) []string {
			return archtest.Links(t, func(path string) bool { _, err := fs.Stat(root, path); return err == nil })
		},
	}
}

func TestTheTreeKeepsTheHouseRules(t *testing.T) {
	root, err := setup.Root()
	if err != nil {
		t.Fatal(err)
	}
	tree, err := archtest.LoadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Packages) < 5 {
		t.Fatalf("only %d packages were found", len(tree.Packages))
	}
	for name, rule := range rules(os.DirFS(root)) {
		t.Run(name, func(t *testing.T) {
			for _, fault := range rule(tree) {
				t.Error(fault)
			}
		})
	}
}

// house is a small tree that keeps every rule.
func house() map[string]string {
	return map[string]string{
		"go.mod":          "module house\n",
		"ARCHITECTURE.md": "```text imports\na: b\nb: -\ncmd/...: *\n```\n```text homes\nexample.org/big: b\n```\n",
		"a/a.go":          "// Package a is held by TestA.\npackage a\n\nimport _ \"house/b\"\n\n// F is documented.\nfunc F() {}\n",
		"a/a_test.go":     "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n",
		"b/b.go":          "// Package b is a leaf, held by TestA in package a.\npackage b\n\nimport _ \"example.org/big/part\"\n",
		"cmd/x/main.go":   "// Program x.\npackage main\n\nimport \"os\"\n\nvar _ = os.Getenv(\"X\")\n",
	}
}

func TestEachRuleCanFail(t *testing.T) {
	long := strings.Repeat("\n", 401)
	body := strings.Repeat("\t_ = 0\n", 80)
	tests := []struct {
		rule, file, content, want string
	}{
		{"imports", "b/c.go", "package b\n\nimport _ \"house/a\"\n", "must not import a"},
		{"imports", "new/n.go", "// Package new.\npackage new\n", "says nothing about this package"},
		{"homes", "a/c.go", "package a\n\nimport _ \"example.org/big\"\n", "at home in b"},
		{"environment", "a/c.go", "package a\n\nimport \"os\"\n\nvar x = os.Getenv(\"X\")\n", "reads the environment"},
		{"clocks", "sidecar/c.go", "// Package sidecar.\npackage sidecar\n\nimport \"time\"\n\nvar x = time.Now().Unix()\n", "Unix is the clock on the wall"},
		{"file sizes", "a/c.go", "package a\n" + long, "402 lines"},
		{"functions", "a/c.go", "package a\n\nfunc f() {\n" + body + "}\n", "82 lines"},
		{"functions", "a/c.go", "package a\n\nfunc f() {\n" + body + "}\n", "90th percentile"},
		{"package docs", "b/b.go", "package b\n", "no package comment"},
		{"package docs", "b/b.go", "// Package b is held by TestGone.\npackage b\n", "TestGone, which does not exist"},
		{"package docs", "b/b.go", "// Package b is held by TestA.\npackage b\n", "TestA, which does not exist in b"},
		{"package docs", "b/b.go", "// Package b is held by TestGone\n// in package a.\npackage b\n", "TestGone, which does not exist in a"},
		{"page tests", "docs/a.md", "held by TestA and TestGone\n", "TestGone, which does not exist"},
		{"symbol docs", "a/c.go", "package a\n\nfunc G() {}\n", "exported G"},
		{"symbol docs", "a/c.go", "package a\n\n// T is.\ntype T[P any] struct{}\n\nfunc (t *T[P]) M() {}\n", "exported M"},
		{"symbol docs", "a/c.go", "package a\n\nconst (\n\tx = 1\n\tY = 2\n)\n", "exported Y"},
		{"symbol docs", "a/c.go", "package a\n\ntype T int\n", "exported T"},
		{"names", "util/u.go", "// Package util.\npackage util\n", "in the package's name"},
		{"names", "a/call_helpers.go", "package a\n", "in the file's name"},
		{"names", "a/c.go", "package a\n\ntype callManager int\n", "callManager says nothing"},
		{"texts", "a.md", "see /" + "work/x\n", "path of one machine"},
		{"texts", "a/c.go", "package a\n\n// TO" + "DO: more\n", "unfinished"},
		{"texts", "a/c_test.go", "package a\n\nfunc f(t T) { t.Skip(" + ") }\n", "without a reason"},
		{"globals", "a/c.go", "package a\n\nfunc init() {}\n", "hidden work"},
		{"corpora", "a/c_test.go", "package a\n\nimport \"testing\"\n\nfunc FuzzA(f *testing.F) {}\n", "FuzzA has no kept corpus: put inputs that matter into a/testdata/fuzz/FuzzA"},
		{"processes", "a/c.go", "package a\n\nimport _ \"os/exec\"\n", "only sidecar/stdio starts programs"},
		{"panics", "a/c.go", "package a\n\nfunc f(err error) {\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tpanic(\"fixed\")\n}\n", "c.go:5: a panic with a value"},
		{"pinned", "x/requirements.txt", "# why\ngood==1.2\nbad>=1\n", "bad>=1"},
		{"pinned", "x/package.json", "{\n \"dependencies\": {\n  \"good\": \"1.2.3\",\n  \"bad\": \"^1.2.3\"\n }\n}\n", "bad is at"},
		{"pinned", "go.mod", "module house\n\nreplace x => ../x\n", "takes the place"},
		{"pinned", "x/go.mod", "module x\n\nreplace y => example.org/z v1.0.0\n", "takes the place"},
		{"pinned", "x/Dockerfile", "FROM example.org/image:latest\n", "is not pinned"},
		{"links", "README.md", "[x](a/gone.go)\n", "leads nowhere"},
	}
	for _, tt := range tests {
		t.Run(tt.rule+" "+tt.want, func(t *testing.T) {
			tree, root := load(t, house())
			if faults := rules(root)[tt.rule](tree); len(faults) > 0 {
				t.Fatalf("the good tree has faults: %q", faults)
			}
			files := house()
			files[tt.file] = tt.content
			tree, root = load(t, files)
			faults := strings.Join(rules(root)[tt.rule](tree), "\n")
			if !strings.Contains(faults, tt.want) {
				t.Errorf("faults %q, want one that says %q", faults, tt.want)
			}
		})
	}
}

func TestForeignFoldersAreLeftOut(t *testing.T) {
	for _, dir := range []string{"a/testdata", "tools", ".cache/py", "e2e/node_modules/x", ".git"} {
		files := house()
		files[filepath.ToSlash(filepath.Join(dir, "x.go"))] = "not Go at all"
		load(t, files)
	}
}

func TestAPolicyThatCannotBeReadIsAnError(t *testing.T) {
	for name, doc := range map[string]string{
		"no blocks":      "nothing here",
		"no second one":  "```text imports\na: -\n```\n",
		"no end":         "```text imports\na: -\n",
		"not an arrow":   "```text imports\na\n```\n```text homes\nx: y\n```\n",
		"an empty block": "```text imports\n```\n",
	} {
		if _, err := archtest.ParsePolicy(doc); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func load(t *testing.T, files map[string]string) (*archtest.Tree, fs.FS) {
	t.Helper()
	root := fstest.MapFS{}
	for name, content := range maps.All(files) {
		root[name] = &fstest.MapFile{Data: []byte(content)}
	}
	tree, err := archtest.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return tree, root
}
