package relay_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/relay"
	"mcp-toolsearch/sidecar/wire"
)

// line is a client at the stdio door.
type line struct {
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
	stop context.CancelFunc
	test *testdoor.Door
}

// openStdio opens a stdio door in front of an upstream.
func openStdio(t *testing.T, up *upstreamtest.Server, change func(*relay.StdioOptions), engine func(*testdoor.Setup)) *line {
	t.Helper()
	origin := up.Origin()
	test := testdoor.Open(t, up, func(s *testdoor.Setup) {
		if engine != nil {
			engine(s)
			origin = s.Engine.Upstream
		}
	})
	if origin == "" {
		origin = up.Origin()
	}
	transport := &http.Transport{DisableCompression: true}
	door, err := relay.New(relay.Options{Engine: test.Engine, Observer: &seen{}, Logger: slog.New(slog.DiscardHandler), Upstream: origin, Transport: transport,
		Loopback: true, Routes: []sidecar.Route{{Search: testdoor.SearchPath, Aggregate: testdoor.AggregatePath}}})
	if err != nil {
		t.Fatal(err)
	}
	return serveStdio(t, door, test, transport.CloseIdleConnections, change)
}

func serveStdio(t *testing.T, h http.Handler, test *testdoor.Door, after func(), change func(*relay.StdioOptions)) *line {
	t.Helper()
	o := relay.StdioOptions{Handler: h, Path: testdoor.SearchPath}
	if change != nil {
		change(&o)
	}
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	l := &line{in: in, out: bufio.NewReaderSize(out, 1<<20), done: make(chan error, 1), stop: stop, test: test}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.done <- relay.ServeStdio(ctx, o, fromClient, toClient)
		_ = toClient.Close()
	}()
	t.Cleanup(func() {
		_ = in.Close()
		_ = out.Close()
		stop()
		<-ended
		after()
	})
	return l
}

func (l *line) send(t *testing.T, message string) {
	t.Helper()
	if _, err := io.WriteString(l.in, message+"\n"); err != nil {
		t.Fatal(err)
	}
}

// modern sends a message dressed for the modern era.
func (l *line) modern(t *testing.T, message string) {
	t.Helper()
	body, _, err := cases.Dress([]byte(message), wire.Modern, "")
	if err != nil {
		t.Fatal(err)
	}
	l.send(t, string(body))
}

// next is the next line, which must be a message.
func (l *line) next(t *testing.T) string {
	t.Helper()
	timer := time.AfterFunc(15*time.Second, l.stop)
	defer timer.Stop()
	text, err := l.out.ReadString('\n')
	if err != nil {
		t.Fatalf("no line: %v", err)
	}
	if !json.Valid([]byte(text)) {
		t.Fatalf("%q is no message", text)
	}
	return text
}

// wants holds that the next line has some texts.
func (l *line) wants(t *testing.T, texts ...string) {
	t.Helper()
	got := l.next(t)
	for _, text := range texts {
		if !strings.Contains(got, text) {
			t.Errorf("%.600s lacks %s", got, text)
		}
	}
}

func (l *line) initialize(t *testing.T) {
	t.Helper()
	l.send(t, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	l.wants(t, `"id":"i"`, `"result"`)
	l.send(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func TestAConversationOverStdio(t *testing.T) {
	converse(t, func(t *testing.T, version string, stateful bool) *talk {
		t.Helper()
		return connectOver(t, version, stateful, func(upstream string) mcp.Transport {
			l := openStdio(t, upstreamtest.New(t), nil, func(s *testdoor.Setup) { s.Engine.Upstream = upstream })
			return &mcp.IOTransport{Reader: io.NopCloser(l.out), Writer: l.in}
		})
	})
}

func TestBothErasOnOnePipe(t *testing.T) {
	up := upstreamtest.New(t, find)
	l := openStdio(t, up, nil, nil)
	l.modern(t, `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`)
	l.wants(t, `"id":1`, `"supportedVersions"`)
	l.initialize(t)
	l.send(t, call("search_tools", `{"query":"find"}`))
	l.wants(t, `"id":7`, "mail_find")
	l.modern(t, strings.Replace(call("call_read_tool", `{"name":"mail_find"}`), `"id":7`, `"id":"m"`, 1))
	l.wants(t, `"id":"m"`, `"resultType"`)
	for _, r := range up.RequestsOf("tools/call") {
		if r.Header.Get("Mcp-Name") != "mail_find" || r.Header.Get("Mcp-Protocol-Version") != wire.ModernVersion {
			t.Errorf("headers %v", r.Header)
		}
	}
}

func TestWhatIsNoMessageIsAnswered(t *testing.T) {
	l := openStdio(t, upstreamtest.New(t, find), func(o *relay.StdioOptions) { o.LineBytes = 2000 }, nil)
	long := strings.Repeat("x", 3000)
	for _, tt := range []struct{ message, id, text string }{
		{`{"jsonrpc":`, "null", "-32700"},
		{`hello`, "null", "-32700"},
		{`{"jsonrpc":"2.0","id":5,"id":6,"method":"ping"}`, "null", "same name"},
		{`{"jsonrpc":"2.0","id":5,"Method":"ping"}`, "5", "looks like"},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"x":"` + long + `"}}`, "5", "larger than 2000 bytes"},
		{`{"method":"tools/call","params":{"x":"` + long + `"},"jsonrpc":"2.0","id":"a"}`, `"a"`, "larger than 2000 bytes"},
		{long, "null", "larger than 2000 bytes"},
	} {
		l.send(t, tt.message)
		l.wants(t, `"id":`+tt.id+`,"error"`, tt.text)
	}
	l.modern(t, list)
	l.wants(t, `"id":7`, "call_write_tool") // and it goes on
}

func TestRequestsRunBesideEachOther(t *testing.T) {
	release := make(chan struct{})
	l := openStdio(t, upstreamtest.New(t, find), nil, aside(t, upstreamtest.New(t, find), func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`)
	}))
	l.modern(t, readCall)
	l.modern(t, strings.Replace(list, "7", "8", 1))
	l.wants(t, `"id":8`)
	close(release)
	l.wants(t, `"id":7`, `"content":[]`)
}

func TestNoMoreRequestsAtATimeThanAllowed(t *testing.T) {
	began := make(chan struct{}, 100)
	l := openStdio(t, upstreamtest.New(t, find), func(o *relay.StdioOptions) { o.Concurrent, o.Grace = 1, time.Millisecond }, aside(t, upstreamtest.New(t, find), func(w http.ResponseWriter, r *http.Request) {
		began <- struct{}{}
		<-r.Context().Done()
	}))
	for i := range 17 {
		l.modern(t, strings.Replace(readCall, `"id":7`, `"id":"`+string(rune('A'+i))+`"`, 1))
	}
	l.wants(t, `"id":"Q"`, "16 requests are running already, and nothing was run")
	<-began
	if len(began) != 0 {
		t.Errorf("%d more have begun", len(began))
	}
	l.modern(t, strings.Replace(readCall, `"id":7`, `"id":"A"`, 1))
	l.wants(t, `"id":null`, "the same id is still running")
}

func TestACancellationEndsTheRequest(t *testing.T) {
	bothEras(t, func(t *testing.T, era wire.Era) {
		began, ended := make(chan struct{}), make(chan struct{})
		var first atomic.Bool
		l := openStdio(t, upstreamtest.New(t, find), nil, aside(t, upstreamtest.New(t, find), func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			if first.Swap(true) { // the cancellation
				w.WriteHeader(http.StatusAccepted)
				return
			}
			close(began)
			<-r.Context().Done()
			close(ended)
		}))
		if era == wire.Modern {
			l.modern(t, readCall)
		} else {
			l.initialize(t)
			l.send(t, readCall)
		}
		<-began
		l.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Fatal("the upstream was not told")
		}
		l.modern(t, strings.Replace(list, "7", "8", 1))
		l.wants(t, `"id":8`) // and nothing for the cancelled one
	})
}

func TestTheEndOfInputLetsAnswersArrive(t *testing.T) {
	release, began := make(chan struct{}), make(chan struct{})
	l := openStdio(t, upstreamtest.New(t, find), nil, aside(t, upstreamtest.New(t, find), func(w http.ResponseWriter, r *http.Request) {
		close(began)
		<-release
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`)
	}))
	l.modern(t, readCall)
	<-began
	_ = l.in.Close()
	close(release)
	l.wants(t, `"id":7`, `"result"`)
	if _, err := l.out.ReadString('\n'); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
	if err := <-l.done; err != nil {
		t.Errorf("error %v", err)
	}
}

func TestTheEndWaitsForNobodyForever(t *testing.T) {
	for name, end := range map[string]func(*line){"end of input": func(l *line) { _ = l.in.Close() }, "a signal": func(l *line) { l.stop() }} {
		t.Run(name, func(t *testing.T) {
			began := make(chan struct{})
			l := openStdio(t, upstreamtest.New(t, find), func(o *relay.StdioOptions) { o.Grace = 50 * time.Millisecond },
				aside(t, upstreamtest.New(t, find), func(_ http.ResponseWriter, r *http.Request) {
					close(began)
					<-r.Context().Done()
				}))
			l.modern(t, readCall)
			<-began
			end(l)
			l.wants(t, `"id":7`, "this program is stopping: what was asked may have been done")
			if err := <-l.done; err != nil {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestAClosedOutputEndsTheDoor(t *testing.T) {
	door := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- relay.ServeStdio(t.Context(), relay.StdioOptions{Handler: door}, fromClient, toClient) }()
	_ = out.Close()
	_, _ = io.WriteString(in, "junk\n")
	if err := <-done; err == nil || !strings.Contains(err.Error(), "stdout can't be written") {
		t.Errorf("error %v", err)
	}
	_ = in.Close()
}

// TestAnIDIsFreeWhenItsAnswerIsRead: many clients count, and some use one id for all they ask.
func TestAnIDIsFreeWhenItsAnswerIsRead(t *testing.T) {
	l := serveStdio(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}), nil, func() {}, nil)
	for range 2000 {
		l.modern(t, ping("1"))
		if got := l.next(t); !strings.Contains(got, `"result":{}`) {
			t.Fatalf("got %s", got)
		}
	}
}
