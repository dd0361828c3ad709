package promrules

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
)

const (
	rulesFile     = "../../deploy/observability/alerts.yaml"
	dashboardFile = "../../deploy/observability/dashboard.json"
	metricsPage   = "../../docs/metrics.md"
)

func rules(t *testing.T) []rulefmt.Rule {
	t.Helper()
	content, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	groups, faults := rulefmt.Parse(content, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	for _, fault := range faults {
		t.Error(fault)
	}
	if groups == nil {
		t.FailNow()
	}
	var all []rulefmt.Rule
	for _, g := range groups.Groups {
		all = append(all, g.Rules...)
	}
	return all
}

func TestTheRulesAreValid(t *testing.T) {
	all := rules(t)
	if len(all) < 8 {
		t.Errorf("only %d rules", len(all))
	}
	for _, r := range all {
		switch {
		case r.Alert == "":
			continue // a recording rule
		case r.Labels["severity"] != "page" && r.Labels["severity"] != "ticket":
			t.Errorf("%s: severity is neither page nor ticket", r.Alert)
		case r.Annotations["summary"] == "" || r.Annotations["next"] == "":
			t.Errorf("%s: no summary, or no next step", r.Alert)
		}
	}
}

// panels are the queries of the dashboard by the panel's title.
func panels(t *testing.T) map[string][]string {
	t.Helper()
	content, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Type    string
			Targets []struct{ Expr string }
		}
		Templating struct {
			List []struct{ Name, Query string }
		}
	}
	if err := json.Unmarshal(content, &dashboard); err != nil {
		t.Fatal(err)
	}
	queries := map[string][]string{}
	for _, p := range dashboard.Panels {
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("the panel %s asks nothing", p.Title)
		}
		for _, target := range p.Targets {
			queries[p.Title] = append(queries[p.Title], strings.NewReplacer("$__rate_interval", "5m", "$__range", "1h", "$job", ".*", "$instance", ".*").Replace(target.Expr))
		}
	}
	return queries
}

// series are the metrics of the program with their labels, as a scrape has them.
func series(t *testing.T) map[string][]string {
	t.Helper()
	content, err := os.ReadFile(metricsPage)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string][]string{"up": nil, "process_resident_memory_bytes": nil, "go_goroutines": nil, "process_cpu_seconds_total": nil, "ALERTS": {"alertname", "alertstate", "severity"}}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| ([a-z]+) \\| ([^|]*) \\|").FindAllStringSubmatch(string(content), -1) {
		var of []string
		for _, l := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[3], -1) {
			of = append(of, l[1])
		}
		if row[2] != "histogram" {
			known[row[1]] = of
			continue
		}
		known[row[1]+"_bucket"], known[row[1]+"_sum"], known[row[1]+"_count"] = append(slices.Clone(of), "le"), of, of
	}
	if len(known) < 40 {
		t.Fatalf("only %d series are read from %s", len(known), metricsPage)
	}
	return known
}

// judge names what a query asks for that isn't there.
func judge(query string, known map[string][]string) (faults []string) {
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(query)
	if err != nil {
		return []string{err.Error()}
	}
	all := []string{"job", "instance"} // of a scrape
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		v, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		of, ok := known[v.Name]
		if !ok {
			faults = append(faults, "there is no metric "+v.Name)
		}
		all = append(all, of...)
		for _, m := range v.LabelMatchers {
			if m.Name != labels.MetricName && m.Name != "job" && m.Name != "instance" && !slices.Contains(of, m.Name) {
				faults = append(faults, fmt.Sprintf("%s has no label %s", v.Name, m.Name))
			}
		}
		return nil
	})
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if a, ok := node.(*parser.AggregateExpr); ok {
			for _, l := range a.Grouping {
				if !slices.Contains(all, l) {
					faults = append(faults, "nothing has the label "+l+" to group by")
				}
			}
		}
		return nil
	})
	return faults
}

func TestRulesAndPanelsNameMetricsThatExist(t *testing.T) {
	known := series(t)
	for _, r := range rules(t) {
		for _, fault := range judge(r.Expr, known) {
			t.Errorf("%s%s: %s", r.Alert, r.Record, fault)
		}
	}
	asked := 0
	for title, queries := range panels(t) {
		for _, query := range queries {
			asked++
			for _, fault := range judge(query, known) {
				t.Errorf("panel %s: %s: %s", title, query, fault)
			}
		}
	}
	if asked < 12 {
		t.Errorf("the dashboard has only %d queries", asked)
	}
	for query, faulty := range map[string]bool{"mcp_toolsearch_nonsense": true, `mcp_toolsearch_searches_total{colour="red"}`: true, "sum by (colour) (mcp_toolsearch_searches_total)": true,
		"sum(": true, `sum by (result) (rate(mcp_toolsearch_searches_total{result="empty"}[5m]))`: false} {
		if got := judge(query, known); (len(got) > 0) != faulty {
			t.Errorf("%s: %v", query, got)
		}
	}
}

// TestAlertsFireWhenTheyShould evaluates each alert over an hour of samples, one a minute: after its time in the bad ones,
// never in the good ones.
func TestAlertsFireWhenTheyShould(t *testing.T) {
	good, bad := stories()
	for _, r := range rules(t) {
		if r.Alert == "" {
			continue
		}
		samples, ok := bad[r.Alert]
		if !ok {
			t.Errorf("%s: tell in stories when it fires", r.Alert)
			continue
		}
		if n := firing(t, good, r); n != 0 {
			t.Errorf("%s fires in good times, at %d of 60 minutes", r.Alert, n)
		}
		if n := firing(t, samples, r); n < 10 {
			t.Errorf("%s fires only at %d of 60 minutes", r.Alert, n)
		}
	}
}

// firing counts the minutes of an hour at which a rule's query has held for its time.
func firing(t *testing.T, samples string, r rulefmt.Rule) int {
	t.Helper()
	storage := promqltest.LoadedStorage(t, "load 1m\n"+samples)
	defer storage.Close()
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute})
	defer engine.Close()
	held, fires := 0, 0
	for minute := range 60 {
		query, err := engine.NewInstantQuery(t.Context(), storage, nil, r.Expr, time.Unix(0, 0).Add(time.Duration(minute)*time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		result := query.Exec(t.Context())
		vector, err := result.Vector()
		if err != nil {
			t.Fatal(err)
		}
		if len(vector) == 0 {
			held = 0
		} else if held++; time.Duration(held)*time.Minute > time.Duration(r.For) {
			fires++
		}
		query.Close()
	}
	return fires
}
