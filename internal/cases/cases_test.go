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

// doors are the ways in which decisions are carried out in this process.
func doors() map[string]cases.Open {
	return map[string]cases.Open{
		"in process": func(tb testing.TB, up *upstreamtest.Server, o cases.Operator) cases.Stack {
			d := testdoor.Open(tb, up, operator(o))
			return cases.Stack{Do: d.RoundTrip, URL: "http://" + testdoor.Host + testdoor.SearchPath, Uncompilable: d.Seen.Uncompilable}
		},
		"HTTP": func(tb testing.TB, up *upstreamtest.Server, o cases.Operator) cases.Stack {
			s := testdoor.Serve(tb, up, operator(o))
			return cases.Stack{Do: s.Client.Do, URL: s.URL, Uncompilable: s.Seen.Uncompilable}
		},
	}
}

func operator(o cases.Operator) func(*testdoor.Setup) {
	return func(s *testdoor.Setup) { s.Catalog.WriteTools, s.Catalog.ReadTools = o.WriteTools, o.ReadTools }
}

func TestCasesRunInBothEras(t *testing.T) {
	files, err := filepath.Glob("../../e2e/testdata/cases/*.json")
	if err != nil || len(files) < 6 {
		t.Fatalf("case files: %q, %v", files, err)
	}
	for _, f := range files {
		for door, open := range doors() {
			t.Run(strings.TrimSuffix(filepath.Base(f), ".json")+"/"+door, func(t *testing.T) { cases.Run(t, f, open) })
		}
	}
}
