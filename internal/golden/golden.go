// Package golden compares what a test made with a file of the tree: generated documents and expected outputs. Tests run
// with -update write the file instead. It is for tests only.
//
// Invariants:
//
//  1. A difference names the first line that differs and how to write the file (TestADifferenceNamesTheLine).
package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-toolsearch/internal/setup"
)

var update = flag.Bool("update", false, "write expected files and generated documents instead of comparing with them")

// InTree compares got with a file named from the root of the tree, like docs/errors.md.
func InTree(tb testing.TB, name, got string) {
	tb.Helper()
	root, err := setup.Root()
	if err != nil {
		tb.Fatal(err)
	}
	compare(tb, filepath.Join(root, filepath.FromSlash(name)), name, got)
}

// File compares got with a file named from the test's own folder, like testdata/tools.json.
func File(tb testing.TB, name, got string) {
	tb.Helper()
	compare(tb, filepath.FromSlash(name), name, got)
}

func compare(tb testing.TB, path, name, got string) {
	tb.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			tb.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatalf("%s can't be read: write it with -update (make docs)", name)
	}
	if text := difference(string(want), got); text != "" {
		tb.Errorf("%s: %s; write it with -update (make docs)", name, text)
	}
}

// difference says where two texts differ first, or nothing.
func difference(want, got string) string {
	if want == got {
		return ""
	}
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("line %d is new: %q", i+1, b[i])
		case i >= len(b):
			return fmt.Sprintf("line %d is gone: %q", i+1, a[i])
		case a[i] != b[i]:
			return fmt.Sprintf("line %d is %q, want %q", i+1, b[i], a[i])
		}
	}
	return ""
}

// Section compares got with what stands between <!-- mark --> and <!-- /mark --> in a file named from the root of the
// tree: a generated part of a page that people write, like a table in README.md.
func Section(tb testing.TB, name, mark, got string) {
	tb.Helper()
	root, err := setup.Root()
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(root, filepath.FromSlash(name))
	page, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	before, rest, opened := strings.Cut(string(page), "<!-- "+mark+" -->\n")
	old, after, closed := strings.Cut(rest, "<!-- /"+mark+" -->\n")
	if !opened || !closed {
		tb.Fatalf("%s has no part between <!-- %s --> and <!-- /%s -->: put the two lines where it belongs", name, mark, mark)
	}
	whole := func(part string) string {
		return before + "<!-- " + mark + " -->\n" + part + "<!-- /" + mark + " -->\n" + after
	}
	if *update {
		compare(tb, path, name, whole(got))
		return
	}
	if text := difference(old, got); text != "" {
		tb.Errorf("%s, part %q: %s; write it with -update (make docs)", name, mark, text)
	}
}
