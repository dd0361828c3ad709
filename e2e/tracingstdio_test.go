package e2e_test

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/otlptest"
	"mcp-toolsearch/internal/upstreamtest"
)

// TestOneTraceThroughStdio: a client without headers says its span in _meta; what the program has not sent when its
// client leaves is sent at the end. The stdio door is in front of the HTTP door, so both are passed.
func TestOneTraceThroughStdio(t *testing.T) {
	receiver := traceReceiver(t)
	up := upstreamtest.New(t, toolOf("mail_find", "Find mail.", true))
	cmd := exec.Command(programs.Build(t, e2e.Sidecar), "stdio", "--upstream", up.URL(), "--otlp-endpoint", receiver.URL())
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
	answers := bufio.NewReader(out)
	said := func(message string) string {
		t.Helper()
		if _, err := io.WriteString(in, message+"\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	said(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	answer := said(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"call_read_tool","arguments":{"name":"mail_find"},"_meta":{"traceparent":"` + callersSpan + `"}}}`)
	if strings.Contains(answer, `"isError":true`) {
		t.Error(answer)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	var call *otlp.Span
	for _, s := range receiver.Spans() { // no wait: the program has ended
		if s.Name == "tools/call mail_find" && fmt.Sprintf("%x", s.TraceId) == callersTrace {
			call = s
		}
	}
	calls := up.RequestsOf("tools/call")
	if call == nil || len(calls) != 1 {
		t.Fatalf("%d calls; spans %q", len(calls), otlptest.Names(receiver.Spans()))
	}
	if want, got := fmt.Sprintf("00-%x-%x-01", call.TraceId, call.SpanId), calls[0].Header.Get("Traceparent"); got != want {
		t.Errorf("the call came with %q, want %q", got, want)
	}
}
