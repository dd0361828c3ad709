package stdio_test

import (
	"errors"
	"time"

	"mcp-toolsearch/sidecar/wire"

	"context"
	"net/http"
	"strings"
	"testing"
)

func TestBytesPassAsTheyAre(t *testing.T) {
	r := open(t, "legacy")
	session := r.session(t)
	params := `{"n" : 1.0,"big":123456789012345678901234567890,` + "\n\r" + `"s":"\u00e9\n é","deep":[[{"a":1e400}]]}`
	got := r.do(t, request(t, t.Context(), session, `{"jsonrpc":"2.0",`+"\n"+`"id":"a\u0062","method":"echo","params":`+params+`}`))
	want := `{"jsonrpc":"2.0","id":"a\u0062",  "result":{"got":` + strings.NewReplacer("\n", " ", "\r", " ").Replace(params) + `,"n":1.0,"big":9007199254740993,"k":1,"k":2,"s":"\ud800"}}`
	if got.body != want {
		t.Errorf("got  %s\nwant %s", got.body, want)
	}
}

func TestASessionIsAProcess(t *testing.T) {
	r := open(t, "legacy")
	one, two := r.session(t), r.session(t)
	first, second := r.call(t, one, "pid").body, r.call(t, two, "pid").body
	if first == second || first != r.call(t, one, "pid").body {
		t.Errorf("answers %s and %s", first, second)
	}
	r.do(t, del(t, one)).has(t, http.StatusNoContent, "")
	r.call(t, one, "pid").has(t, http.StatusNotFound, "send initialize again")
	r.do(t, del(t, one)).has(t, http.StatusNotFound, "")
	if r.call(t, two, "pid").body != second {
		t.Error("the other session's process is another one")
	}
}

func del(t *testing.T, session string) *http.Request {
	t.Helper()
	r := request(t, t.Context(), session, "")
	r.Method, r.Body = http.MethodDelete, nil
	return r
}

func get(t *testing.T, ctx context.Context, session string) *http.Request {
	t.Helper()
	r := request(t, ctx, session, "")
	r.Method, r.Body = http.MethodGet, nil
	return r
}

func TestWhatIsNoRequestOfASessionIsRefused(t *testing.T) {
	r := open(t, "legacy")
	session := r.session(t)
	for name, tt := range map[string]struct {
		session, body string
		status        int
		text          string
	}{
		"no session":        {"", call("7", "pid"), 400, "send initialize first"},
		"a foreign session": {"nobody's", call("7", "pid"), 404, "send initialize again"},
		"no JSON":           {session, `{"jsonrpc":`, 400, "-32700"},
		"a batch":           {session, `[` + call("7", "pid") + `]`, 400, "takes no batches"},
	} {
		t.Run(name, func(t *testing.T) { r.do(t, request(t, t.Context(), tt.session, tt.body)).has(t, tt.status, tt.text) })
	}
}

func TestProgressMakesAStream(t *testing.T) {
	r := open(t, "legacy")
	got := r.call(t, r.session(t), "progress:x")
	if len(got.events) != 4 || !strings.Contains(got.events[2], `"progress":2`) || !strings.Contains(got.body, `{"of":"x"}`) {
		t.Errorf("events %q", got.events)
	}
}

func TestTheServerAsksOnTheCallsStream(t *testing.T) {
	r := open(t, "legacy")
	session := r.session(t)
	resp, err := r.RoundTrip(request(t, t.Context(), session, call("7", "ask:7"))) // its id is also the call's
	if err != nil {
		t.Fatal(err)
	}
	r.do(t, request(t, t.Context(), session, `{"jsonrpc":"2.0","id":7,"result":{"action":"accept"}}`)).has(t, http.StatusAccepted, "")
	got := read(t, resp)
	if len(got.events) != 2 || !strings.Contains(got.events[0], "elicitation/create") || !strings.Contains(got.body, `"action":"accept"`) {
		t.Errorf("events %q", got.events)
	}
}

func TestWhatBelongsToNoCallGoesToTheClientsStream(t *testing.T) {
	r := open(t, "legacy")
	session := r.session(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp, err := r.RoundTrip(get(t, ctx, session))
	if err != nil || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%v, %v", resp, err)
	}
	defer resp.Body.Close()
	calls, leave := context.WithCancel(t.Context())
	defer leave()
	for _, id := range []string{"1", "2"} {
		waiting, err := r.RoundTrip(request(t, calls, session, call(id, "wait")))
		if err != nil {
			t.Fatal(err)
		}
		defer waiting.Body.Close()
	}
	r.call(t, session, "changed").has(t, http.StatusOK, "{}")
	ev, err := wire.NewEventReader(resp.Body, 1<<20).Next()
	if err != nil || !strings.Contains(string(ev.Data), "list_changed") {
		t.Errorf("%q, %v", ev.Data, err)
	}
}

func TestWhatComesBeforeThereIsAStreamWaits(t *testing.T) {
	r := open(t, "legacy early")
	session := r.session(t)
	r.do(t, request(t, t.Context(), session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp, err := r.RoundTrip(get(t, ctx, session))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	ev, err := wire.NewEventReader(resp.Body, 1<<20).Next()
	if err != nil || !strings.Contains(string(ev.Data), "roots/list") {
		t.Errorf("%q, %v", ev.Data, err)
	}
}

func TestANewStreamTakesThePlaceOfAnOldOne(t *testing.T) {
	r := open(t, "legacy")
	session := r.session(t)
	first, err := r.RoundTrip(get(t, t.Context(), session))
	if err != nil {
		t.Fatal(err)
	}
	second, err := r.RoundTrip(get(t, t.Context(), session))
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, first); len(got.events) != 0 {
		t.Errorf("events %q", got.events)
	}
	_ = second.Body.Close()
}

func TestADroppedRequestIsCancelled(t *testing.T) {
	for name, leave := range map[string]func(context.CancelFunc, *http.Response){
		"by its context": func(cancel context.CancelFunc, _ *http.Response) { cancel() },
		"by its body":    func(_ context.CancelFunc, resp *http.Response) { _ = resp.Body.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, "legacy")
			session := r.session(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			resp, err := r.RoundTrip(request(t, ctx, session, call(`"w"`, "wait")))
			if err != nil {
				t.Fatal(err)
			}
			leave(cancel, resp)
			eventually(t, "the server is told", func() bool {
				return strings.Contains(r.call(t, session, "told").body, `"method":"notifications/cancelled","params":{"requestId":"w"`)
			})
			_ = resp.Body.Close()
		})
	}
}

func TestARequestThatIsDroppedBeforeItsAnswerIsCancelled(t *testing.T) {
	r := open(t, "legacy")
	session := r.session(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := r.RoundTrip(request(t, ctx, session, call("9", "nothing"))); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	eventually(t, "the server is told", func() bool { return strings.Contains(r.call(t, session, "told").body, `"requestId":9`) })
}

func TestACancelledCallEndsThoughTheServerDoesNotAnswerIt(t *testing.T) {
	r := open(t, "legacy")
	session := r.session(t)
	resp, err := r.RoundTrip(request(t, t.Context(), session, call("9", "wait")))
	if err != nil {
		t.Fatal(err)
	}
	r.do(t, request(t, t.Context(), session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}`)).has(t, http.StatusAccepted, "")
	read(t, resp).has(t, http.StatusOK, "the client has cancelled this request")
}

func TestAnIDInUseIsRefused(t *testing.T) {
	r := open(t, "legacy")
	session := r.session(t)
	resp, err := r.RoundTrip(request(t, t.Context(), session, call(`"a"`, "wait")))
	if err != nil {
		t.Fatal(err)
	}
	r.do(t, request(t, t.Context(), session, call(`"\u0061"`, "pid"))).has(t, http.StatusBadRequest, "use another id")
	_ = resp.Body.Close()
}

func TestARefusedInitializeOpensNoSession(t *testing.T) {
	r := open(t, "legacy refuses")
	got := r.do(t, request(t, t.Context(), "", initialize))
	got.has(t, http.StatusOK, "not today")
	if got.header.Get("Mcp-Session-Id") != "" {
		t.Error("a session was handed out")
	}
	eventually(t, "its process is gone", func() bool { return strings.Contains(r.log.String(), "was ended") })
}
