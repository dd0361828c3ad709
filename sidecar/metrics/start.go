package metrics

import (
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/catalog"
	"mcp-toolsearch/sidecar/tlsfiles"
)

// start makes the series of closed sets exist, at 0: what never happened can then be told from what isn't measured, and
// the first one counts in a rate. Decisions and faults come with the first of each.
func (m *Metrics) start() {
	refusals := []sidecar.Reason{sidecar.WrongDoor, sidecar.UnknownTool, sidecar.NearName, sidecar.MissingName, sidecar.BadCall,
		sidecar.BadArguments, sidecar.SelfCall, sidecar.DirectCall, sidecar.CatalogUnavailable, sidecar.HeaderUnsafe}
	for _, r := range refusals {
		m.refusals.WithLabelValues(string(r))
		if r != sidecar.DirectCall { // there is none in a batch
			m.batchItems.WithLabelValues(string(r))
		}
	}
	for _, outcome := range []string{"ok", "error"} {
		m.batchItems.WithLabelValues(outcome)
	}
	for _, k := range []sidecar.Kind{sidecar.Pass, sidecar.Answer, sidecar.Forward, sidecar.Merge} {
		m.duration.WithLabelValues(k.String())
	}
	for _, result := range []string{"hits", "empty"} {
		m.searches.WithLabelValues(result)
	}
	for _, outcome := range []string{"ok", "auth", "loop", "busy", "cancelled", "failed",
		"unreachable", "timed_out", "garbage", "too_large", "endless", "refused", "bad_status"} { // the kinds of package upstream
		m.listings.WithLabelValues(outcome)
	}
	m.notEdited.WithLabelValues("too_large")
	m.Definitions(0, 0)
	for _, position := range []int{1, 2, 4, 9} {
		m.followed.WithLabelValues(positionLabel(position))
	}
	m.Dropped(catalog.Dropped{})
	for _, outcome := range []string{"done", "canceled", "error"} {
		m.streams.WithLabelValues(outcome)
	}
	for _, reason := range []string{"upstream_failed", "upstream_timed_out", "upstream_unreachable", "upstream_broke_off", "certificate_refused"} {
		m.relayFailed.WithLabelValues(reason)
	}
	for _, reason := range tlsfiles.Reasons() {
		m.certificates.handshakes.WithLabelValues(reason)
	}
	for _, role := range []string{"extproc", "http", "upstream"} {
		for _, outcome := range []string{"taken", "refused"} {
			m.certificates.reloads.WithLabelValues(role, outcome)
		}
	}
}
