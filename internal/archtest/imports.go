package archtest

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// Imports finds imports of this module's packages that ARCHITECTURE.md does not allow, and packages that it doesn't name.
func Imports(t *Tree) []string {
	var faults []string
	for _, pkg := range t.Packages {
		arrow, known := t.Policy.arrowOf(pkg.Path)
		for _, f := range pkg.Files {
			if f.Test {
				continue
			}
			if !known {
				faults = append(faults, fmt.Sprintf("%s: ARCHITECTURE.md says nothing about this package: add it to the import order", pkg.Path))
				break
			}
			for _, target := range importsOf(f) {
				own, found := strings.CutPrefix(target, t.Module+"/")
				if found && own != pkg.Path && !arrow.allows(own) {
					faults = append(faults, fmt.Sprintf("%s: %s must not import %s (ARCHITECTURE.md: imports point one way)", f.Path, pkg.Path, own))
				}
			}
		}
	}
	return faults
}

// Homes finds imports of a big dependency outside its home.
func Homes(t *Tree) []string {
	var faults []string
	for _, pkg := range t.Packages {
		for _, f := range pkg.Files {
			if f.Test {
				continue
			}
			for _, target := range importsOf(f) {
				for _, home := range t.Policy.Homes {
					if covers(home.From+"/...", target) && !home.allows(pkg.Path) {
						faults = append(faults, fmt.Sprintf("%s: %s is at home in %s only (ARCHITECTURE.md)", f.Path, target, strings.Join(home.To, ", ")))
					}
				}
			}
		}
	}
	return faults
}

// Environment finds reads of the environment outside the program and the test kits: a setting that no document can know.
func Environment(t *Tree) []string {
	var faults []string
	for _, pkg := range t.Packages {
		if covers("cmd/...", pkg.Path) || covers("internal/...", pkg.Path) || covers("e2e/...", pkg.Path) {
			continue
		}
		for _, f := range pkg.Files {
			if f.Test {
				continue
			}
			ast.Inspect(f.AST, func(n ast.Node) bool {
				if name, ok := environmentRead(n); ok {
					faults = append(faults, fmt.Sprintf("%s: %s reads the environment: make it a setting of cmd/mcp-toolsearch", t.at(n), name))
				}
				return true
			})
		}
	}
	return faults
}

func environmentRead(n ast.Node) (string, bool) {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	x, ok := sel.X.(*ast.Ident)
	if !ok || x.Name != "os" && x.Name != "syscall" {
		return "", false
	}
	switch sel.Sel.Name {
	case "Getenv", "LookupEnv", "Environ", "ExpandEnv":
		return x.Name + "." + sel.Sel.Name, true
	}
	return "", false
}

func importsOf(f *File) []string {
	var all []string
	for _, spec := range f.AST.Imports {
		if target, err := strconv.Unquote(spec.Path.Value); err == nil {
			all = append(all, target)
		}
	}
	return all
}

// at is the file and line of a node.
func (t *Tree) at(n ast.Node) string {
	p := t.Fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// Clocks finds where code that serves requests reads the clock on the wall: it may jump, and what is measured by it with it.
// Times are kept and compared as time.Time, which carries the monotonic clock too.
func Clocks(t *Tree) []string {
	var faults []string
	for _, pkg := range t.Packages {
		if !strings.HasPrefix(pkg.Path, "sidecar") && pkg.Path != "extproc" {
			continue
		}
		for _, f := range pkg.Files {
			if f.Test {
				continue
			}
			ast.Inspect(f.AST, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Unix", "UnixMilli", "UnixMicro", "UnixNano"}, sel.Sel.Name) {
					faults = append(faults, fmt.Sprintf("%s: %s is the clock on the wall, which may jump: keep the time.Time", t.at(n), sel.Sel.Name))
				}
				return true
			})
		}
	}
	return faults
}
