package archtest

import (
	"cmp"
	"fmt"
	"go/ast"
	"regexp"
	"strings"
)

// PackageDocs finds packages without a doc comment, and tests named there that don't exist. A test of another package is
// named with it: "TestX in package e2e".
func PackageDocs(t *Tree) []string {
	var faults []string
	for _, pkg := range t.Packages {
		doc, hasCode := packageDoc(pkg)
		if !hasCode {
			continue
		}
		if doc == "" {
			faults = append(faults, fmt.Sprintf("%s: no package comment: say in doc.go what it is and which invariants it keeps", pkg.Path))
		}
		for _, named := range testName.FindAllStringSubmatch(doc, -1) {
			name, home := named[1], named[2]
			if !testNames(t, cmp.Or(home, pkg.Path)+"/...")[name] {
				faults = append(faults, fmt.Sprintf("%s: the package comment names %s, which does not exist in %s", pkg.Path, name, cmp.Or(home, pkg.Path)))
			}
		}
	}
	return faults
}

var testName = regexp.MustCompile(`\b((?:Test|Fuzz|Benchmark|Example)[A-Z0-9]\w*)(?:\s+in\s+package\s+([\w/]+))?`)

func packageDoc(pkg *Package) (doc string, hasCode bool) {
	for _, f := range pkg.Files {
		if f.Test {
			continue
		}
		hasCode = true
		if f.AST.Doc != nil {
			doc += f.AST.Doc.Text()
		}
	}
	return doc, hasCode
}

// testNames are the tests in the folders that the pattern covers. A package's invariant may be held by its sub-packages.
func testNames(t *Tree, pattern string) map[string]bool {
	names := map[string]bool{}
	for _, pkg := range t.Packages {
		if !covers(pattern, pkg.Path) {
			continue
		}
		for _, f := range pkg.Files {
			for _, decl := range f.AST.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && f.Test {
					names[fn.Name.Name] = true
				}
			}
		}
	}
	return names
}

// PagesTests finds tests named in Markdown files that exist nowhere in the tree.
func PagesTests(t *Tree) []string {
	var faults []string
	all := testNames(t, "*")
	for page, text := range t.Texts {
		if !strings.HasSuffix(page, ".md") {
			continue
		}
		for _, named := range testName.FindAllStringSubmatch(text, -1) {
			if !all[named[1]] {
				faults = append(faults, fmt.Sprintf("%s: names %s, which does not exist", page, named[1]))
			}
		}
	}
	return faults
}

// SymbolDocs finds exported symbols without a comment.
func SymbolDocs(t *Tree) []string {
	var faults []string
	for _, pkg := range t.Packages {
		for _, f := range pkg.Files {
			if f.Test || f.AST.Name.Name == "main" || ast.IsGenerated(f.AST) {
				continue
			}
			for _, decl := range f.AST.Decls {
				for _, name := range undocumented(decl) {
					faults = append(faults, fmt.Sprintf("%s: exported %s has no comment", t.at(decl), name))
				}
			}
		}
	}
	return faults
}

// undocumented names what a declaration exports without saying what it is.
func undocumented(decl ast.Decl) []string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		var names []string
		for _, spec := range d.Specs {
			names = append(names, undocumentedSpec(spec, d.Doc != nil)...)
		}
		return names
	}
	return nil
}

func undocumentedSpec(spec ast.Spec, groupDoc bool) []string {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && s.Doc == nil && !groupDoc {
			return []string{s.Name.Name}
		}
	case *ast.ValueSpec:
		if s.Doc != nil || s.Comment != nil || groupDoc {
			return nil
		}
		for _, name := range s.Names {
			if name.IsExported() {
				return []string{name.Name}
			}
		}
	}
	return nil
}

// exportedReceiver tells whether a function is no method, or a method of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if index, ok := typ.(*ast.IndexExpr); ok {
		typ = index.X
	}
	id, ok := typ.(*ast.Ident)
	return ok && id.IsExported()
}

// Links finds links in Markdown files to files of this tree that are not there.
func Links(t *Tree, exists func(path string) bool) []string {
	var faults []string
	for name, text := range t.Texts {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		for _, m := range markdownLink.FindAllStringSubmatch(text, -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			if !exists(resolve(name, target)) {
				faults = append(faults, fmt.Sprintf("%s: the link to %s leads nowhere", name, target))
			}
		}
	}
	return faults
}

var markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
