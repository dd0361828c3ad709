package archtest

import (
	"fmt"
	"go/ast"
	"path"
	"strings"
)

// Corpora finds fuzz targets without a kept corpus: what a fuzzer once needed is then tried by every run of the tests.
// kept says whether a folder has a file.
func Corpora(t *Tree, kept func(dir string) bool) []string {
	var faults []string
	for _, pkg := range t.Packages {
		for _, f := range pkg.Files {
			for _, decl := range f.AST.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if !ok || !f.Test || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Fuzz") {
					continue
				}
				if dir := path.Join(pkg.Path, "testdata", "fuzz", fn.Name.Name); !kept(dir) {
					faults = append(faults, fmt.Sprintf("%s: %s has no kept corpus: put inputs that matter into %s", f.Path, fn.Name.Name, dir))
				}
			}
		}
	}
	return faults
}
