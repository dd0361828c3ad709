package reliability_test

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var sample = regexp.MustCompile(`(?m)^([a-z_]+(?:\{[^}]*\})?) (\S+)$`)

// metricsOf reads a metrics page; nothing when the product doesn't answer.
func metricsOf(t testing.TB, admin string) map[string]float64 {
	t.Helper()
	resp, err := http.Get("http://" + admin + "/metrics")
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil
	}
	all := map[string]float64{}
	for _, m := range sample.FindAllStringSubmatch(string(page), -1) {
		if all[m[1]], err = strconv.ParseFloat(m[2], 64); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// decided is how many requests a sidecar has decided.
func decided(metrics map[string]float64) (total float64) {
	for name, value := range metrics {
		if strings.HasPrefix(name, "mcp_toolsearch_decisions_total") {
			total += value
		}
	}
	return total
}

// left is what was open when a run was over, at most.
type left struct{ goroutines, files, streams float64 }

// nothingIsLeft waits until no stream of the product is open, no request is in Envoy, and goroutines and files are few.
func (s *stand) nothingIsLeft(most *left) {
	s.t.Helper()
	var m map[string]float64
	until(s.t, s.door+": streams, goroutines and files are given back", func() bool {
		if s.envoy != nil {
			active, err := s.envoy.Stat(s.t.Context(), "http.mcp.downstream_rq_active")
			if err != nil || active != 0 {
				return false
			}
		}
		m = s.gauges()
		return m["go_goroutines"] > 0 && m["go_goroutines"] < 100 && m["process_open_fds"] < 80 && m["mcp_toolsearch_extproc_open_streams"] == 0
	})
	most.goroutines, most.files = max(most.goroutines, m["go_goroutines"]), max(most.files, m["process_open_fds"])
	most.streams = max(most.streams, m["mcp_toolsearch_extproc_open_streams"])
}
