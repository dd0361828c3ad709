// Package promrules checks the alert rules and the dashboard of deploy/observability with Prometheus' own packages. It is
// a module of its own, so that the product's needs none of them.
//
// Invariants:
//
//  1. The rules are taken as Prometheus takes them (TestTheRulesAreValid).
//  2. Every metric and label in a rule or a panel is one that the program has, by docs/metrics.md
//     (TestRulesAndPanelsNameMetricsThatExist).
//  3. Each alert fires when what it is for happens, and not in good times (TestAlertsFireWhenTheyShould).
package promrules
