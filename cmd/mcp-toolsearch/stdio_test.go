package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-toolsearch/internal/upstreamtest"
)

// written is what a command writes; it can be read while it runs.
type written struct {
	mu   sync.Mutex
	text strings.Builder
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

func TestStdioListensNowhere(t *testing.T) {
	up := upstreamtest.New(t, `{"name":"mail_find","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`)
	listen, admin, extproc := freeAddress(t), freeAddress(t), freeAddress(t)
	for name, end := range map[string]func(stop context.CancelFunc, in io.Closer){
		"until its input ends":  func(_ context.CancelFunc, in io.Closer) { _ = in.Close() },
		"until it is signalled": func(stop context.CancelFunc, _ io.Closer) { stop() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			theirs, in := io.Pipe()
			defer in.Close()
			out, ours := io.Pipe()
			log := &written{}
			code := make(chan int, 1)
			go func() {
				code <- run(ctx, terminal{in: theirs, out: ours, err: log, environ: []string{"TOOLSEARCH_LISTEN=" + listen, "TOOLSEARCH_ADMIN_LISTEN=" + admin, "TOOLSEARCH_EXTPROC_LISTEN=" + extproc}},
					[]string{"stdio", "--upstream", up.URL()})
			}()
			if _, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n"); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil || !strings.Contains(line, "call_write_tool") {
				t.Fatalf("%q, %v", line, err)
			}
			for _, address := range []string{listen, admin, extproc} {
				if got := get("http://" + address + "/"); got != 0 {
					t.Errorf("%s answers %d", address, got)
				}
			}
			end(stop, in)
			select {
			case got := <-code:
				if got != exitOK {
					t.Errorf("exit code %d: %s", got, log)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("it did not end")
			}
			if strings.Contains(log.String(), "call_write_tool\",\"") || !strings.Contains(log.String(), "stopped") {
				t.Errorf("the log is %s", log)
			}
		})
	}
}
