package reliability_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/child"
)

// replica is one of two sidecars behind an Envoy.
type replica struct {
	s       *stand
	args    []string
	admin   string
	process *child.Process
}

// twoSidecars is behindEnvoy with a second sidecar, and Envoy's connections to both untapped.
func twoSidecars(t *testing.T, program string) (*stand, []*replica) {
	t.Helper()
	s := &stand{t: t, door: throughEnvoy, server: newServer(ledger), program: program, taps: map[string]*tap{}}
	s.taps["to the server"] = newTap(t, serve(t, s.server.handler()))
	one, two := free(t), free(t)
	s.startEnvoy(free(t), one, func(config string) string {
		host, port, _ := strings.Cut(two, ":")
		first := "endpoints: [ { lb_endpoints: [ { endpoint: { address: "
		at := strings.Index(config, first) + len(first) - len("{ endpoint: { address: ")
		return config[:at] + fmt.Sprintf("{ endpoint: { address: { socket_address: { address: %q, port_value: %s } } } }, ", host, port) + config[at:]
	})
	s.url = s.envoy.URL("/mcp/search")
	var both []*replica
	for _, extproc := range []string{one, two} {
		r := &replica{s: s, admin: free(t)}
		r.args = []string{"serve", "--upstream", "http://" + s.envoy.Addr(), "--extproc-listen", extproc, "--admin-listen", r.admin, "--log-level", "warn"}
		r.start()
		both = append(both, r)
	}
	s.recovered(newClient(s.url, "start"), search, time.Now())
	for i := range both {
		both[i].untilUsed()
	}
	return s, both
}

func (r *replica) start() {
	p, err := child.Start(context.Background(), child.Spec{Path: r.s.program, Args: r.args})
	if err != nil {
		r.s.t.Error(err)
		return
	}
	r.process = p
	r.s.t.Cleanup(p.Kill)
}

// untilUsed waits until Envoy sends this replica requests.
func (r *replica) untilUsed() {
	c := newClient(r.s.url, "used")
	until(r.s.t, "Envoy uses a sidecar that has started", func() bool {
		c.do(r.s.t.Context(), list)
		return decided(metricsOf(r.s.t, r.admin)) > 0
	})
}

// restartedInTurn restarts both sidecars as a rolling update does, while clients work: nothing may be lost.
func restartedInTurn(t *testing.T, program string) *row {
	s, both := twoSidecars(t, program)
	r := &row{fault: "two sidecars restarted in turn (SIGTERM), 32 clients", door: s.door}
	all := underLoad(t, s, func() {
		for range times(5, 1) {
			for _, one := range both {
				one.process.Stop(40 * time.Second)
				r.struck++
				one.start()
				one.untilUsed()
			}
		}
	})
	r.count(s.server, all...)
	r.judge(t, all, false)
	return r
}

// oneOfTwoKilled kills one of two sidecars at random moments, and starts it again.
func oneOfTwoKilled(t *testing.T, program string) *row {
	s, both := twoSidecars(t, program)
	r := &row{fault: "one of two sidecars killed, 32 clients", door: s.door}
	random := rand.New(rand.NewPCG(1, 1))
	probe := newClient(s.url, "probe")
	all := underLoad(t, s, func() {
		for range times(20, 2) {
			one := both[random.IntN(2)]
			pause(time.Duration(random.IntN(1000)) * time.Millisecond)
			one.process.Kill()
			r.struck++
			r.recoveries = append(r.recoveries, s.recovered(probe, search, time.Now()))
			one.start()
			one.untilUsed()
		}
	})
	r.count(s.server, all...)
	r.judge(t, all, true)
	return r
}

// envoyRestarted ends Envoy as a crash does and starts it again on the same address.
func envoyRestarted(t *testing.T, program string, rows *table) *row {
	s := behindEnvoy(t, program)
	r := &row{fault: "Envoy killed and started again, 32 clients", door: s.door}
	probe := newClient(s.url, "probe")
	all := underLoad(t, s, func() {
		for range times(5, 1) {
			pause(500 * time.Millisecond)
			address := s.envoy.Addr()
			s.envoy.Close()
			over := time.Now()
			r.struck++
			s.startEnvoy(address, s.taps["to the sidecar"].addr(), nil)
			r.recoveries = append(r.recoveries, s.recovered(probe, search, over))
		}
	})
	r.count(s.server, all...)
	r.judge(t, all, true)
	s.nothingIsLeft(&rows.left)
	return r
}

// underLoad lets 32 clients work while faults runs, and for a second after it.
func underLoad(t *testing.T, s *stand, faults func()) []outcome {
	t.Helper()
	s.recovered(newClient(s.url, "start"), search, time.Now())
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan []outcome, 1)
	go func() { done <- load(ctx, t.Context(), s.url, 32, 100*time.Millisecond) }()
	pause(time.Second)
	faults()
	pause(time.Second)
	stop()
	return <-done
}
