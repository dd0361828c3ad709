// Package metrics counts what the sidecar does, for Prometheus. It is the home of client_golang.
//
// Invariants:
//
//  1. No label holds a value of a request: labels come from closed sets (TestNoMarkedValueIsALabel).
//  2. Every metric is in docs/metrics.md, and every one there exists (TestDocsMetrics).
//  3. Names and help texts follow Prometheus' conventions (TestTheMetricsAreWellNamed).
package metrics
