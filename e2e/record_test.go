package e2e_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/fixtures"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

// TestALeakIsFound holds that the look at the end of the suite sees what it is for. Planted in the program, these were
// found by it, in tests with marks and without: a query as the decision line's detail, an item of a batch printed past the
// log, arguments' faults as a refusal's reason (in the log and as a metric's label), the caller's method as a metric's
// label, a query as a span's error.type.
func TestALeakIsFound(t *testing.T) {
	seen := e2e.NewTaints()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Answer", "header of an answer")
		_, _ = io.WriteString(w, "event: message\ndata: {\"result\":{\"text\":\"what the tool said\"}}\n\n")
	}))
	defer upstream.Close()
	own := &http.Transport{}
	defer own.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, upstream.URL+"/mcp?secret-in-the-query", strings.NewReader(`{"params":{"name":"mail_find_all","arguments":{"q":"rent of the flat"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer opensesame123")
	resp, err := seen.Transport(own).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.ReadAll(resp.Body)
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	const own1 = `Refusal{"what the program says"}`
	seen.Text("what the program says")
	for line, leaks := range map[string]bool{
		`level=INFO msg=decided tool=mail_find_all outcome=ok`:             false,
		`level=INFO msg=decided tool="rent of the flat"`:                   false, // judged by the handler's definitions, not here
		`{"msg":"decided","tool":"rent of the flat"}`:                      false,
		`level=INFO msg=decided tool=nothing_` + e2e.Mark:                  true, // no listing has it
		`level=DEBUG msg=x q="rent of the flat"`:                           true,
		`level=DEBUG msg="rent of the flat"`:                               true,
		`{"level":"DEBUG","msg":"x","q":"rent of the flat"}`:               true,
		`level=DEBUG msg=x token="Bearer opensesame123"`:                   true,
		`level=DEBUG msg=x path="/mcp?secret-in-the-query"`:                true,
		`level=DEBUG msg=x header="header of an answer"`:                   true,
		`level=DEBUG msg=x answer="{\"text\":\"what the tool said\"}"`:     true,
		`level=WARN msg="what the program says"`:                           false,
		`level=INFO msg=decided undefined=withheld`:                        true,
		`level=INFO msg=decided reason=withheld`:                           true,
		`{"msg":"decided","reason":"withheld"}`:                            true,
		`mcp_toolsearch_refusals_total{reason="` + e2e.Mark + `"} 1`:       true,
		"level=INFO msg=x\npanic: runtime error: index out of range [1]\n": true,
	} {
		if found := e2e.Leaks(map[string]string{"log.1": line}, seen, own1); (len(found) > 0) != leaks {
			t.Errorf("%s: %q", line, found)
		}
	}
}

// TestEverySidecarIsRecorded: however it is started, whatever level it is told, and though it is killed; the log and the
// metrics page, which nobody here asks for.
func TestEverySidecarIsRecorded(t *testing.T) {
	up := upstreamtest.New(t, toolOf("recorded_by_name", "Find mail.", true))
	program := programs.Build(t, e2e.Sidecar)
	d := e2e.Standalone(t, program, "--upstream", up.Origin(), "--routes", "/mcp/search=/mcp", "--log-level", "error")
	ask(t, question{url: d.Origin + "/mcp/search", era: wire.Modern, body: callBody("call_read_tool", map[string]any{"name": "recorded_by_name"})})
	recorded := filepath.Join(filepath.Dir(program), "recorded")
	e2e.Until(t, "the metrics page is recorded", func() bool {
		page, err := os.ReadFile(filepath.Join(recorded, fmt.Sprintf("page.own.%d", d.Pid())))
		return err == nil && regexp.MustCompile(`mcp_toolsearch_decisions_total{.*call_read_tool`).Match(page)
	})
	if err := d.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-d.Done()
	e2e.Until(t, "the log of the killed sidecar is recorded", func() bool {
		text, err := os.ReadFile(filepath.Join(recorded, fmt.Sprintf("log.%d", d.Pid())))
		return err == nil && strings.Contains(string(text), "tool=recorded_by_name")
	})
}

// TestACrashDumpHoldsNoMark has a marked call in flight, and a marked batch, when the sidecar is told to print what all
// its goroutines do and die.
func TestACrashDumpHoldsNoMark(t *testing.T) {
	program := programs.Build(t, e2e.Sidecar)
	for name, start := range map[string]func(*testing.T, *upstreamtest.Server) (string, func() string){
		"HTTP": func(t *testing.T, up *upstreamtest.Server) (string, func() string) {
			d := e2e.Standalone(t, program, "--upstream", up.Origin(), "--routes", "/mcp/search=/mcp")
			return d.Origin + "/mcp/search", func() string { return dumped(t, d.Signal, d.Done(), d.Log) }
		},
		"merged": func(t *testing.T, up *upstreamtest.Server) (string, func() string) {
			d := e2e.Merge(t, program, map[string]e2e.Server{"mail": {URL: up.URL()}})
			return d.Origin + "/mcp", func() string { return dumped(t, d.Signal, d.Done(), d.Log) }
		},
		"Envoy": func(t *testing.T, up *upstreamtest.Server) (string, func() string) {
			s := e2e.Start(t, e2e.Options{Program: program, Envoy: fixtures.Envoys(t)[0], Pairs: scripted(up)})
			return s.URL("/mcp/search"), func() string { return s.DumpSidecar() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			up := upstreamtest.New(t, toolOf("mail_find", "Find mail.", true))
			url, dump := start(t, up)
			ask(t, question{url: url, token: mark, era: wire.Modern, body: callBody("search_tools", map[string]any{"query": mark})})
			up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.Hang})
			item := map[string]any{"name": "mail_find", "arguments": map[string]any{"q": mark}}
			answered := make(chan struct{})
			for _, body := range []string{callBody("call_read_tool", item), callBody("call_read_tools", map[string]any{"calls": []any{item, item}})} {
				go func() {
					_, _ = try(t.Context(), question{url: url, token: mark, era: wire.Modern, body: body}) // it breaks off
					answered <- struct{}{}
				}()
			}
			e2e.Until(t, "the calls have reached the server", func() bool { return len(up.RequestsOf("tools/call")) >= 3 })
			text := dump()
			<-answered
			<-answered
			e2e.Keep(program, "dump", []byte(text))
			if !strings.Contains(text, "SIGQUIT: quit") || !strings.Contains(text, "sidecar.(*Engine)") {
				t.Errorf("that is no dump of a request in flight: %.2000s", text)
			}
			for _, form := range []string{mark, fmt.Sprintf("%x", mark), "0x7a7a6b72616d7a7a"} { // the last: its bytes as one word of memory
				if i := strings.Index(text, form); i >= 0 {
					t.Errorf("the dump holds the mark as %s: %.300s", form, text[max(0, i-100):])
				}
			}
		})
	}
}

// TestProfilesAreOnTheAdminListenerAlone asks every listener for them, with a marked call in flight.
func TestProfilesAreOnTheAdminListenerAlone(t *testing.T) {
	up := upstreamtest.New(t, toolOf("mail_find", "Find mail.", true))
	d := e2e.Standalone(t, programs.Build(t, e2e.Sidecar), "--upstream", up.Origin(), "--routes", "/mcp/search=/mcp", "--admin-pprof") // its pages are looked through
	resp, err := http.Get(d.Origin + "/debug/pprof/")
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("the HTTP door: status %d, %v", resp.StatusCode, err)
	}
	if page := d.Page("/debug/pprof/goroutine?debug=2"); !strings.Contains(page, "goroutine") {
		t.Errorf("the admin listener: %.200s", page)
	}
}

// dumped has a process print what its goroutines do, and returns what it printed.
func dumped(t *testing.T, signal func(os.Signal) error, done <-chan struct{}, log func() string) string {
	t.Helper()
	if err := signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	<-done
	e2e.Until(t, "the dump is printed", func() bool { return strings.Contains(log(), "SIGQUIT: quit") })
	return log()
}
