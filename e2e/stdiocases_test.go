package e2e_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

// TestCasesThroughStdio plays the cases through the program as a local command. What a pipe has nothing of is left out,
// and the reason printed.
func TestCasesThroughStdio(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.json")
	if err != nil || len(files) < 6 {
		t.Fatalf("case files: %q, %v", files, err)
	}
	program := programs.Build(t, e2e.Sidecar)
	open := func(tb testing.TB, up *upstreamtest.Server, o cases.Operator) cases.Stack {
		flags := []string{"stdio", "--upstream", up.URL(), "--log-level", "warn"}
		for name, globs := range map[string][]string{"--write-tools": o.WriteTools, "--read-tools": o.ReadTools} {
			if len(globs) > 0 {
				flags = append(flags, name, strings.Join(globs, ","))
			}
		}
		return cases.Stack{Do: startPipe(tb, program, flags...).do, URL: "http://stdio.invalid/", Uncompilable: func() int { return 0 }, Pipe: true}
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".json"), func(t *testing.T) { cases.Run(t, f, open) })
	}
}

// pipe is a program that is spoken to by lines.
type pipe struct {
	in    io.Writer
	lines chan []byte
}

func startPipe(tb testing.TB, program string, args ...string) *pipe {
	tb.Helper()
	cmd := exec.Command(program, args...)
	var log bytes.Buffer
	cmd.Stderr = &log
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	p := &pipe{in: in, lines: make(chan []byte)}
	go func() {
		defer close(p.lines)
		for reader := bufio.NewReader(out); ; {
			line, err := reader.ReadBytes('\n')
			if err != nil {
				return
			}
			p.lines <- line
		}
	}()
	tb.Cleanup(func() {
		_ = in.Close() // the program ends with it
		for range p.lines {
			continue // what nobody asked for
		}
		if err := cmd.Wait(); err != nil {
			tb.Errorf("%v; it printed:\n%s", err, &log)
		}
	})
	return p
}

// do sends a request's body as a line, and gives the line that answers it as an HTTP answer: the headers stay here.
func (p *pipe) do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if _, err := p.in.Write(append(body, '\n')); err != nil {
		return nil, err
	}
	m, fault := wire.Scan(body, wire.Limits{})
	if fault == nil && m.Kind == wire.Notification {
		return &http.Response{StatusCode: http.StatusAccepted, Header: http.Header{}, Body: http.NoBody}, nil
	}
	for overdue := time.After(time.Minute); ; {
		select {
		case line, open := <-p.lines:
			if !open {
				return nil, errors.New("the program ended")
			}
			a, err := wire.ScanAnswer(line)
			if err != nil {
				return nil, fmt.Errorf("a line is no message: %q", line)
			}
			if a.Method == "" {
				return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}, "Mcp-Session-Id": {"one"}},
					Body: io.NopCloser(bytes.NewReader(line))}, nil
			}
		case <-overdue:
			return nil, errors.New("no line answered within a minute")
		}
	}
}
