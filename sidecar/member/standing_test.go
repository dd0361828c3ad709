package member

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mcp-toolsearch/sidecar/wire"
)

// gated makes a talker answer each call when the test says so.
func gated(server *talker) (called chan string, answer chan string) {
	called, answer = make(chan string, 4), make(chan string)
	server.onCall = func(w http.ResponseWriter, body []byte) {
		called <- string(member(body, "id"))
		result := <-answer
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(wire.ResultBody(member(body, "id"), wire.Legacy, []byte(result)))
	}
	return called, answer
}

// posted is what a Post in the background gave.
func posted(t *testing.T, s *Session, message []byte) <-chan string {
	t.Helper()
	out := make(chan string, 1)
	go func() {
		a, err := s.Post(t.Context(), message, http.Header{})
		if err != nil {
			out <- err.Error()
			return
		}
		out <- readAll(t, a)
	}()
	return out
}

// capable is what a modern test client can do.
const capable = `"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},"sampling":{},"roots":{}}`

const asking = `{"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":{"message":"Name?"}}`

// TestALegacyServerThatAsksOnItsOwnStream: a modern client has no such stream;
// the question comes with its call, be the answer to that still open or not.
func TestALegacyServerThatAsksOnItsOwnStream(t *testing.T) {
	server, url := newTalker(t)
	called, answer := gated(server)
	s := session(t, newMember(t, url, nil), modernClient("k"), "")
	first := posted(t, s, call(wire.Modern, "7", "ask", "{}"))
	stream := <-server.streams
	<-called
	stream.say <- event(asking)
	state := stateOf(t, <-first)
	second := posted(t, s, retried("8", "ask", state, `{"question":{"action":"accept","content":{"n":9007199254740993}}}`))
	until(t, "the server has the answer", func() bool {
		return server.sent(`{"jsonrpc":"2.0","id":3,"result":{"action":"accept","content":{"n":9007199254740993}}}`) == 1
	})
	answer <- `{"content":[],"done":true}`
	if got := <-second; got != `{"jsonrpc":"2.0","id":8,"result":{"resultType":"complete","content":[],"done":true}}` {
		t.Errorf("answer %s", got)
	}
	// The stream stays for the next call, and without a call nobody is asked.
	stream.say <- event(strings.Replace(asking, `"id":3`, `"id":4`, 1))
	until(t, "it is told that nobody is there", func() bool { return server.sent(`{"jsonrpc":"2.0","id":4,"error"`) == 1 })
	if len(server.streams) != 0 {
		t.Errorf("%d more streams", len(server.streams))
	}
}

func TestWhatALegacyServerTellsOnItsOwnStreamDuringACall(t *testing.T) {
	server, url := newTalker(t)
	called, answer := gated(server)
	s := session(t, newMember(t, url, nil), modernClient("k"), "")
	message := strings.Replace(string(call(wire.Modern, "7", "work", "{}")), `"_meta":{`, `"_meta":{"progressToken":5,"io.modelcontextprotocol/logLevel":"info",`, 1)
	got := posted(t, s, []byte(message))
	stream := <-server.streams
	<-called
	progress := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1}}`
	log := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`
	stream.say <- event(strings.Replace(progress, ":5,", ":6,", 1)) + event(progress) + event(log) + event(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	until(t, "all was heard", func() bool { return server.sent(`{"jsonrpc":"2.0","id":9,"result":{}}`) == 1 })
	answer <- `{"content":[]}`
	want := event(progress) + event(log) + event(`{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[]}}`)
	if text := <-got; text != want {
		t.Errorf("answer %s", text)
	}
}

// TestWithSeveralCallsTheOnlyOneThatCanBeAskedIsAsked: with two under way it
// isn't clear which the server means. Where callers share the session nobody is
// asked at all.
func TestWithSeveralCallsTheOnlyOneThatCanBeAskedIsAsked(t *testing.T) {
	for name, tc := range map[string]struct {
		key    string
		can    []bool // of each call's client: whether it can be asked
		asked  int    // which of them
		nobody bool
	}{
		"callers share the session":     {"", []bool{true, true}, 0, true},
		"callers share, and one can":    {"", []bool{true, false}, 0, true},
		"one caller, and both can":      {"k", []bool{true, true}, 0, true},
		"one caller, the first can":     {"k", []bool{true, false}, 0, false},
		"one caller, the second can":    {"k", []bool{false, true}, 1, false},
		"one caller, two of three can":  {"k", []bool{true, false, true}, 0, true},
		"one caller, and only one call": {"k", []bool{true}, 0, false},
		"callers share, but one calls":  {"", []bool{true}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			server, url := newTalker(t)
			called, answer := gated(server)
			m := newMember(t, url, nil)
			var got []<-chan string
			for i, can := range tc.can {
				message := string(call(wire.Modern, fmt.Sprint(i), "ask", "{}"))
				if !can {
					message = strings.Replace(message, capable, `"io.modelcontextprotocol/clientCapabilities":{}`, 1)
				}
				got = append(got, posted(t, session(t, m, modernClient(tc.key), ""), []byte(message)))
				<-called
			}
			(<-server.streams).say <- event(asking)
			if !tc.nobody {
				if text := <-got[tc.asked]; !strings.Contains(text, "input_required") {
					t.Errorf("the call got %s", text)
				}
			} else {
				until(t, "the question is declined", func() bool { return server.sent(`{"jsonrpc":"2.0","id":3,"error"`) == 1 })
			}
			close(answer)
		})
	}
}

// TestAServerWithoutAStreamIsNotAskedForItAgain: one request in each session is enough.
func TestAServerWithoutAStreamIsNotAskedForItAgain(t *testing.T) {
	server, url := newTalker(t)
	server.noStream = true
	s := session(t, newMember(t, url, nil), modernClient("k"), "")
	for range 3 {
		post(t, s, call(wire.Modern, "7", "find", "{}"))
	}
	server.mu.Lock()
	defer server.mu.Unlock()
	if n := len(server.lastEvent); n != 1 {
		t.Errorf("%d requests for a stream", n)
	}
}
