package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Tree is a module's parsed source.
type Tree struct {
	Module   string // module path of go.mod
	Fset     *token.FileSet
	Packages []*Package
	Policy   Policy
	Texts    map[string]string // path -> content of every text file that is looked at
}

// Package is one folder of Go files.
type Package struct {
	Path  string // folder relative to the root; "." for the root itself
	Files []*File
}

// File is one Go file.
type File struct {
	Path  string
	Test  bool
	Lines int
	AST   *ast.File
}

// foreign tells of folders that hold no package of this module, or nothing written by hand.
func foreign(dir string) bool {
	switch dir {
	case ".", ".ci", ".githooks":
		return false
	case "tools", "bin", "dist":
		return true
	}
	base := path.Base(dir)
	return base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".")
}

// Load parses the tree at root. An error means that a file can't be read or parsed.
func Load(root fs.FS) (*Tree, error) {
	t := &Tree{Fset: token.NewFileSet(), Texts: map[string]string{}}
	byDir := map[string]*Package{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && foreign(name):
			return fs.SkipDir
		case d.IsDir() || !d.Type().IsRegular():
			return nil
		}
		return t.add(root, name, byDir)
	})
	if err != nil {
		return nil, err
	}
	t.Module = moduleOf(t.Texts["go.mod"])
	t.Policy, err = ParsePolicy(t.Texts["ARCHITECTURE.md"])
	return t, err
}

func (t *Tree) add(root fs.FS, name string, byDir map[string]*Package) error {
	if !textFile(name) {
		return nil
	}
	content, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	t.Texts[name] = string(content)
	if path.Ext(name) != ".go" {
		return nil
	}
	parsed, err := parser.ParseFile(t.Fset, name, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("parse %s: %w", name, err)
	}
	dir := path.Dir(name)
	pkg := byDir[dir]
	if pkg == nil {
		pkg = &Package{Path: dir}
		byDir[dir] = pkg
		t.Packages = append(t.Packages, pkg)
	}
	pkg.Files = append(pkg.Files, &File{
		Path: name, Test: strings.HasSuffix(name, "_test.go"), AST: parsed, Lines: strings.Count(string(content), "\n"),
	})
	return nil
}

// textFile tells by name whether a file is source, documentation or configuration.
func textFile(name string) bool {
	switch path.Ext(name) {
	case ".go", ".mod", ".md", ".sh", ".yaml", ".yml", ".py", ".mjs", ".js", ".json", ".toml", ".tmpl", ".html":
		return true
	}
	switch path.Base(name) {
	case "Makefile", "Dockerfile", "run", "pre-commit", "requirements.txt", "requirements-sqlite.txt":
		return true
	}
	return false
}

func moduleOf(gomod string) string {
	for line := range strings.Lines(gomod) {
		if name, found := strings.CutPrefix(line, "module "); found {
			return strings.TrimSpace(name)
		}
	}
	return ""
}

// LoadDir parses the tree in a folder.
func LoadDir(root string) (*Tree, error) { return Load(os.DirFS(root)) }
