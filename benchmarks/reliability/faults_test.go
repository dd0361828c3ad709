package reliability_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"mcp-toolsearch/internal/child"
)

var full = flag.Bool("reliability", false, "break everything at every stage and write docs/reliability.md")

func TestFaults(t *testing.T) {
	program := build(t)
	rows := &table{}
	stages, some := kinds(), kinds()
	if !*full {
		stages, some = []kind{first, write}, []kind{write}
	}
	t.Run("killed behind Envoy", func(t *testing.T) {
		s := behindEnvoy(t, program)
		rows.add(killedAtEveryStage(t, s, "to the sidecar", stages))
		rows.add(killedAtEveryStage(t, s, "of its listings", []kind{first}))
		rows.add(killedAtEveryStage(t, s, "to the server", some))
		s.nothingIsLeft(&rows.left)
	})
	t.Run("killed as the HTTP door", func(t *testing.T) {
		s := alone(t, program, setting{})
		rows.add(killedAtEveryStage(t, s, "from the client", stages))
		rows.add(killedAtEveryStage(t, s, "to the server", some))
		s.nothingIsLeft(&rows.left)
	})
	t.Run("resets behind Envoy", func(t *testing.T) {
		s := behindEnvoy(t, program)
		rows.add(resetAtEveryStage(t, s, "to the sidecar", stages))
		rows.add(resetAtEveryStage(t, s, "of its listings", []kind{first}))
		rows.add(resetAtEveryStage(t, s, "to the server", stages))
		s.nothingIsLeft(&rows.left)
	})
	t.Run("resets of the HTTP door", func(t *testing.T) {
		s := alone(t, program, setting{})
		rows.add(resetAtEveryStage(t, s, "to the server", stages))
		rows.add(resetAtEveryStage(t, s, "from the client", some))
		s.nothingIsLeft(&rows.left)
	})
	t.Run("killed while answers stream", func(t *testing.T) { rows.add(killedWhileAnswersStream(t, behindEnvoy(t, program))) })
	t.Run("two sidecars restarted in turn under load", func(t *testing.T) { rows.add(restartedInTurn(t, program)) })
	t.Run("one of two sidecars killed under load", func(t *testing.T) { rows.add(oneOfTwoKilled(t, program)) })
	t.Run("Envoy restarted under load", func(t *testing.T) { rows.add(envoyRestarted(t, program, rows)) })
	t.Run("slow clients", func(t *testing.T) {
		rows.add(slowClients(t, behindEnvoy(t, program), rows))
		rows.add(slowClients(t, alone(t, program, setting{}), rows))
	})
	t.Run("slow server", func(t *testing.T) { rows.add(slowServer(t, program)) })
	t.Run("disk full", func(t *testing.T) { diskFull(t, program, rows) })
	t.Run("names don't resolve", func(t *testing.T) { namesDontResolve(t, program, rows) })
	t.Run("certificate expired", func(t *testing.T) { rows.add(certificateExpired(t, program)) })
	t.Log("\n" + rows.String())
	if *full && !t.Failed() {
		writePage(t, rows)
	}
}

// killedWhileAnswersStream kills the sidecar while Envoy carries answers that have begun.
func killedWhileAnswersStream(t *testing.T, s *stand) *row {
	r := &row{fault: "sidecar killed while answers stream that have begun", door: s.door}
	var all []outcome
	for range times(5, 1) {
		const calls = 8
		outcomes := make(chan outcome, calls)
		var begun atomic.Int64
		c := newClient(s.url, "patient")
		s.recovered(c, read, time.Now())
		c.begun = func() { begun.Add(1) }
		for i := range calls {
			k := []kind{read, write}[i%2]
			go func() { outcomes <- c.slow(t.Context(), k, time.Second) }()
		}
		until(t, "all answers have begun", func() bool { return begun.Load() >= calls })
		s.kill()
		r.struck++
		for range calls {
			all = append(all, <-outcomes)
		}
		over := time.Now()
		s.start()
		r.recoveries = append(r.recoveries, s.recovered(c, search, over))
	}
	r.count(s.server, all...)
	r.judge(t, all, false)
	return r
}

// times is how often to do something: in full, or in the short form.
func times(inFull, otherwise int) int {
	if *full {
		return inFull
	}
	return otherwise
}

func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "mcp-toolsearch")
	p, err := child.Start(t.Context(), child.Spec{Path: "go", Args: []string{"build", "-o", program, "mcp-toolsearch/cmd/mcp-toolsearch"}, Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, p.Log())
	}
	return program
}

func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for !ok() {
		if ctx.Err() != nil {
			t.Fatalf("not within half a minute: %s", what)
		}
		pause(5 * time.Millisecond)
	}
}
