package reliability_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	begin = "<!-- table: make reliability -->\n"
	end   = "<!-- end of table -->\n"
)

// writePage puts the table into docs/reliability.md.
func writePage(t *testing.T, rows *table) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", "reliability.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, also := strings.Cut(rest, end)
	if !ok || !also {
		t.Fatalf("%s has no place for the table", path)
	}
	if err := os.WriteFile(path, []byte(before+begin+rows.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
