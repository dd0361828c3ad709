package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// vague are words that name nothing: say what the thing does instead.
func vague(word string) bool {
	switch strings.ToLower(word) {
	case "backend", "backends", "manager", "managers", "util", "utils", "common", "helper", "helpers", "processor", "processors", "service", "services", "impl":
		return true
	}
	return false
}

// Names finds packages, files and declarations whose names hold a vague word.
func Names(t *Tree) []string {
	var faults []string
	for _, pkg := range t.Packages {
		for _, f := range pkg.Files {
			if word, found := vagueWord(f.AST.Name.Name); found {
				faults = append(faults, fmt.Sprintf("%s: %q in the package's name says nothing", f.Path, word))
			}
			if word, found := vagueWord(strings.TrimSuffix(path.Base(f.Path), ".go")); found {
				faults = append(faults, fmt.Sprintf("%s: %q in the file's name says nothing", f.Path, word))
			}
			for _, name := range declared(f) {
				if word, found := vagueWord(name.Name); found {
					faults = append(faults, fmt.Sprintf("%s: %q in %s says nothing", t.at(name), word, name.Name))
				}
			}
		}
	}
	return faults
}

// declared are the names that a file gives to its types and functions; none in a test, whose doubles take over names.
func declared(f *File) []*ast.Ident {
	var names []*ast.Ident
	if f.Test {
		return nil
	}
	for _, decl := range f.AST.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok {
					names = append(names, s.Name)
				}
			}
		}
	}
	return names
}

// vagueWord parts a name at underscores and capitals and finds a vague word in it.
func vagueWord(name string) (string, bool) {
	start := 0
	runes := []rune(name)
	for i := 1; i <= len(runes); i++ {
		if i < len(runes) && !unicode.IsUpper(runes[i]) && runes[i] != '_' && runes[i-1] != '_' {
			continue
		}
		if word := strings.Trim(string(runes[start:i]), "_"); vague(word) {
			return word, true
		}
		start = i
	}
	return "", false
}

// Written so that the patterns don't match themselves.
var (
	machinePath = regexp.MustCompile(`(^|[^\w.])/(wor[k]|roo[t]|hom[e]/[a-z]+)/`)
	unfinished  = regexp.MustCompile(`\b(TOD[O]|FIXM[E]|XX[X])\b`)
	bareSkip    = regexp.MustCompile(`t\.Skip(Now)?\([)]`)
)

// Texts finds paths of one machine, notes of unfinished work and skips without a reason.
func Texts(t *Tree) []string {
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(t.Texts)) {
		n := 0
		for line := range strings.Lines(t.Texts[name]) {
			n++
			switch {
			case machinePath.MatchString(line):
				faults = append(faults, fmt.Sprintf("%s:%d: a path of one machine: %s", name, n, strings.TrimSpace(line)))
			case unfinished.MatchString(line):
				faults = append(faults, fmt.Sprintf("%s:%d: unfinished: do it, or file it: %s", name, n, strings.TrimSpace(line)))
			case bareSkip.MatchString(line):
				faults = append(faults, fmt.Sprintf("%s:%d: a skip without a reason", name, n))
			}
		}
	}
	return faults
}

// Globals finds init functions: hidden work at start that no caller asked for.
func Globals(t *Tree) []string {
	var faults []string
	for _, pkg := range t.Packages {
		for _, f := range pkg.Files {
			for _, decl := range f.AST.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
					faults = append(faults, fmt.Sprintf("%s: init does hidden work: let the caller ask for it", t.at(fn)))
				}
			}
		}
	}
	return faults
}

// resolve is the path, from the root, of a link in the file at name.
func resolve(name, target string) string { return path.Join(path.Dir(name), target) }
