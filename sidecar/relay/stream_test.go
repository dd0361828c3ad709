package relay_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/relay"
	"mcp-toolsearch/sidecar/wire"
)

// aside is an upstream that answers lists like up and everything else by h.
func aside(t *testing.T, up *upstreamtest.Server, h http.HandlerFunc) func(*testdoor.Setup) {
	t.Helper()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		body, err := io.ReadAll(hr.Body)
		if err != nil {
			t.Error(err)
			return
		}
		if strings.Contains(string(body), `"tools/list"`) || strings.Contains(string(body), "search_tools") || strings.Contains(string(body), `"initialize"`) ||
			strings.Contains(string(body), "notifications/initialized") || hr.Method == http.MethodDelete {
			hr.Body = io.NopCloser(strings.NewReader(string(body)))
			up.ServeHTTP(w, hr)
			return
		}
		h(w, hr)
	}))
	t.Cleanup(front.Close)
	return func(s *testdoor.Setup) { s.Engine.Upstream = front.URL }
}

func stream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
}

func event(w http.ResponseWriter, data string) {
	fmt.Fprintf(w, "event: message\ndata: %s\n\n", data)
	w.(http.Flusher).Flush()
}

const readCall = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"call_read_tool","arguments":{"name":"mail_find"}}}`

func TestTheFirstEventArrivesBeforeTheSecondIsSent(t *testing.T) {
	bothEras(t, func(t *testing.T, era wire.Era) {
		arrived := make(chan struct{})
		r := open(t, upstreamtest.New(t, find), nil, aside(t, upstreamtest.New(t, find), func(w http.ResponseWriter, hr *http.Request) {
			stream(w)
			for i := range 3 {
				event(w, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%d}}`, i))
				select {
				case <-arrived:
				case <-hr.Context().Done():
					return
				}
			}
			event(w, `{"jsonrpc":"2.0","id":7,"result":{"content":[],"size":9007199254740993}}`)
		}))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		resp := r.do(t, r.request(t, ctx, era, readCall))
		if resp.Header.Get("X-Accel-Buffering") != "no" {
			t.Errorf("headers %v", resp.Header)
		}
		events := wire.NewEventReader(resp.Body, 1<<20)
		for i := range 3 {
			ev, err := events.Next()
			if err != nil || !strings.Contains(string(ev.Data), fmt.Sprintf(`"progress":%d`, i)) {
				t.Fatalf("event %d: %s, %v", i, ev.Data, err)
			}
			arrived <- struct{}{}
		}
		if ev, err := events.Next(); err != nil || !strings.Contains(string(ev.Data), `"size":9007199254740993`) {
			t.Errorf("answer %s, %v", ev.Data, err)
		}
	})
}

func TestTheHeadersOfAStreamDontWaitForItsFirstEvent(t *testing.T) {
	up := upstreamtest.New(t, find)
	r := open(t, up, nil, aside(t, up, func(w http.ResponseWriter, hr *http.Request) {
		stream(w)
		<-hr.Context().Done()
	}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	hr := r.request(t, ctx, wire.Legacy, list)
	hr.Method, hr.Body, hr.ContentLength = http.MethodGet, nil, 0
	if resp := r.do(t, hr); resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("HTTP %d, %v", resp.StatusCode, resp.Header)
	}
}

func TestAClientThatLeavesEndsItsCall(t *testing.T) {
	for name, begin := range map[string]func(http.ResponseWriter){"before the answer": func(http.ResponseWriter) {}, "inside the answer": stream} {
		t.Run(name, func(t *testing.T) {
			began, ended := make(chan struct{}), make(chan struct{})
			up := upstreamtest.New(t, find)
			r := open(t, up, nil, aside(t, up, func(w http.ResponseWriter, hr *http.Request) {
				begin(w)
				close(began)
				<-hr.Context().Done()
				close(ended)
			}))
			ctx, cancel := context.WithCancel(t.Context())
			hr := r.request(t, ctx, wire.Modern, readCall)
			failed := make(chan error, 1)
			go func() {
				resp, err := r.client.Do(hr)
				if err == nil {
					_, err = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
				failed <- err
			}()
			<-began
			cancel()
			if err := <-failed; err == nil {
				t.Error("the client got an answer")
			}
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
				t.Error("the upstream was not told")
			}
			if all := r.seen.all(); len(all) != 0 {
				t.Errorf("a client that leaves is told as %q", all)
			}
		})
	}
}

func TestAnAnswerOfUnknownLengthIsEditedOrPassesWhole(t *testing.T) {
	up := upstreamtest.New(t, find)
	big := strings.Repeat("x", 200_000)
	var answer string
	r := open(t, up, nil, aside(t, up, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for piece := answer; piece != ""; {
			n := min(len(piece), 1000)
			fmt.Fprint(w, piece[:n])
			w.(http.Flusher).Flush()
			piece = piece[n:]
		}
	}))
	for name, tt := range map[string]struct{ answer, has string }{
		"a small answer":           {`{"jsonrpc":"2.0","id":7,"result":{"n":1.0}}`, ""},
		"a large answer":           {`{"jsonrpc":"2.0","id":7,"result":{"n":"` + big + `"}}`, ""},
		"a large answer, an error": {`{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"` + big + `"}}`, ""},
		"a small answer, an error": {`{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"bad"}}`, `Input schema of mail_find`},
		"what is no JSON":          {`{"jsonrpc":`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			answer = tt.answer
			got := r.send(t, wire.Legacy, readCall)
			if tt.has == "" && got.body != tt.answer || !strings.Contains(got.body, tt.has) {
				t.Errorf("%d bytes in, %d out: %.300s", len(tt.answer), len(got.body), got.body)
			}
		})
	}
}

func TestShutdownLetsAnswersArrive(t *testing.T) {
	began, gate := make(chan struct{}), make(chan struct{})
	up := upstreamtest.New(t, find)
	r := open(t, up, nil, aside(t, up, func(w http.ResponseWriter, _ *http.Request) {
		stream(w)
		close(began)
		<-gate
		event(w, `{"jsonrpc":"2.0","id":7,"result":{}}`)
	}))
	resp := r.do(t, r.request(t, t.Context(), wire.Legacy, readCall))
	<-began
	down := make(chan struct{})
	go func() {
		defer close(down)
		r.Shutdown(t.Context(), 0)
	}()
	eventually(t, "the door is closed", func() bool {
		other, err := http.NewRequest(http.MethodGet, r.origin, nil)
		if err != nil {
			t.Fatal(err)
		}
		fresh := &http.Transport{DisableKeepAlives: true}
		refused, err := fresh.RoundTrip(other)
		if err == nil {
			_ = refused.Body.Close()
		}
		return err != nil
	})
	close(gate)
	if got := read(t, resp); !strings.Contains(got.body, `"result":{}`) {
		t.Errorf("the answer is %q", got.body)
	}
	<-down
}

func TestShutdownEndsEndlessStreams(t *testing.T) {
	up := upstreamtest.New(t, find)
	r := open(t, up, nil, aside(t, up, func(w http.ResponseWriter, hr *http.Request) {
		stream(w)
		event(w, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		<-hr.Context().Done()
	}))
	hr := r.request(t, t.Context(), wire.Legacy, list)
	hr.Method, hr.Body, hr.ContentLength = http.MethodGet, nil, 0
	listening := r.do(t, hr)
	subscribed := r.do(t, r.request(t, t.Context(), wire.Modern, `{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{}}`))
	for _, resp := range []*http.Response{listening, subscribed} {
		lines := bufio.NewReader(resp.Body)
		if line, err := lines.ReadString('\n'); err != nil || line != "event: message\n" {
			t.Fatalf("line %q, %v", line, err)
		}
	}
	r.Shutdown(t.Context(), 0) // hangs when it waits for them
	for _, resp := range []*http.Response{listening, subscribed} {
		if rest, err := io.ReadAll(resp.Body); err != nil {
			t.Errorf("the stream ends after %q with %v", rest, err)
		}
	}
}

func TestShutdownCutsWhatTakesTooLong(t *testing.T) {
	began := make(chan struct{})
	up := upstreamtest.New(t, find)
	r := open(t, up, nil, aside(t, up, func(w http.ResponseWriter, hr *http.Request) {
		stream(w)
		close(began)
		<-hr.Context().Done()
	}))
	resp := r.do(t, r.request(t, t.Context(), wire.Legacy, readCall))
	<-began
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	r.Shutdown(ctx, 0)
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("a stream that was cut ends well")
	}
}

// TestTheTimeForABodyIsNotTheAnswers: the deadline of a body must be gone when the body is here, or it would end the call.
func TestTheTimeForABodyIsNotTheAnswers(t *testing.T) {
	up := upstreamtest.New(t, find)
	late := 100 * time.Millisecond
	r := open(t, up, func(o *relay.Options) { o.BodyTimeout = late / 2 }, aside(t, up, func(w http.ResponseWriter, hr *http.Request) {
		select {
		case <-time.After(late):
		case <-hr.Context().Done():
			t.Error("the call was cancelled")
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":7,"result":{}}`)
	}))
	if got := r.send(t, wire.Legacy, readCall); got.status != http.StatusOK || !strings.Contains(got.body, `"result":{}`) {
		t.Errorf("HTTP %d %s", got.status, got.body)
	}
}
