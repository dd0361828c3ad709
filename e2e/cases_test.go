package e2e_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/upstreamtest"
)

// scripted is a pair of routes in front of a scripted server.
func scripted(up *upstreamtest.Server) []envoy.Pair {
	return []envoy.Pair{{Search: "/mcp/search", Aggregate: "/mcp/all", Upstream: envoy.Address(strings.TrimPrefix(up.Origin(), "http://")), Rewrite: "/mcp"}}
}

func TestCasesThroughEnvoy(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.json")
	if err != nil || len(files) < 6 {
		t.Fatalf("case files: %q, %v", files, err)
	}
	for _, version := range fixtures.Envoys(t) {
		open := func(tb testing.TB, up *upstreamtest.Server, o cases.Operator) cases.Stack {
			var flags []string
			for name, globs := range map[string][]string{"--write-tools": o.WriteTools, "--read-tools": o.ReadTools} {
				if len(globs) > 0 {
					flags = append(flags, name, strings.Join(globs, ","))
				}
			}
			s := e2e.Start(tb, e2e.Options{Program: programs.Build(tb, e2e.Sidecar), Envoy: version, Pairs: scripted(up), Flags: flags})
			return cases.Stack{Do: http.DefaultClient.Do, URL: s.URL("/mcp/search"), Uncompilable: func() int { return counter(tb, s, "mcp_toolsearch_uncompilable_schemas_total") }}
		}
		for _, f := range files {
			t.Run(fmt.Sprintf("Envoy %s/%s", version, strings.TrimSuffix(filepath.Base(f), ".json")), func(t *testing.T) { cases.Run(t, f, open) })
		}
	}
}

// counter sums a metric over its labels.
func counter(t testing.TB, s *e2e.Stack, name string) int {
	t.Helper()
	return sum(t, s.Metrics(), name)
}

// sum sums a metric of a page over its labels.
func sum(t testing.TB, page, name string) int {
	t.Helper()
	sum := 0.0
	for _, m := range regexp.MustCompile(`(?m)^`+name+`(?:\{[^}]*\})? (\S+)$`).FindAllStringSubmatch(page, -1) {
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += v
	}
	return int(sum)
}
