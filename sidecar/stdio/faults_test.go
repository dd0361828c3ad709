//go:build unix

package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-toolsearch/sidecar/stdio"
)

func TestACrashInMidCallSaysThatItMayHaveRun(t *testing.T) {
	r := open(t, "legacy modern")
	session := r.session(t)
	r.call(t, session, "crash").has(t, http.StatusOK, "ended by itself (exit status 3) before it answered: what was asked may have been done")
	r.call(t, session, "pid").has(t, http.StatusNotFound, "send initialize again")
	r.call(t, r.session(t), "pid").has(t, http.StatusOK, "pid") // started again
	r.do(t, modern(t, t.Context(), call("1", "crash"))).has(t, http.StatusOK, "may have been done")
	r.do(t, modern(t, t.Context(), call("1", "pid"))).has(t, http.StatusOK, "pid")
}

func TestWhatTheProcessNeverGotWasNotRun(t *testing.T) {
	r := open(t, "legacy")
	session := r.session(t)
	calls, leave := context.WithCancel(t.Context())
	defer leave()
	stopped, err := r.RoundTrip(request(t, calls, session, call("1", "stops"))) // it has stopped when this returns
	if err != nil {
		t.Fatal(err)
	}
	defer stopped.Body.Close()
	got := make(chan answer, 3)
	large := `"arguments":{"x":"` + strings.Repeat("x", 1<<20) + `"}` // more than a pipe holds: what stands behind it is never sent
	for i := range 3 {
		go func() {
			resp, err := r.RoundTrip(request(t, t.Context(), session, strings.Replace(call(fmt.Sprint(10+i), "pid"), `"arguments":{}`, large, 1)))
			if err != nil {
				t.Error(err)
			}
			got <- read(t, resp)
		}()
	}
	eventually(t, "they wait", func() bool { return r.Waiting(session) == 4 })
	r.do(t, del(t, session))
	never := 0
	for range 3 {
		if strings.Contains((<-got).body, "was stopped before it got the request: nothing was run") {
			never++
		}
	}
	if never != 2 {
		t.Errorf("%d were told that nothing was run, want 2", never)
	}
}

func TestACrashLoopIsToldWithItsLastStatus(t *testing.T) {
	r := open(t, "never")
	r.do(t, request(t, t.Context(), "", initialize)).has(t, http.StatusServiceUnavailable, "ended by itself (exit status 3) before it was ready: nothing was run")
	var last answer
	eventually(t, "it is not started at once any more", func() bool {
		last = r.do(t, request(t, t.Context(), "", initialize))
		return strings.Contains(last.body, "times in a row (last: exit status 3)")
	})
	if last.status != http.StatusServiceUnavailable || last.header.Get("Retry-After") == "" || !strings.Contains(last.body, `"id":1,`) {
		t.Errorf("HTTP %d, %v, %s", last.status, last.header, last.body)
	}
	r.do(t, modern(t, t.Context(), call("1", "pid"))).has(t, http.StatusServiceUnavailable, "last: exit status 3")
}

func TestACommandThatIsNotThereIsTold(t *testing.T) {
	r := open(t, "legacy", func(o *stdio.Options) { o.Server.Command = "no-such-program-anywhere" })
	got := r.do(t, request(t, t.Context(), "", initialize))
	got.has(t, http.StatusServiceUnavailable, "could not be started (its command was not found)")
	r = open(t, "legacy", func(o *stdio.Options) { o.Server.Cwd = filepath.Join(t.TempDir(), "gone") })
	r.do(t, request(t, t.Context(), "", initialize)).has(t, http.StatusServiceUnavailable, "could not be started (no such file or directory)")
}

func TestJunkOnStdoutIsSkipped(t *testing.T) {
	r := open(t, "legacy")
	session := r.session(t)
	got := r.call(t, session, "junk")
	if len(got.events) != 0 || !strings.Contains(got.body, `{"after":"junk"}`) {
		t.Errorf("events %q, body %s", got.events, got.body)
	}
	r.do(t, del(t, session))
	eventually(t, "it is counted", func() bool { return strings.Contains(r.log.String(), "junk_lines=7") })
	if strings.Contains(r.log.String(), "Starting") {
		t.Error("junk is in the log")
	}
}

func TestLargeMessagesPass(t *testing.T) {
	r := open(t, "legacy")
	session := r.session(t)
	if got := r.call(t, session, "big:2000000"); len(got.body) < 2_000_000 {
		t.Errorf("%d bytes: %.200s", len(got.body), got.body)
	}
	text := strings.Repeat("x", 2_000_000)
	got := r.do(t, request(t, t.Context(), session, `{"jsonrpc":"2.0","id":1,"method":"echo","params":{"x":"`+text+`"}}`))
	if !strings.Contains(got.body, text) {
		t.Errorf("%d bytes: %.200s", len(got.body), got.body)
	}
	r.do(t, request(t, t.Context(), session, `{"jsonrpc":"2.0","id":1,"method":"echo","params":{"x":"`+text+text+text+`"}}`)).has(t, http.StatusRequestEntityTooLarge, "larger than")
}

func TestAnAnswerThatIsTooLongEndsItsCall(t *testing.T) {
	r := open(t, "legacy", func(o *stdio.Options) { o.LineBytes = 100_000 })
	session := r.session(t)
	r.call(t, session, "big:200000").has(t, http.StatusOK, "larger than this program takes: it was run")
	r.call(t, session, "bigfirst:200000").has(t, http.StatusOK, "larger than this program takes: it was run")
	r.call(t, session, "pid").has(t, http.StatusOK, "pid")
}

func TestASlowReaderLosesNotificationsOnly(t *testing.T) {
	r := open(t, "legacy")
	session := r.session(t)
	resp, err := r.RoundTrip(request(t, t.Context(), session, call("1", "flood")))
	if err != nil {
		t.Fatal(err)
	}
	r.call(t, session, "pid").has(t, http.StatusOK, "pid") // the others aren't held up
	eventually(t, "all was printed", func() bool { return r.Waiting(session) == 0 })
	if got := read(t, resp); len(got.events) > 2000 || !strings.Contains(got.body, `{"flood":"over"}`) {
		t.Errorf("%d events, the last %s", len(got.events), got.body)
	}
}

func TestWhoDoesNotReadIsEnded(t *testing.T) {
	r := open(t, "legacy")
	session := r.session(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	go func() { _, _ = r.RoundTrip(request(t, ctx, session, call("1", "deaf"))) }()
	eventually(t, "its session is gone", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		resp, err := r.RoundTrip(request(t, ctx, session, call("2", "pid")))
		if err != nil {
			return false
		}
		return read(t, resp).status == http.StatusNotFound
	})
}

func TestNothingIsLeftAfterClose(t *testing.T) {
	r := open(t, "legacy")
	got := r.call(t, r.session(t), "grandchild")
	pid := number(t, got.body)
	if !running(pid) {
		t.Fatal("the grandchild does not run")
	}
	start := time.Now()
	r.Close()
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	eventually(t, "the grandchild is gone", func() bool { return !running(pid) })
	if _, err := r.RoundTrip(request(t, t.Context(), "", initialize)); !errors.Is(err, stdio.ErrClosed) {
		t.Errorf("error %v", err)
	}
}

func TestACrashLeavesNothingEither(t *testing.T) {
	r := open(t, "legacy")
	session := r.session(t)
	pid := number(t, r.call(t, session, "grandchild").body)
	r.call(t, session, "crash").has(t, http.StatusOK, "exit status 3")
	eventually(t, "the grandchild is gone", func() bool { return !running(pid) })
}

func TestWhoIgnoresEverythingIsKilled(t *testing.T) {
	r := open(t, "legacy clings")
	pid := number(t, r.call(t, r.session(t), "pid").body)
	r.Close()
	if running(pid) {
		t.Error("it still runs")
	}
}

func TestCloseEndsCallsUnderWay(t *testing.T) {
	r := open(t, "legacy")
	resp, err := r.RoundTrip(request(t, t.Context(), r.session(t), call("1", "wait")))
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	read(t, resp).has(t, http.StatusOK, "was stopped before it answered")
}

func TestTheSessionUnusedForLongestMakesRoom(t *testing.T) {
	r := open(t, "legacy", func(o *stdio.Options) { o.MaxProcesses = 2 })
	one, two := r.session(t), r.session(t)
	r.call(t, one, "pid")
	three := r.session(t)
	r.call(t, two, "pid").has(t, http.StatusNotFound, "send initialize again")
	for _, session := range []string{one, three} {
		resp, err := r.RoundTrip(request(t, t.Context(), session, call("1", "wait")))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
	}
	r.do(t, request(t, t.Context(), "", initialize)).has(t, http.StatusTooManyRequests, "all 2 processes of the MCP server scripted are working")
}

func TestAnUnusedProcessEnds(t *testing.T) {
	r := open(t, "legacy", func(o *stdio.Options) { o.IdleTimeout = 50 * time.Millisecond })
	session := r.session(t)
	pid := number(t, r.call(t, session, "pid").body)
	eventually(t, "it is gone", func() bool { return !running(pid) })
	r.call(t, session, "pid").has(t, http.StatusNotFound, "send initialize again")
	r.call(t, r.session(t), "late").has(t, http.StatusOK, "late") // a running call is no idleness
}

func TestEnvironment(t *testing.T) {
	r := open(t, "legacy", func(o *stdio.Options) {
		o.Environ = []string{"PATH=/usr/bin:/bin", "HOME=/h", "LANG=lt", "LC_ALL=C", "SHELL=() { :; }", "SECRET_TOKEN=s3cret", "CONFIGURED=ours"}
		o.Server.Env["CONFIGURED"] = "theirs"
	})
	got := r.call(t, r.session(t), "environment").body
	if want := `{"env":"CONFIGURED=theirs;GORACE=atexit_sleep_ms=0;HOME=/h;LANG=lt;LC_ALL=C;PATH=/usr/bin:/bin;STDIO_TEST_ROLE=legacy"}`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestStderrIsOnlyCounted(t *testing.T) {
	r := open(t, "never")
	got := r.do(t, request(t, t.Context(), "", initialize))
	eventually(t, "its lines are counted", func() bool { return strings.Contains(r.log.String(), "stderr_lines=1") })
	if strings.Contains(r.log.String()+got.body, "secret") {
		t.Error("stderr got out")
	}
}

func TestStderrIsLoggedOnRequest(t *testing.T) {
	r := open(t, "never", func(o *stdio.Options) { o.LogStderr = true })
	got := r.do(t, request(t, t.Context(), "", initialize))
	eventually(t, "its last lines are told", func() bool { return strings.Contains(r.log.String(), "stderr=secret-on-stderr") })
	if strings.Contains(got.body, "secret") {
		t.Error("stderr is in the answer")
	}
}

// number is the pid in an answer.
func number(t *testing.T, body string) int {
	t.Helper()
	_, after, _ := strings.Cut(body, `"pid":`)
	var n int
	if _, err := fmt.Sscanf(after, "%d", &n); err != nil {
		t.Fatalf("no pid in %s", body)
	}
	return n
}

// running tells whether a process lives: a zombie that nobody awaits has ended all the same.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}
