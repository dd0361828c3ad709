package relay_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"mcp-toolsearch/sidecar/relay"
	"mcp-toolsearch/sidecar/wire"
)

// forgetful is an upstream of the legacy era with one session at a time, which it may forget.
type forgetful struct {
	mu       sync.Mutex
	session  int
	seen     []string // methods, each with its session
	refuse   bool     // initialize
	streams  chan string
	answerTo func(w http.ResponseWriter, r *http.Request, m *wire.Message) bool
}

func (f *forgetful) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.session++
}

func (f *forgetful) all() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.seen, " ")
}

func (f *forgetful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := &wire.Message{Method: r.Method}
	if len(body) > 0 {
		var fault *wire.Fault
		if m, fault = wire.Scan(body, wire.Limits{}); fault != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	}
	f.mu.Lock()
	name := m.Method
	if m.Kind == wire.Response {
		name = "response"
	}
	f.seen = append(f.seen, name+"/"+r.Header.Get("Mcp-Session-Id")+"/"+r.Header.Get("Mcp-Protocol-Version"))
	current := fmt.Sprint("s", f.session)
	refuse := f.refuse
	f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case m.Method == "initialize" && refuse:
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write(wire.ErrorBody(nil, wire.CodeInternal, "not now", nil))
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", current)
		_, _ = w.Write(wire.ResultBody(m.ID, wire.Legacy, []byte(`{"protocolVersion":"2025-06-18","capabilities":{}}`)))
	case r.Header.Get("Mcp-Session-Id") != current:
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write(wire.ErrorBody(nil, wire.CodeInvalidRequest, "no such session", nil))
	case r.Method == http.MethodGet && r.Header.Get("Last-Event-Id") == "":
		stream(w)
		for {
			select {
			case data := <-f.streams:
				event(w, data)
			case <-r.Context().Done():
				return
			}
		}
	case f.answerTo != nil && f.answerTo(w, r, m):
	case m.Kind == wire.Request && len(body) > 0:
		_, _ = w.Write(wire.ResultBody(m.ID, wire.Legacy, []byte(`{"session":"`+current+`"}`)))
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

func openForgetful(t *testing.T) (*forgetful, *line) {
	t.Helper()
	f := &forgetful{streams: make(chan string)}
	return f, serveStdio(t, f, nil, func() {}, nil)
}

func ping(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }

func TestTheDoorHoldsTheSession(t *testing.T) {
	f, l := openForgetful(t)
	// All at once: what follows initialize waits for its answer, and for the notification.
	l.send(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}`+"\n"+
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+ping("2"))
	l.wants(t, `"id":1`, "protocolVersion")
	l.wants(t, `"id":2`, `"session":"s0"`)
	_ = l.in.Close()
	if err := <-l.done; err != nil {
		t.Fatal(err)
	}
	got := f.all()
	for _, want := range []string{"initialize// ", "notifications/initialized/s0/2025-06-18 ", "ping/s0/2025-06-18", "DELETE/s0/2025-06-18"} {
		if !strings.Contains(got+" ", want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
	if strings.Index(got, "initialized") > strings.Index(got, "ping") {
		t.Errorf("the order is %s", got)
	}
}

func TestAnotherInitializeEndsTheSessionBefore(t *testing.T) {
	f, l := openForgetful(t)
	l.initialize(t)
	l.initialize(t)
	eventually(t, "it is ended", func() bool { return strings.Contains(f.all(), "DELETE/s0/") })
	l.send(t, ping("2"))
	l.wants(t, `"id":2`, `"session":"s0"`)
}

func TestAForgottenSessionIsOpenedAgain(t *testing.T) {
	f, l := openForgetful(t)
	l.initialize(t)
	f.forget()
	for i := range 3 {
		l.send(t, ping(fmt.Sprint(10+i)))
	}
	for range 3 {
		l.wants(t, `"session":"s1"`)
	}
	if got := f.all(); strings.Count(got, "initialize/") != 2 || strings.Count(got, "notifications/initialized/s1") != 1 {
		t.Errorf("the upstream saw %s", got)
	}
	f.mu.Lock()
	f.refuse = true
	f.session++
	f.mu.Unlock()
	l.send(t, ping("20"))
	l.wants(t, `"id":20`, "another one could not be opened (HTTP 503): nothing was run")
}

func TestWhatServersSendBetweenRequestsIsRelayed(t *testing.T) {
	f, l := openForgetful(t)
	l.initialize(t)
	f.streams <- `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	l.wants(t, "list_changed")
	f.streams <- `{"jsonrpc":"2.0","id":10,"method":"roots/list"}`
	l.wants(t, `"id":10`, "roots/list")
	l.send(t, `{"jsonrpc":"2.0","id":10,"result":{"roots":[]}}`)
	eventually(t, "the server has its answer", func() bool { return strings.Contains(f.all(), "response/s0/") })
}

func TestAStreamThatEndsBeforeItsAnswerIsResumed(t *testing.T) {
	f, l := openForgetful(t)
	f.answerTo = func(w http.ResponseWriter, r *http.Request, m *wire.Message) bool {
		switch {
		case r.Method == http.MethodGet && r.Header.Get("Last-Event-Id") == "e1":
			stream(w)
			event(w, `{"jsonrpc":"2.0","id":5,"result":{"resumed":true}}`)
		case m.Method == "ping":
			stream(w)
			_, _ = io.WriteString(w, "event: prime\nid: e0\nretry: 10\ndata:\n\n: comment\n\nid: e1\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"method\":\"notifications/progress\"}\n\n")
		default:
			return false
		}
		return true
	}
	l.initialize(t)
	l.send(t, ping("5"))
	l.wants(t, "notifications/progress")
	l.wants(t, `"id":5`, `"resumed":true`)
}

func TestWhatIsNoAnswerBecomesOne(t *testing.T) {
	for name, tt := range map[string]struct {
		status            int
		mediaType, answer string
		want              string
	}{
		"plain text":          {400, "text/plain", "Bad Request", `"id":5,"error":{"code":-32603,"message":"the upstream answered HTTP 400 without a message`},
		"an error without id": {403, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no","data":{"a":1.0}}}`, `"id":5,"error":{"code":-32001,"message":"no","data":{"a":1.0}}`},
		"no JSON":             {200, "application/json", `{"jsonrpc"`, `HTTP 200 with what is no message`},
		"another's answer":    {200, "application/json", `{"jsonrpc":"2.0","id":6,"result":{}}`, `answered another request`},
		"a stream that ends":  {200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n", `the answer broke off: what was asked may have been done`},
		"nothing":             {202, "", "", `HTTP 202 without a message`},
		"a large one":         {200, "application/json", `{"jsonrpc":"2.0","id":5,"result":{"a":"` + strings.Repeat("x", 1000) + `"}}`, `larger than 500 bytes: it was run`},
		"a large event":       {200, "text/event-stream", `data: {"jsonrpc":"2.0","id":5,"result":{"a":"` + strings.Repeat("x", 1000) + `"}}` + "\n\n", `larger than 500 bytes: it was run`},
		"over several lines":  {200, "application/json", "{\"jsonrpc\":\"2.0\",\n\"id\":5,\r\n\"result\":{}}\n", `"jsonrpc":"2.0", "id":5,`},
	} {
		t.Run(name, func(t *testing.T) {
			l := serveStdio(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if tt.mediaType != "" {
					w.Header().Set("Content-Type", tt.mediaType)
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.answer)
			}), nil, func() {}, func(o *relay.StdioOptions) { o.AnswerBytes = 500 })
			l.modern(t, ping("5"))
			got := l.next(t)
			for strings.Contains(got, `"method":"x"`) {
				got = l.next(t)
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestASubscriptionThatEndsIsTold(t *testing.T) {
	l := serveStdio(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		stream(w)
		event(w, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged"}`)
	}), nil, func() {}, nil)
	l.modern(t, `{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen"}`)
	l.wants(t, "acknowledged")
	l.wants(t, "notifications/cancelled", `"requestId":"s"`)
}

func FuzzLinesOfAClient(f *testing.F) {
	f.Add([]byte(ping("1") + "\n" + readCall + "\r\n\n[" + ping("2") + "]\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\nx"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}` + "\n" + ping("2") + "\n" + `{"jsonrpc":"2.0","id":9,"result":1}`))
	f.Fuzz(func(t *testing.T, lines []byte) {
		door := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			m, fault := wire.Scan(body, wire.Limits{})
			if fault != nil || m.Kind != wire.Request {
				w.WriteHeader(http.StatusAccepted)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(wire.ResultBody(m.ID, wire.Legacy, []byte("{}")))
		})
		var out strings.Builder
		if err := relay.ServeStdio(t.Context(), relay.StdioOptions{Handler: door}, strings.NewReader(string(lines)), &out); err != nil {
			t.Fatal(err)
		}
		for answer := range strings.Lines(out.String()) {
			if a, err := wire.ScanAnswer([]byte(answer)); err != nil || a.Result.Absent() && a.Error.Absent() || !strings.HasSuffix(answer, "\n") {
				t.Fatalf("%q was written: %v", answer, err)
			}
		}
	})
}
