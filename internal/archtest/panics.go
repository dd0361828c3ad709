package archtest

import (
	"fmt"
	"go/ast"
)

// Panics finds where the product panics with a value that may hold bytes of a request: the runtime prints a panic that
// nobody recovers. A constant text is allowed, http.ErrAbortHandler, and the reports of sidecar/crash.
func Panics(t *Tree) []string {
	var faults []string
	for _, pkg := range t.Packages {
		if covers("internal/...", pkg.Path) || covers("e2e/...", pkg.Path) || covers("benchmarks/...", pkg.Path) || pkg.Path == "sidecar/crash" {
			continue
		}
		for _, f := range pkg.Files {
			if f.Test {
				continue
			}
			ast.Inspect(f.AST, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && panics(call) && !constant(call.Args[0]) {
					faults = append(faults, fmt.Sprintf("%s: a panic with a value, which may be a caller's: return an error, or carry it on by sidecar/crash", t.at(n)))
				}
				return true
			})
		}
	}
	return faults
}

func panics(call *ast.CallExpr) bool {
	to, ok := call.Fun.(*ast.Ident)
	return ok && to.Name == "panic" && len(call.Args) == 1
}

func constant(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		return e.Sel.Name == "ErrAbortHandler"
	}
	return false
}
