package argcheck

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestRealSchemas compiles the input schemas of public servers. A schema that
// doesn't compile is one whose calls go unchecked.
func TestRealSchemas(t *testing.T) {
	const least = 0.99
	// The number says which lines are read: of the large file every seventh.
	for file, every := range map[string]int{"catalog-real.jsonl": 1, "catalog-large.jsonl": 7, "livemcpbench-tools.jsonl": 1} {
		t.Run(file, func(t *testing.T) {
			f, err := os.Open(filepath.Join("..", "..", "..", "shared", "eval", file))
			if err != nil {
				t.Skipf("the catalogs aren't here: %v", err)
			}
			defer f.Close()
			line, all, compiled := 0, 0, 0
			lines := bufio.NewScanner(f)
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				if line++; line%every != 0 {
					continue
				}
				var tool struct{ InputSchema json.RawMessage }
				if err := json.Unmarshal(lines.Bytes(), &tool); err != nil {
					t.Fatal(err)
				}
				all++
				s, err := Compile(tool.InputSchema)
				if err != nil {
					t.Logf("%v", err)
					continue
				}
				compiled++
				s.Check([]byte(`{}`))
			}
			if err := lines.Err(); err != nil || all == 0 {
				t.Fatalf("%d lines, %v", all, err)
			}
			if share := float64(compiled) / float64(all); share < least {
				t.Errorf("%d of %d compile, want at least %.0f %%", compiled, all, 100*least)
			}
		})
	}
}
