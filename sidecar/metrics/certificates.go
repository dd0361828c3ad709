package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// certificates are the metrics of TLS. They collect themselves: how long a certificate has is asked at each scrape.
type certificates struct {
	left       *prometheus.Desc
	reloads    *prometheus.CounterVec
	handshakes *prometheus.CounterVec

	mu   sync.Mutex
	ends map[certificate]time.Time
}

// certificate is what the labels say.
type certificate struct{ role, server, what string }

func (m *Metrics) certificateMetrics() {
	m.certificates = register(m, &certificates{ends: map[certificate]time.Time{},
		left: prometheus.NewDesc(namespace+"_certificate_expiry_seconds", "Time until a certificate or authority in a file in use ends, below 0 when it has; by role and, for one merged server, its name. "+
			"Of a bundle of authorities the next to end.", []string{"role", "server", "what"}, nil)})
	m.certificates.reloads = m.counterVec("certificate_reloads_total", "Changes of certificate files, by outcome: taken, or refused because of a mistake while the old ones stay.", "role", "outcome")
	m.certificates.handshakes = m.counterVec("tls_handshake_failures_total", "Failed TLS handshakes of the ext_proc listener, by reason.", "reason")
}

// Describe implements [prometheus.Collector].
func (c *certificates) Describe(out chan<- *prometheus.Desc) { out <- c.left }

// Collect implements [prometheus.Collector].
func (c *certificates) Collect(out chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for of, at := range c.ends {
		out <- prometheus.MustNewConstMetric(c.left, prometheus.GaugeValue, time.Until(at).Seconds(), of.role, of.server, of.what)
	}
}

// CertificateEnds says when certificates end; what is certificate or authority. server is "" where it is none's.
func (m *Metrics) CertificateEnds(role, server, what string, at time.Time) {
	m.certificates.mu.Lock()
	defer m.certificates.mu.Unlock()
	m.certificates.ends[certificate{role, server, what}] = at
}

// CertificateReloaded counts a change of files.
func (m *Metrics) CertificateReloaded(role, _, outcome string) {
	m.certificates.reloads.WithLabelValues(role, outcome).Inc()
}

// CertificateGone forgets files.
func (m *Metrics) CertificateGone(role, server string) {
	m.certificates.mu.Lock()
	defer m.certificates.mu.Unlock()
	for _, what := range []string{"certificate", "authority"} {
		delete(m.certificates.ends, certificate{role, server, what})
	}
}

// HandshakeFailed counts a failed TLS handshake of the ext_proc listener.
func (m *Metrics) HandshakeFailed(reason string) {
	m.certificates.handshakes.WithLabelValues(reason).Inc()
}
