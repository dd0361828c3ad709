package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// servers are the metrics of merged servers. Their names are the operator's own.
type servers struct {
	listings *prometheus.CounterVec
	took     *prometheus.HistogramVec
	tools    *prometheus.GaugeVec
	up       *prometheus.GaugeVec
	resets   *prometheus.CounterVec
	collided prometheus.Gauge
	reloads  *prometheus.CounterVec
}

func (m *Metrics) serverMetrics() {
	m.servers = servers{
		listings: m.counterVec("server_listings_total", "Listings of one merged server, by outcome.", "server", "outcome"),
		took:     m.histogramVec("server_listing_duration_seconds", "Time of one listing of a merged server.", decisionBuckets, "server"),
		tools:    m.gaugeVec("server_tools", "Tools of a merged server at its last listing.", "server"),
		up:       m.gaugeVec("server_up", "1 while a merged server answers, 0 while it can't be reached.", "server"),
		resets:   m.counterVec("server_session_resets_total", "Sessions with a merged server that were lost and opened anew.", "server"),
		collided: m.gauge("server_collided_tools", "Tools that go under source__name because another merged server has one of the same name.", nil),
		reloads:  m.counterVec("config_reloads_total", "Changes of the file of servers (--config), by outcome: taken, or refused because of a mistake.", "outcome"),
	}
	for _, outcome := range []string{"taken", "refused"} {
		m.servers.reloads.WithLabelValues(outcome)
	}
}

// ServerListed counts a merged server's listing; outcome is ok or a kind of failure.
func (m *Metrics) ServerListed(server, outcome string, tools int, took time.Duration) {
	m.servers.listings.WithLabelValues(server, outcome).Inc()
	m.servers.took.WithLabelValues(server).Observe(took.Seconds())
	if outcome == "ok" {
		m.servers.tools.WithLabelValues(server).Set(float64(tools))
	}
}

// ServerGone forgets a server that left with a reload.
func (m *Metrics) ServerGone(server string) {
	of := prometheus.Labels{"server": server}
	m.servers.listings.DeletePartialMatch(of)
	m.servers.took.DeletePartialMatch(of)
	m.servers.tools.DeletePartialMatch(of)
	m.servers.up.DeletePartialMatch(of)
	m.servers.resets.DeletePartialMatch(of)
}

// Collided says how many tools go under another name.
func (m *Metrics) Collided(tools int) { m.servers.collided.Set(float64(tools)) }

// ServerUp says whether a server answers.
func (m *Metrics) ServerUp(server string, up bool) {
	value := 0.0
	if up {
		value = 1
	}
	m.servers.up.WithLabelValues(server).Set(value)
}

// SessionReset counts a session that was opened anew.
func (m *Metrics) SessionReset(server string) { m.servers.resets.WithLabelValues(server).Inc() }

// Reloaded counts a change of the file of servers.
func (m *Metrics) Reloaded(outcome string) { m.servers.reloads.WithLabelValues(outcome).Inc() }
