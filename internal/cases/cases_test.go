package cases_test

import (
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(tb testing.TB, up *upstreamtest.Server, o cases.Operator) cases.Stack {
	d := testdoor.Open(tb, up, func(s *testdoor.Setup) { s.Catalog.WriteTools, s.Catalog.ReadTools = o.WriteTools, o.ReadTools })
	return cases.Stack{Do: d.RoundTrip, URL: "http://" + testdoor.Host + testdoor.SearchPath, Uncompilable: d.Seen.Uncompilable}
}

func TestCasesRunInBothEras(t *testing.T) {
	files, err := filepath.Glob("../../e2e/testdata/cases/*.json")
	if err != nil || len(files) < 6 {
		t.Fatalf("case files: %q, %v", files, err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".json"), func(t *testing.T) { cases.Run(t, f, open) })
	}
}
