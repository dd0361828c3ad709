package archtest

import (
	"fmt"
	"go/ast"
	"slices"
)

// Limits of the house, in lines.
const (
	maxFile     = 400
	maxFunction = 80
	maxP90      = 35
)

// FileSizes finds files that are too long. Generated ones are let off.
func FileSizes(t *Tree) []string {
	var faults []string
	for _, pkg := range t.Packages {
		for _, f := range pkg.Files {
			if f.Lines > maxFile && !ast.IsGenerated(f.AST) {
				faults = append(faults, fmt.Sprintf("%s: %d lines, at most %d: part it by topic", f.Path, f.Lines, maxFile))
			}
		}
	}
	return faults
}

// FunctionSizes finds functions that are too long, and a 90th percentile of all that is. Tests are let off: a table of
// cases is not made clearer by cutting it.
func FunctionSizes(t *Tree) []string {
	var faults []string
	var all []int
	for _, pkg := range t.Packages {
		for _, f := range pkg.Files {
			if f.Test {
				continue
			}
			for _, decl := range f.AST.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if !ok {
					continue
				}
				lines := t.Fset.Position(fn.End()).Line - t.Fset.Position(fn.Pos()).Line + 1
				all = append(all, lines)
				if lines > maxFunction {
					faults = append(faults, fmt.Sprintf("%s: %s has %d lines, at most %d", t.at(fn), fn.Name.Name, lines, maxFunction))
				}
			}
		}
	}
	slices.Sort(all)
	if n := len(all); n > 0 && all[n*9/10] > maxP90 {
		faults = append(faults, fmt.Sprintf("the 90th percentile of function lengths is %d lines, at most %d: shorten the longest", all[n*9/10], maxP90))
	}
	return faults
}
