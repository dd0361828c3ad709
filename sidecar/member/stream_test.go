package member

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

// talker is a legacy server with one stream per session, on which a test says
// what it likes.
type talker struct {
	mu        sync.Mutex
	sessions  int
	gone      map[string]bool
	streams   chan *talkerStream
	posts     []string
	noStream  bool
	onCall    func(w http.ResponseWriter, body []byte)
	lastEvent []string
}

// talkerStream is an open GET stream.
type talkerStream struct {
	session string
	say     chan string
	end     chan struct{}
}

func newTalker(t *testing.T) (*talker, string) {
	t.Helper()
	s := &talker{streams: make(chan *talkerStream, 16), gone: map[string]bool{}}
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return s, web.URL
}

func (s *talker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	method, _ := wire.String(member(raw, "method"))
	id := member(raw, "id")
	s.mu.Lock()
	s.posts = append(s.posts, string(raw))
	lost := s.gone[r.Header.Get("Mcp-Session-Id")]
	s.mu.Unlock()
	switch {
	case lost:
		http.Error(w, "session not found", http.StatusNotFound)
	case r.Method == http.MethodGet:
		s.stream(w, r)
	case r.Method == http.MethodDelete || r.Header.Get("Mcp-Protocol-Version") >= wire.ModernVersion:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case method == "initialize":
		s.mu.Lock()
		s.sessions++
		w.Header().Set("Mcp-Session-Id", fmt.Sprintf("talk-%d", s.sessions))
		s.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(wire.ResultBody(id, wire.Legacy, []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true}},"serverInfo":{"name":"talker","version":"1"}}`)))
	case id == nil || method == "":
		w.WriteHeader(http.StatusAccepted)
	case method == "tools/call" && s.onCall != nil:
		s.onCall(w, raw)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(wire.ResultBody(id, wire.Legacy, []byte(`{}`)))
	}
}

func (s *talker) stream(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	none := s.noStream
	s.lastEvent = append(s.lastEvent, r.Header.Get("Last-Event-Id"))
	s.mu.Unlock()
	if none {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	st := &talkerStream{session: r.Header.Get("Mcp-Session-Id"), say: make(chan string), end: make(chan struct{})}
	s.streams <- st
	for {
		select {
		case text := <-st.say:
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
		case <-st.end:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// sent are the bodies of a method's requests so far.
func (s *talker) sent(part string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, p := range s.posts {
		if strings.Contains(p, part) {
			n++
		}
	}
	return n
}

func (s *talker) lose(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone[session] = true
}

const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

func updated(uri string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":%q}}`, uri)
}

func event(message string) string { return "event: message\ndata: " + message + "\n\n" }

func listen(t *testing.T, s *Session, id, notifications string) (*events, func()) {
	t.Helper()
	a, err := s.Post(t.Context(), body(wire.Modern, id, "subscriptions/listen", `{"notifications":`+notifications+`}`), nil)
	if err != nil || a.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("answer %+v, %v", a, err)
	}
	return &events{t, bufio.NewReader(a.Body)}, func() { a.Body.Close() }
}

func TestListenersOfOneCallerShareTheServersStream(t *testing.T) {
	server, url := newTalker(t)
	m := newMember(t, url, nil)
	s := session(t, m, modernClient("k"), "")
	first, endFirst := listen(t, s, "1", `{"toolsListChanged":true,"resourceSubscriptions":["a","b"]}`)
	if got := first.next(); got != `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":{"toolsListChanged":true,"resourceSubscriptions":["a","b"]}}}` {
		t.Errorf("acknowledged %s", got)
	}
	second, endSecond := listen(t, session(t, m, modernClient("k"), ""), `"two"`, `{"promptsListChanged":true,"resourceSubscriptions":["b"]}`)
	second.next()
	stream := <-server.streams
	stream.say <- event(`{"jsonrpc":"2.0","id":5,"method":"ping"}`) + event(changed) + ": still here\n\n" + event(updated("b")) + event(updated("elsewhere"))
	for _, want := range []string{
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`,
		`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"b","_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`,
	} {
		if got := first.next(); got != want {
			t.Errorf("the first got %s", got)
		}
	}
	if got := second.next(); got != `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"b","_meta":{"io.modelcontextprotocol/subscriptionId":"two"}}}` {
		t.Errorf("the second got %s", got)
	}
	until(t, "the ping is answered", func() bool { return server.sent(`{"jsonrpc":"2.0","id":5,"result":{}}`) == 1 })
	if len(server.streams) != 0 || server.sent(`resources/subscribe`) != 2 {
		t.Errorf("%d more streams, %d subscriptions", len(server.streams), server.sent(`resources/subscribe`))
	}
	endFirst()
	until(t, "a is nobody's any more, b still is", func() bool { return server.sent("resources/unsubscribe") == 1 })
	endSecond()
	until(t, "neither is b", func() bool { return server.sent("resources/unsubscribe") == 2 })
}

func TestAListenerSurvivesALostSession(t *testing.T) {
	server, url := newTalker(t)
	m := newMember(t, url, nil)
	mine, end := listen(t, session(t, m, modernClient("k"), ""), "1", `{"resourceSubscriptions":["a"]}`)
	defer end()
	mine.next()
	stream := <-server.streams
	stream.say <- "retry: 1\nid: 41\ndata:\n\n"
	server.lose(stream.session)
	close(stream.end)
	again := <-server.streams
	if again.session == stream.session {
		t.Errorf("still in %s", again.session)
	}
	until(t, "it is subscribed again", func() bool { return server.sent("resources/subscribe") == 2 })
	again.say <- event(updated("a"))
	if got := mine.next(); !strings.Contains(got, `"uri":"a"`) {
		t.Errorf("got %s", got)
	}
}

func TestALegacyServerWithoutAStream(t *testing.T) {
	server, url := newTalker(t)
	server.noStream = true
	mine, end := listen(t, session(t, newMember(t, url, nil), modernClient("k"), ""), "1", `{"toolsListChanged":true}`)
	defer end()
	if got := mine.next(); !strings.Contains(got, `"notifications":{}`) {
		t.Errorf("acknowledged %s", got)
	}
}

func TestTheStreamsOfOneEraPassUntouched(t *testing.T) {
	server, url := newTalker(t)
	m := newMember(t, url, nil)
	s := session(t, m, legacyClient("k"), "")
	a, err := s.Stream(t.Context(), "40")
	if err != nil || a.Status != 200 {
		t.Fatalf("answer %+v, %v", a, err)
	}
	defer a.Body.Close()
	stream := <-server.streams
	text := "id: 41\nretry: 7\n: hello\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n\n"
	stream.say <- text
	got := make([]byte, len(text))
	if _, err := io.ReadFull(a.Body, got); err != nil || string(got) != text {
		t.Errorf("got %q, %v", got, err)
	}
	if stream.session != s.ID() || server.lastEvent[0] != "40" {
		t.Errorf("in %q after %q", stream.session, server.lastEvent)
	}
	if status, _, _ := post(t, s, []byte(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)); status != 202 || server.sent(`"roots":[]`) != 1 {
		t.Errorf("the response did not arrive: %d", status)
	}
	server.lose(stream.session)
	b, err := s.Stream(t.Context(), "41")
	if err != nil || b.Status != 200 {
		t.Fatalf("answer %+v, %v", b, err)
	}
	b.Body.Close()
	if next := <-server.streams; next.session == stream.session || server.lastEvent[len(server.lastEvent)-1] != "" {
		t.Errorf("in %q after %q", next.session, server.lastEvent)
	}
}

func TestAMemberCanListenInItsOwnName(t *testing.T) {
	server, url := newTalker(t)
	a, err := session(t, newMember(t, url, nil), modernClient(""), "").Stream(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	stream := &events{t, bufio.NewReader(a.Body)}
	stream.next()
	(<-server.streams).say <- event(changed)
	if got := stream.next(); !strings.Contains(got, "notifications/tools/list_changed") {
		t.Errorf("got %s", got)
	}
}

// TestAServerThatEndsTheStreamToBePolled: with an event id it asks to be asked
// again; without one the answer is lost, and nothing is sent twice.
func TestAServerThatEndsTheStreamToBePolled(t *testing.T) {
	for _, withID := range []bool{true, false} {
		server, url := newTalker(t)
		var request []byte
		server.onCall = func(w http.ResponseWriter, body []byte) {
			request = member(body, "id")
			w.Header().Set("Content-Type", "text/event-stream")
			if withID {
				_, _ = io.WriteString(w, "id: e-1\nretry: 1\ndata:\n\n")
			}
		}
		s := session(t, newMember(t, url, nil), modernClient("k"), "")
		done := make(chan string, 1)
		go func() {
			a, err := s.Post(t.Context(), call(wire.Modern, "7", "slow", "{}"), nil)
			if err != nil {
				done <- err.Error()
				return
			}
			defer a.Body.Close()
			raw, _ := io.ReadAll(a.Body)
			done <- string(raw)
		}()
		<-server.streams // the session's own
		if withID {
			stream := <-server.streams
			stream.say <- event(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, request))
			if got := <-done; !strings.Contains(got, `"id":7,"result":{"resultType":"complete","content":[]}`) || server.lastEvent[1] != "e-1" {
				t.Errorf("got %s after %q", got, server.lastEvent)
			}
		} else if got := <-done; !strings.Contains(got, "ended before the answer") {
			t.Errorf("got %s", got)
		}
		if n := server.sent(`"tools/call"`); n != 1 {
			t.Errorf("it was sent %d times", n)
		}
	}
}

// TestALegacyClientsWishesAtAModernServer: each change is a new subscription,
// the old one ends after it, and what a server tells before it acknowledges is
// passed on too.
func TestALegacyClientsWishesAtAModernServer(t *testing.T) {
	listens := make(chan *http.Request, 8)
	ended := make(chan string, 8)
	web := httptest.NewServer(modernOnly(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if r.Header.Get("Mcp-Method") != "subscriptions/listen" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(wire.ResultBody(member(raw, "id"), wire.Modern, []byte(`{"supportedVersions":["2026-07-28"],"capabilities":{}}`)))
			return
		}
		wish := string(member(member(raw, "params"), "notifications"))
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, event(updated(wish))+event(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}`))
		_ = http.NewResponseController(w).Flush()
		listens <- r
		<-r.Context().Done()
		ended <- wish
	})))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	s := session(t, newMember(t, web.URL, nil), legacyClient("k"), "")
	a, err := s.Stream(t.Context(), "")
	if err != nil || a.Status != 200 {
		t.Fatalf("answer %+v, %v", a, err)
	}
	stream := &events{t, bufio.NewReader(a.Body)}
	for _, step := range []struct{ method, wish string }{
		{"", `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`},
		{"resources/subscribe", `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a"]}`},
		{"resources/unsubscribe", `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`},
	} {
		if step.method != "" {
			post(t, s, body(wire.Legacy, "1", step.method, `{"uri":"a"}`))
		}
		if got := stream.next(); got != updated(step.wish) {
			t.Errorf("told %s, want the wish %s", got, step.wish)
		}
		<-listens
		if step.method != "" {
			<-ended
		}
	}
	a.Body.Close()
	<-ended
}
