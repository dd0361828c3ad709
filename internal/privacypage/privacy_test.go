package privacypage_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcp-toolsearch/internal/golden"
	"mcp-toolsearch/sidecar/logline"
	"mcp-toolsearch/sidecar/tracing"
)

// labels are where the values of metrics' labels come from. Each set is closed, or the operator's own.
func labels() map[string]string {
	return map[string]string{
		"kind":      "what was done with a request; what tokens were",
		"method":    "the protocol's methods, else other",
		"meta_tool": "which of the five",
		"outcome":   "a fixed set of words",
		"era":       "modern or legacy",
		"reason":    "the reasons of errors.md",
		"result":    "hits or empty",
		"position":  "four groups of positions",
		"server":    "the merged servers' names in the operator's configuration",
		"version":   "the program's version",
		"limit":     "the limits of limits.md",
		"role":      "which certificate files: a listener's, an upstream's",
		"what":      "certificate or authorities",
	}
}

const head = `# What is recorded

Made from the definitions in the code by ` + "`make docs`" + `. **No query, argument, result, token or header value is recorded** — in no log line at any level, no
metric, no trace, no page of the admin listener, no crash dump. Four things hold that:

- The log goes through a handler that knows the keys below and what each may hold; anything else is written as ` + "`withheld`" + `.
- Metrics' labels come from closed sets, or from the operator's configuration.
- The tests through a real Envoy run every sidecar at debug level and keep everything that it writes, whatever test or client started it; when they are
  over, the values of requests and answers are looked for in all of it, and in the metrics, the traces and crash dumps of requests in flight.
- A panic while a request runs is logged as what kind of mistake and where, never its value; the program's own code panics with constants only.

Nothing is written to disk but the log on stderr and the manifest (` + "`--manifest-path`" + `: tools' definitions that all callers share). How long logs, metrics and traces are kept is up
to whoever collects them. Memory holds requests while they run and catalogs while they are kept: a core dump of the process (the system's, off unless you
switch it on) has both. ` + "`--admin-pprof`" + ` serves the program's own profiles: functions and addresses, no values.

Exceptions that you switch on: ` + "`--log-server-stderr`" + ` writes what local commands print on stderr. A request id is the gateway's only when it has the form of a UUID.
`

func TestDocsPrivacy(t *testing.T) {
	var b strings.Builder
	b.WriteString(head)
	b.WriteString("\n## The log\n\nEvery line has `time`, `level` and `msg`, which is a text of the program's. One line for each decision at level info; the first keys are those of that line.\n\n" +
		"| key | what it says | where it comes from | example |\n|---|---|---|---|\n")
	for _, k := range logline.Keys() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` |\n", k.Name, k.About, k.Origin, k.Example)
	}
	b.WriteString("\n## Metrics\n\n[metrics.md](metrics.md) has them all. Their labels:\n\n| label | where its values come from | metrics |\n|---|---|---|\n")
	used := labelsOf(t)
	for _, label := range slices.Sorted(maps.Keys(used)) {
		from, ok := labels()[label]
		if !ok {
			t.Errorf("the label %s of %v is not explained: add it here", label, used[label])
		}
		fmt.Fprintf(&b, "| `%s` | %s | `%s` |\n", label, from, strings.Join(used[label], "`, `"))
	}
	b.WriteString("\nSamples of times carry the `trace_id` of a recorded trace as an exemplar.\n\n")
	b.WriteString("## Traces\n\nOff unless an endpoint is set. All attributes of spans:\n\n| attribute | what it says | where its values come from |\n|---|---|---|\n")
	for _, a := range tracing.Attributes() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", a.Key, a.Meaning, a.Values)
	}
	b.WriteString("\nNames of spans:\n\n| name | what it is |\n|---|---|\n")
	for _, n := range tracing.SpanNames() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", n.Name, n.Meaning)
	}
	golden.InTree(t, "docs/privacy.md", b.String())
}

// labelsOf are the labels in docs/metrics.md, which a test of package metrics holds to the registry, with their metrics.
func labelsOf(t *testing.T) map[string][]string {
	page, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `mcp_toolsearch_([a-z_]+)` \\| [a-z]+ \\| ([^|]*) \\|").FindAllStringSubmatch(string(page), -1) {
		for _, l := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[2], -1) {
			used[l[1]] = append(used[l[1]], row[1])
		}
	}
	return used
}
