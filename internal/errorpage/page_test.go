package errorpage_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mcp-toolsearch/internal/errorpage"
	"mcp-toolsearch/internal/golden"
	"mcp-toolsearch/internal/setup"
)

func TestDocsErrors(t *testing.T) {
	golden.InTree(t, "docs/errors.md", errorpage.Page())
}

func TestDocsLimits(t *testing.T) {
	golden.InTree(t, "docs/limits.md", errorpage.LimitsPage())
}

func TestEveryReasonHasARow(t *testing.T) {
	inCode := reasons(t)
	inPage := map[string]bool{}
	for _, r := range slices.Concat(errorpage.Refusals(), errorpage.Faults(), errorpage.Metadata(), errorpage.Door(), errorpage.Merged(), errorpage.Eras(), errorpage.Commands()) {
		inPage[r.Reason] = true
		if !inCode[r.Reason] {
			t.Errorf("%s has a row, but no code gives it as a reason", r.Reason)
		}
	}
	for reason := range inCode {
		if !inPage[reason] {
			t.Errorf("%s is a reason in the code, but has no row in internal/errorpage", reason)
		}
	}
	if len(inCode) < 50 {
		t.Errorf("only %d reasons were found in the code", len(inCode))
	}
}

// reasons are all texts that the code gives as a reason: constants of the type Reason, fields named Reason, and the
// first argument of the functions that make faults.
func reasons(t *testing.T) map[string]bool {
	t.Helper()
	root, err := setup.Root()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, dir := range []string{"sidecar", "sidecar/wire", "sidecar/relay", "sidecar/aggregate", "sidecar/member", "sidecar/stdio"} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if text, ok := reasonIn(n); ok {
					found[text] = true
				}
				return true
			})
		}
	}
	return found
}

func reasonIn(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.ValueSpec:
		if id, ok := n.Type.(*ast.Ident); ok && id.Name == "Reason" && len(n.Values) == 1 {
			return literal(n.Values[0])
		}
	case *ast.KeyValueExpr:
		if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Reason" {
			return literal(n.Value)
		}
	case *ast.CallExpr:
		switch name := called(n.Fun); {
		case name == "parseFault", name == "invalid", name == "mismatch", name == "unsupported":
			return literal(n.Args[0])
		case name == "noMetadata":
			return literal(n.Args[2])
		}
	}
	return "", false
}

func called(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}
