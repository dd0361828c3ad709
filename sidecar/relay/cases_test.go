package relay_test

import (
	"path/filepath"
	"strings"
	"testing"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
)

func TestCasesThroughTheHTTPDoor(t *testing.T) {
	files, err := filepath.Glob("../../e2e/testdata/cases/*.json")
	if err != nil || len(files) < 6 {
		t.Fatalf("case files: %q, %v", files, err)
	}
	through := func(tb testing.TB, up *upstreamtest.Server, o cases.Operator) cases.Stack {
		r := open(tb, up, nil, func(s *testdoor.Setup) { s.Catalog.WriteTools, s.Catalog.ReadTools = o.WriteTools, o.ReadTools })
		return cases.Stack{Do: r.client.Do, URL: r.url(), Uncompilable: r.test.Seen.Uncompilable}
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".json"), func(t *testing.T) { cases.Run(t, f, through) })
	}
}
