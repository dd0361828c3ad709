package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"mcp-toolsearch/sidecar/catalog"
)

// kept collects the sizes of the kept catalogs. They are asked for once a scrape, because that walks all of them.
type kept struct {
	stats                          func() catalog.Stats
	catalogs, tools, bytes, oldest *prometheus.Desc
}

func newKept(stats func() catalog.Stats) *kept {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, nil, nil)
	}
	return &kept{stats: stats,
		catalogs: desc("catalogs", "Catalogs kept, one a caller, route and era."),
		tools:    desc("catalog_tools", "Tools in the kept catalogs, counted per caller."),
		bytes:    desc("catalog_bytes", "Memory of the kept catalogs, shared content counted once."),
		oldest:   desc("catalog_oldest_seconds", "Age of the oldest kept catalog."),
	}
}

// Describe implements [prometheus.Collector].
func (k *kept) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{k.catalogs, k.tools, k.bytes, k.oldest} {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (k *kept) Collect(out chan<- prometheus.Metric) {
	st := k.stats()
	gauge := func(d *prometheus.Desc, v float64) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v)
	}
	gauge(k.catalogs, float64(st.Callers))
	gauge(k.tools, float64(st.Tools))
	gauge(k.bytes, float64(st.Bytes))
	gauge(k.oldest, st.Oldest.Seconds())
}
