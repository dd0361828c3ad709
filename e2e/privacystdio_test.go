package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

// TestNoMarkedValueIsRecordedByTheStdioDoor is TestNoMarkedValueIsRecorded by lines, in front of a server and of a merge
// with a command that prints the mark.
func TestNoMarkedValueIsRecordedByTheStdioDoor(t *testing.T) {
	for name, flags := range map[string]func(up *upstreamtest.Server) []string{
		"one server": func(up *upstreamtest.Server) []string { return []string{"--upstream", up.URL()} },
		"merged": func(up *upstreamtest.Server) []string {
			config := filepath.Join(t.TempDir(), "mcp.json")
			content := marshal(t, map[string]any{"mcpServers": map[string]any{"mail": e2e.Server{URL: up.URL()}, "features": talkative()}})
			if err := os.WriteFile(config, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			return []string{"--config", config}
		},
	} {
		for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
			t.Run(name+"/"+era.String(), func(t *testing.T) {
				up := upstreamtest.New(t, toolOf("mail_find", "Find mail.", true))
				up.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true; b.Instructions = mark })
				up.Script("mail_find", upstreamtest.Script{Result: `{"content":[{"type":"text","text":"` + mark + `"}]}`})
				p := startPiped(t, append([]string{"stdio", "--log-level", "debug"}, flags(up)...)...)
				if era == wire.Legacy {
					p.say(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"`+mark+`","version":"`+mark+`"}}}`)
				}
				for _, fail := range []bool{false, true} {
					if fail {
						up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 500, Body: mark})
					}
					for i, body := range markedBodies() {
						if i < len(markedBodies())-2 {
							dressed, _, err := cases.Dress([]byte(body), era, "")
							if err != nil {
								t.Fatal(err)
							}
							body = string(dressed)
						}
						p.say(t, body)
					}
				}
				unmarked(t, p.end(t), "") // it has no admin listener
			})
		}
	}
}

// piped is the program with a client at its pipes.
type piped struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *bufio.Reader
	log     *bytes.Buffer
}

func startPiped(t *testing.T, args ...string) *piped {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), programs.Build(t, e2e.Sidecar), args...)
	p := &piped{cmd: cmd, log: &bytes.Buffer{}}
	cmd.Stderr = p.log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in, p.answers = in, bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// say sends a line and reads up to its answer: what is no request with an id is answered too, here.
func (p *piped) say(t *testing.T, line string) {
	t.Helper()
	taints.Message([]byte(line))
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		t.Fatalf("%v; the log:\n%s", err, p.log)
	}
	for {
		answer, err := p.answers.ReadString('\n')
		if err != nil {
			t.Fatalf("no answer to %s: %v; the log:\n%s", line, err, p.log)
		}
		taints.Message([]byte(answer))
		var m struct{ Method string }
		if json.Unmarshal([]byte(answer), &m) != nil || m.Method == "" {
			return
		}
	}
}

// end closes the input and returns what the program logged until it ended.
func (p *piped) end(t *testing.T) string {
	t.Helper()
	if err := p.in.Close(); err != nil {
		t.Error(err)
	}
	_, _ = io.Copy(io.Discard, p.answers)
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
	return strings.TrimSpace(p.log.String())
}
