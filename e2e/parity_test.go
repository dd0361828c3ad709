package e2e_test

import (
	"bytes"
	"errors"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/dialogue"
	"mcp-toolsearch/internal/envoy"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

// exchangeable serves whichever server is put into it: one door then plays all dialogues.
type exchangeable struct {
	now atomic.Pointer[upstreamtest.Server]
}

func (x *exchangeable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x.now.Load().ServeHTTP(w, r)
}

// TestParity plays the same dialogues through the doors of the built program: through Envoy, by HTTP and over a pipe,
// the latter two also in front of a merge of one server. What comes back is the same, message by message and byte by
// byte, as through the engine in process (internal/dialogue).
func TestParity(t *testing.T) {
	files, err := filepath.Glob("testdata/parity/*.txtar")
	if err != nil || len(files) < 8 {
		t.Fatalf("dialogues: %q, %v", files, err)
	}
	program := programs.Build(t, e2e.Sidecar)
	byWords := []string{"--embedder", "none"} // as in process
	behindEnvoy, behindHTTP := &exchangeable{}, &exchangeable{}
	idle := upstreamtest.New(t)
	behindEnvoy.now.Store(idle)
	behindHTTP.now.Store(idle)
	s := e2e.Start(t, e2e.Options{Program: program, Envoy: fixtures.Envoys(t)[0], Pairs: []envoy.Pair{
		{Search: "/mcp/search", Aggregate: "/mcp/all", Upstream: e2e.Serve(t, behindEnvoy), Rewrite: "/mcp"}},
		Flags: byWords})
	alone := e2e.Alone(t, program, e2e.Serve(t, behindHTTP), "/mcp", byWords...)
	// Each dialogue has a caller of its own, so that nothing is cached for it.
	open := map[string]func(t *testing.T, up *upstreamtest.Server, token string) dialogue.Door{
		"Envoy": func(t *testing.T, up *upstreamtest.Server, token string) dialogue.Door {
			behindEnvoy.now.Store(up)
			return overHTTP(t, s.URL("/mcp/search"), token)
		},
		"HTTP": func(t *testing.T, up *upstreamtest.Server, token string) dialogue.Door {
			behindHTTP.now.Store(up)
			return overHTTP(t, alone+"/mcp/search", token)
		},
	}
	for door, flags := range map[string]func(up *upstreamtest.Server) []string{
		"stdio": func(up *upstreamtest.Server) []string {
			return []string{"--upstream", up.Origin(), "--routes", "/mcp/search=/mcp"}
		},
		"stdio, one server": func(up *upstreamtest.Server) []string { return []string{"--upstreams", up.URL()} },
	} {
		open[door] = func(t *testing.T, up *upstreamtest.Server, _ string) dialogue.Door {
			return overPipe(t, program, append(append([]string{"stdio"}, byWords...), flags(up)...)...)
		}
	}
	open["HTTP, one server"] = func(t *testing.T, up *upstreamtest.Server, token string) dialogue.Door {
		d := e2e.Merge(t, program, map[string]e2e.Server{"one": {URL: up.URL()}}, byWords...)
		return overHTTP(t, d.Origin+"/mcp", token)
	}
	for _, path := range files {
		f, err := dialogue.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
			for door, through := range open {
				if !f.Plays(era) {
					continue
				}
				t.Run(name+"/"+era.String()+"/"+door, func(t *testing.T) {
					f.Play(t, era, through(t, f.Serve(t, era), "Bearer "+name+era.String()), false)
				})
			}
		}
	}
}

// overHTTP is a client of a search route, whose session ends with the test.
func overHTTP(t *testing.T, url, authorization string) dialogue.Door {
	d := &dialogue.HTTP{Do: http.DefaultClient.Do, URL: url, Authorization: authorization}
	t.Cleanup(func() {
		if err := d.End(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// overPipe runs the program as the local command of a client. What it writes to standard output must be messages; it
// ends by itself when its input ends.
func overPipe(t *testing.T, program string, args ...string) dialogue.Door {
	t.Helper()
	cmd := exec.Command(program, args...)
	var log bytes.Buffer
	cmd.Stderr = &log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		timer := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			t.Errorf("the program ends with %v", err)
		}
		if t.Failed() {
			t.Logf("%s", log.String())
		}
	})
	return dialogue.NewPipe(in, out)
}
