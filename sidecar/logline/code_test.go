package logline_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/logline"
)

// call is one place of the code that logs.
type call struct {
	at      string
	message ast.Expr
	keys    []string
}

// calls are all of them, outside of tests: methods of something called log, Logger or LogAttrs' attributes, and what
// helpers of the name warn are given.
func calls(t *testing.T) []call {
	t.Helper()
	var all []call
	fset := token.NewFileSet()
	for _, dir := range []string{"cmd", "extproc", "sidecar"} {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "logline") {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(fset, path, source, 0)
			if err != nil {
				return err
			}
			collects := slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"log/slog"` })
			ast.Inspect(file, func(n ast.Node) bool {
				found, ok := call{}, false
				switch n := n.(type) {
				case *ast.CallExpr:
					if found, ok = logs(n); !ok && collects {
						found, ok = appends(n)
					}
				case *ast.CompositeLit:
					found, ok = attributes(n)
				}
				if ok {
					found.at = fset.Position(n.Pos()).String()
					all = append(all, found)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func logs(c *ast.CallExpr) (call, bool) {
	method, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return call{}, false
	}
	on := ""
	switch x := method.X.(type) {
	case *ast.Ident:
		on = x.Name
	case *ast.SelectorExpr:
		on = x.Sel.Name
	}
	logger := on == "log" || on == "Logger" || on == "logger"
	switch name := method.Sel.Name; {
	case on == "slog" && slices.Contains([]string{"String", "Int", "Int64", "Duration", "Any", "Bool", "Float64", "Time"}, name) && len(c.Args) == 2:
		return call{keys: []string{text(c.Args[0])}}, true
	case logger && (name == "Info" || name == "Warn" || name == "Error" || name == "Debug") && len(c.Args) > 0:
		return call{message: c.Args[0], keys: keysOf(c.Args[1:])}, true
	case logger && name == "LogAttrs":
		return call{message: c.Args[2]}, true
	case name == "warn" && len(c.Args) > 2:
		return call{keys: keysOf(c.Args[2:])}, true
	}
	return call{}, false
}

// appends is the key in a = append(a, "key", value).
func appends(c *ast.CallExpr) (call, bool) {
	if to, ok := c.Fun.(*ast.Ident); !ok || to.Name != "append" || len(c.Args) != 3 || c.Ellipsis.IsValid() {
		return call{}, false
	}
	key := text(c.Args[1])
	return call{keys: []string{key}}, key != notConstant && text(c.Args[2]) == notConstant
}

// attributes are the keys in a slice of any that begins with a text: what is logged later.
func attributes(l *ast.CompositeLit) (call, bool) {
	slice, ok := l.Type.(*ast.ArrayType)
	if !ok || len(l.Elts) == 0 || len(l.Elts)%2 != 0 {
		return call{}, false
	}
	if of, ok := slice.Elt.(*ast.Ident); !ok || of.Name != "any" || text(l.Elts[0]) == notConstant {
		return call{}, false
	}
	return call{keys: keysOf(l.Elts)}, true
}

// keysOf are the keys among the arguments of a line: every other one. Slices and attributes are found by themselves.
func keysOf(args []ast.Expr) []string {
	var keys []string
	for i := 0; i < len(args); i += 2 {
		if i == len(args)-1 {
			break // an attribute, or a slice of them
		}
		keys = append(keys, text(args[i]))
	}
	return keys
}

// text is a constant text's value, else what can be no key.
func text(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(x.Value); err == nil {
			return s
		}
	case *ast.BinaryExpr:
		return text(x.X) + text(x.Y)
	}
	return notConstant
}

const notConstant = "(not constant)"

func TestTheKeysAreThoseOfTheCode(t *testing.T) {
	defined, used := map[string]bool{}, map[string]bool{}
	for _, k := range logline.Keys() {
		defined[k.Name] = true
	}
	for _, c := range calls(t) {
		for _, key := range c.keys {
			used[key] = true
			if !defined[key] {
				t.Errorf("%s: the key %q is not defined: it would be withheld. Define it in keys.go, or log something else", c.at, key)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(defined)) {
		if !used[key] {
			t.Errorf("%s is defined and never logged: take it out of keys.go", key)
		}
	}
	if len(used) < 40 {
		t.Errorf("only %d keys were found: the search doesn't see the code", len(used))
	}
}

// TestMessagesAreConstants: the handler can't judge messages, so that none may be made of values.
func TestMessagesAreConstants(t *testing.T) {
	made := map[string]string{ // file: why its message is none
		"sources.go":     "warnings about the operator's variables, of package servers",
		"secretfiles.go": "begins with which file it is",
		"manifest.go":    "ends with the numbers of a refresh",
		"pool.go":        "one of two constants",
		"files.go":       "begins with which files they are",
		"ending.go":      "the same",
		"observed.go":    "one of two constants",
	}
	for _, c := range calls(t) {
		file := filepath.Base(strings.SplitN(c.at, ".go", 2)[0] + ".go")
		if c.message != nil && strings.Contains(text(c.message), notConstant) && made[file] == "" {
			t.Errorf("%s: the message is made of values: put them into attributes", c.at)
		}
	}
}
