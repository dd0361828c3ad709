package errorpage

import (
	"fmt"
	"slices"
	"strings"

	"mcp-toolsearch/sidecar/bounds"
)

// LimitsPage is docs/limits.md.
func LimitsPage() string {
	var b strings.Builder
	b.WriteString(`# Limits

Made from the code by ` + "`make docs`" + `. A limit without a setting is fixed. Beyond a limit on work at a time a request is told to try again:
HTTP 503 with ` + "`Retry-After`" + ` and a JSON-RPC error (` + "`overloaded`" + ` in [errors](errors.md)), through Envoy and through the HTTP door alike; nothing was run.
What is kept is searched and called all the same, and the admin listener's health is apart from all this. A few metrics stand for several limits.

With a memory limit (` + "`GOMEMLIMIT`" + `, or nine tenths of the container's), ` + "`mcp_toolsearch_memory_limit_bytes`" + `, budgets that aren't set are shares of it:
22 % for catalogs, an eighth for bodies and for one listing, a tenth for listings under way, 8 % for merged servers' listings, 6 % for what the
index remembers, 3 % for compiled schemas. The heap is collected when it has grown by half
(unless ` + "`GOGC`" + ` is set), and before it comes within 40 MiB of the limit, which are for what the runtime doesn't count. When over 50 % of the limit is live after a collection, half of the catalogs leave, and no listing is begun until
it is below 42 %.

| what | default | setting | beyond it | metric |
|---|---|---|---|---|
`)
	for _, l := range Limits() {
		setting := "-"
		if l.Setting != "" {
			setting = "`--" + l.Setting + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", cell(l.What), l.Default, setting, l.Beyond, l.Metric())
	}
	return b.String()
}

// Metric shows that the limit was reached, as the page writes it; "-" where nothing does.
func (l Limit) Metric() string {
	named := map[string]bounds.Limit{"max-requests": bounds.Requests, "max-streams": bounds.Streams, "max-connections": bounds.Connections,
		"max-bodies": bounds.Bodies, "max-listings": bounds.Listings, "max-waiting-listings": bounds.Listings}
	if limit, ok := named[l.Setting]; ok {
		return fmt.Sprintf("`mcp_toolsearch_limit_reached_total{limit=%q}`", limit)
	}
	_, reason, _ := strings.Cut(l.Beyond, "`")
	reason, rest, _ := strings.Cut(reason, "`")
	switch {
	case l.What == liveMemory:
		return fmt.Sprintf("`mcp_toolsearch_limit_reached_total{limit=%q}`", bounds.Memory)
	case strings.HasPrefix(reason, "mcp_toolsearch_"):
		return "`" + reason + "`"
	case reason == "catalog_unavailable" && strings.Contains(rest, "("):
		_, outcome, _ := strings.Cut(rest, "(")
		outcome, _, _ = strings.Cut(outcome, ")")
		return fmt.Sprintf("`mcp_toolsearch_catalog_listings_total{outcome=%q}`", strings.ReplaceAll(outcome, " ", "_"))
	case has(Refusals(), reason):
		return fmt.Sprintf("`mcp_toolsearch_refusals_total{reason=%q}`", reason)
	case has(slices.Concat(Faults(), Door()), reason):
		return fmt.Sprintf("`mcp_toolsearch_faults_total{reason=%q}`", reason)
	case l.Setting == "max-callers" || l.Setting == "max-catalogs":
		return "`mcp_toolsearch_catalog_evictions_total`"
	}
	return "-"
}

func has(rows []Row, reason string) bool {
	return slices.ContainsFunc(rows, func(r Row) bool { return r.Reason == reason })
}
