package soak_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"mcp-toolsearch/sidecar/wire"
)

var (
	length = flag.Duration("soak", time.Minute, "how long the clients work")
	seed   = flag.Uint64("soak-seed", 1, "of what happens at random")
)

const (
	clients = 64
	servers = 8
	// withCommands is how many clients with sessions use the commands too: each has a process of its own, and there are
	// at most 16 of a command.
	withCommands = 8
	// think is how long a client waits between an answer and its next request.
	think = 150 * time.Millisecond
	// aftermath is how long after a kill calls of its server may fail: the server's start, and the product's pause
	// before it tries a server again that was down.
	aftermath = 15 * time.Second
)

func nameOf(server int) string { return fmt.Sprintf("srv%c", 'a'+server) }

// TestSoak holds the invariants of the package.
func TestSoak(t *testing.T) {
	r := start(t)
	idle := r.settled()
	all := r.clients()
	ctx, stop := context.WithTimeout(t.Context(), *length)
	defer stop()
	var working sync.WaitGroup
	outcomes := make(chan outcome, 1024)
	for _, c := range all {
		working.Go(func() { work(ctx, t.Context(), c, outcomes) })
	}
	kills := &killings{rig: r, random: rand.New(rand.NewPCG(*seed, 1)), last: map[int]time.Time{}}
	working.Go(func() { kills.run(ctx, *length*3/4) })
	w := &watch{rig: r}
	working.Go(func() { w.run(ctx, *length) })
	go func() { working.Wait(); close(outcomes) }()
	judge(t, outcomes, kills)
	w.judge(t)
	for _, c := range all {
		if o := c.one(t.Context()); o.broken != nil || o.failed != "" {
			t.Errorf("after the kills %s still fails: %s %v", c.name, o.failed, o.broken)
		}
		if err := c.end(t.Context()); err != nil {
			t.Errorf("%s ends: %v", c.name, err)
		}
		c.web.CloseIdleConnections()
	}
	r.givenBack(idle)
}

// work makes requests until ctx ends; the last one is answered, too.
func work(ctx, whole context.Context, c *client, outcomes chan<- outcome) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		outcomes <- c.one(whole)
		timer.Reset(think/2 + time.Duration(c.random.Int64N(int64(think))))
	}
}

// judge holds invariants 1 and 2.
func judge(t *testing.T, outcomes <-chan outcome, kills *killings) {
	t.Helper()
	total, failed, unexplained, broken := 0, 0, 0, 0
	var slowest time.Duration
	for o := range outcomes {
		total++
		slowest = max(slowest, o.took)
		switch {
		case o.broken != nil:
			if broken++; broken <= 10 {
				t.Errorf("%v", o.broken)
			}
		case o.failed != "":
			failed++
			if !kills.explains(o) {
				if unexplained++; unexplained <= 10 {
					t.Errorf("a call of %s failed after %s, and nobody had killed it (%s): %.300s", nameOf(o.server), o.took, kills.ago(o), o.failed)
				}
			}
		}
	}
	t.Logf("%d requests, %d failed by a kill, %d for no reason, %d without their answer, the slowest took %s; %d kills",
		total, failed-unexplained, unexplained, broken, slowest.Round(time.Millisecond), kills.count)
	if total < clients*int(*length/(8*think)) {
		t.Errorf("only %d requests in %s", total, *length)
	}
	if kills.count == 0 {
		t.Error("nobody was killed")
	}
}

// clients are 64, half of each era, each a caller of its own.
func (r *rig) clients() []*client {
	all := make([]*client, clients)
	for i := range all {
		era := []wire.Era{wire.Modern, wire.Legacy}[i%2]
		all[i] = &client{name: fmt.Sprintf("client%02d", i), url: r.door + "/mcp", era: era, random: rand.New(rand.NewPCG(*seed, uint64(i)+2)),
			web: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2}}}
		if era == wire.Legacy && i > 2*withCommands {
			all[i].from = commands
		}
	}
	return all
}
