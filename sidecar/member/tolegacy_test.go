package member

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

func TestAModernClientsRequestAtALegacyServer(t *testing.T) {
	up := scripted(t, upstreamtest.LegacyOnly)
	up.Script("find", upstreamtest.Script{Result: `{"content":[],"n":9007199254740993}`})
	s := session(t, newMember(t, up.URL(), nil), modernClient("k"), "")
	message := `{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{"name":"find","arguments":{"n":9007199254740993,"f":1.0},` +
		`"_meta":{"progressToken":5,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"x":1}}}`
	status, kind, text := post(t, s, []byte(message))
	if status != 200 || kind != "application/json" || text != `{"jsonrpc":"2.0","id":"mine","result":{"resultType":"complete","content":[],"n":9007199254740993}}` {
		t.Errorf("answer %d %s %s", status, kind, text)
	}
	r := up.RequestsOf("tools/call")[0]
	if want := `{"name":"find","arguments":{"n":9007199254740993,"f":1.0},"_meta":{"progressToken":5,"x":1}}`; string(r.Params) != want {
		t.Errorf("sent %s", r.Params)
	}
	if r.Header.Get("Mcp-Protocol-Version") != "2025-11-25" || r.Header.Get("Mcp-Method") != "" || r.Header.Get("Mcp-Name") != "" || r.Header.Get("Mcp-Session-Id") != s.ID() {
		t.Errorf("sent headers %v", r.Header)
	}
	if bytes.Equal(r.ID, []byte(`"mine"`)) {
		t.Errorf("the client's id went into a session that it shares")
	}
}

func TestErrorsOfLegacyServersAsTheModernEraHasThem(t *testing.T) {
	for name, tc := range map[string]struct {
		script upstreamtest.Script
		status int
		code   string
	}{
		"an unknown method is 404":      {upstreamtest.Script{Code: -32601, Message: "m"}, 404, `"code":-32601`},
		"invalid params are 400":        {upstreamtest.Script{Code: -32602, Message: "m", Data: `{"n":1.0}`}, 400, `"code":-32602,"message":"m","data":{"n":1.0}`},
		"a resource that isn't there":   {upstreamtest.Script{Code: -32002, Message: "m", Data: `{"uri":"a"}`}, 400, `"code":-32602,"message":"m","data":{"uri":"a"}`},
		"any other error is 200":        {upstreamtest.Script{Code: -32000, Message: "m"}, 200, `"code":-32000`},
		"an error with unknown members": {upstreamtest.Script{Error: `{"code":-5,"message":"m","x":9007199254740993}`}, 200, `"x":9007199254740993`},
	} {
		t.Run(name, func(t *testing.T) {
			up := scripted(t, upstreamtest.LegacyOnly)
			up.Script("find", tc.script)
			up.Configure(func(b *upstreamtest.Behaviour) { b.SSE = strings.Contains(name, "200") })
			status, kind, text := post(t, session(t, newMember(t, up.URL(), nil), modernClient("k"), ""), call(wire.Modern, "7", "find", "{}"))
			if status != tc.status || kind != "application/json" || !strings.Contains(text, tc.code) || !strings.HasPrefix(text, `{"jsonrpc":"2.0","id":7,`) {
				t.Errorf("answer %d %s %s", status, kind, text)
			}
		})
	}
}

func TestMethodsThatTheModernEraDoesntHave(t *testing.T) {
	up := scripted(t, upstreamtest.LegacyOnly, tool("find"))
	s := session(t, newMember(t, up.URL(), nil), modernClient("k"), "")
	up.Reset()
	for _, method := range []string{"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "tasks/get"} {
		if status, _, text := post(t, s, body(wire.Modern, "1", method, "{}")); status != 404 || !strings.Contains(text, "-32601") {
			t.Errorf("%s: %d %s", method, status, text)
		}
	}
	for message, want := range map[string]int{
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`: 202,
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                          400,
		`{"jsonrpc":"2.0","id":1,"method":"x","method":"y"}`:                            400,
	} {
		if status, _, text := post(t, s, []byte(message)); status != want {
			t.Errorf("%s: %d %s", message, status, text)
		}
	}
	if n := len(up.Requests()); n != 0 {
		t.Errorf("%d requests went to the server", n)
	}
	status, _, text := post(t, s, body(wire.Modern, "1", "vendor/thing", "{}"))
	if status != 404 || !strings.Contains(text, "-32601") {
		t.Errorf("a method that the server doesn't know: %d %s", status, text)
	}
	status, _, text = post(t, s, body(wire.Modern, "1", "server/discover", "{}"))
	for _, want := range []string{`"resultType":"complete"`, `"supportedVersions":["2026-07-28"]`, `"capabilities":{"tools":{}}`, `"ttlMs":0`, `"cacheScope":"private"`, `"io.modelcontextprotocol/serverInfo":{"name":"upstreamtest"`} {
		if status != 200 || !strings.Contains(text, want) {
			t.Errorf("discover: %d %s", status, text)
		}
	}
}

func TestAListOfALegacyServerSaysHowLongItHolds(t *testing.T) {
	up := scripted(t, upstreamtest.LegacyOnly, tool("find"))
	s := session(t, newMember(t, up.URL(), nil), modernClient("k"), "")
	up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.Result, Body: `{"tools":[],"ttlMs":5,"cacheScope":"public"}`})
	if _, _, text := post(t, s, body(wire.Modern, "1", "tools/list", "{}")); text != `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}}` {
		t.Errorf("answer %s", text)
	}
}

// TestSeveralCallersCallsInOneSession: ids that are equal at two clients don't
// meet, and each gets its own answer.
func TestSeveralCallersCallsInOneSession(t *testing.T) {
	up := scripted(t, upstreamtest.LegacyOnly)
	for i := range 8 {
		up.Script(fmt.Sprintf("tool_%d", i), upstreamtest.Script{Result: fmt.Sprintf(`{"content":[],"marker":%d}`, i)})
	}
	m := newMember(t, up.URL(), nil)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s, err := m.Session(t.Context(), modernClient("one"), "")
			if err != nil {
				t.Error(err)
				return
			}
			a, err := s.Post(t.Context(), call(wire.Modern, "1", fmt.Sprintf("tool_%d", i), "{}"), nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer a.Body.Close()
			raw, _ := io.ReadAll(a.Body)
			if !strings.Contains(string(raw), fmt.Sprintf(`"marker":%d`, i)) || !strings.Contains(string(raw), `"id":1,`) {
				t.Errorf("call %d got %s", i, raw)
			}
		})
	}
	wg.Wait()
	ids := map[string]bool{}
	for _, r := range up.RequestsOf("tools/call") {
		ids[string(r.ID)] = true
	}
	if len(ids) != 8 || up.Sessions() != 1 {
		t.Errorf("%d ids in %d sessions", len(ids), up.Sessions())
	}
}

const elicit = `{"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":{"message":"Name?"}}`

// retried is the request with which a client answers what was asked.
func retried(id, tool, state, responses string) []byte {
	return body(wire.Modern, id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":{},"requestState":%q,"inputResponses":%s}`, tool, state, responses))
}

func stateOf(t *testing.T, text string) string {
	t.Helper()
	result := member([]byte(text), "result")
	if kind, _ := wire.String(member(result, "resultType")); kind != "input_required" {
		t.Fatalf("answer %s, want input_required", text)
	}
	state, _ := wire.String(member(result, "requestState"))
	return state
}

func TestWhatALegacyServerAsksBecomesInputRequired(t *testing.T) {
	up := scripted(t, upstreamtest.LegacyOnly)
	up.Script("ask", upstreamtest.Script{Events: []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, elicit}, AwaitResponses: 2, Result: `{"content":[],"done":true}`})
	m := newMember(t, up.URL(), nil)
	s := session(t, m, modernClient("k"), "")
	_, kind, text := post(t, s, call(wire.Modern, "7", "ask", "{}"))
	state := stateOf(t, text)
	if want := `"inputRequests":{"question":{"method":"elicitation/create","params":{"message":"Name?"}}}`; kind != "application/json" || !strings.Contains(text, want) || !strings.Contains(text, `"id":7`) {
		t.Errorf("answer %s %s", kind, text)
	}
	// Another caller can't answer in this one's place.
	_, _, text = post(t, session(t, m, modernClient("other"), ""), retried("8", "ask", state, `{}`))
	if !strings.Contains(text, "-32602") {
		t.Errorf("another caller got %s", text)
	}
	status, _, text := post(t, s, retried("9", "ask", state, `{"question":{"action":"accept","content":{"n":9007199254740993}}}`))
	if status != 200 || text != `{"jsonrpc":"2.0","id":9,"result":{"resultType":"complete","content":[],"done":true}}` {
		t.Errorf("answer %d %s", status, text)
	}
	var sent []string
	for _, r := range up.Requests() {
		if r.Response {
			sent = append(sent, string(r.Body))
		}
	}
	if len(sent) != 2 || sent[0] != `{"jsonrpc":"2.0","id":1,"result":{}}` || sent[1] != `{"jsonrpc":"2.0","id":3,"result":{"action":"accept","content":{"n":9007199254740993}}}` {
		t.Errorf("the server got %q", sent)
	}
	if _, _, text := post(t, s, retried("10", "ask", state, `{}`)); !strings.Contains(text, "-32602") {
		t.Errorf("answering twice gives %s", text)
	}
}

func TestAClientThatCantBeAskedIsNotAsked(t *testing.T) {
	up := scripted(t, upstreamtest.LegacyOnly)
	up.Script("ask", upstreamtest.Script{Events: []string{elicit}, AwaitResponses: 1, Result: `{"content":[]}`})
	s := session(t, newMember(t, up.URL(), nil), modernClient("k"), "")
	message := strings.Replace(string(call(wire.Modern, "7", "ask", "{}")), `"elicitation":{"form":{}},`, "", 1)
	if _, _, text := post(t, s, []byte(message)); text != `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[]}}` {
		t.Errorf("answer %s", text)
	}
	for _, r := range up.Requests() {
		if r.Response && !strings.Contains(string(r.Body), "-32601") {
			t.Errorf("the server got %s", r.Body)
		}
	}
}

func TestAModernClientThatLeaves(t *testing.T) {
	for name, events := range map[string][]string{"before anything came": nil, "in the stream": {`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`}} {
		t.Run(name, func(t *testing.T) {
			up := scripted(t, upstreamtest.LegacyOnly)
			up.Script("slow", upstreamtest.Script{Events: events, Gate: make(chan struct{})})
			s := session(t, newMember(t, up.URL(), nil), modernClient("k"), "")
			a, err := s.Post(t.Context(), call(wire.Modern, "7", "slow", "{}"), nil)
			if err != nil || a.Header.Get("Content-Type") != "text/event-stream" {
				t.Fatalf("answer %+v, %v: a silent server's answer begins as a stream", a, err)
			}
			if events != nil {
				buf := make([]byte, 1000)
				if n, err := a.Body.Read(buf); err != nil || !strings.Contains(string(buf[:n]), "progress") {
					t.Errorf("read %s, %v", buf[:n], err)
				}
			}
			a.Body.Close()
			until(t, "the server hears of it", func() bool { return len(up.RequestsOf("notifications/cancelled")) == 1 })
			sent, cancelled := up.RequestsOf("tools/call")[0], up.RequestsOf("notifications/cancelled")[0]
			if !strings.Contains(string(cancelled.Params), `"requestId":`+string(sent.ID)) || cancelled.Header.Get("Mcp-Session-Id") != s.ID() {
				t.Errorf("cancelled %s", cancelled.Params)
			}
		})
	}
}

func TestFailuresOnTheWayToALegacyServer(t *testing.T) {
	for name, tc := range map[string]struct {
		fault upstreamtest.Fault
		kind  upstream.Kind
	}{
		"a broken connection":      {upstreamtest.Fault{Kind: upstreamtest.CloseAtOnce}, upstream.Unreachable},
		"one broken in the answer": {upstreamtest.Fault{Kind: upstreamtest.CloseMidAnswer}, upstream.Unreachable},
		"no JSON":                  {upstreamtest.Fault{Kind: upstreamtest.Garbage}, upstream.Garbage},
		"a page for a person":      {upstreamtest.Fault{Kind: upstreamtest.HTML}, upstream.Garbage},
		"a failure of a gateway":   {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 502, Header: http.Header{"Content-Type": {"text/html"}}}, upstream.BadStatus},
		"a refusal in plain text":  {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 400, Header: http.Header{"Content-Type": {"text/plain"}}, Body: "no"}, upstream.BadStatus},
	} {
		for _, eras := range []upstreamtest.Eras{upstreamtest.LegacyOnly, upstreamtest.ModernOnly} {
			t.Run(name, func(t *testing.T) {
				client := modernClient("k")
				if eras == upstreamtest.ModernOnly {
					client = legacyClient("k")
				}
				up := scripted(t, eras, tool("find"))
				s := session(t, newMember(t, up.URL(), nil), client, "")
				up.Fail("tools/call", tc.fault)
				_, err := s.Post(t.Context(), call(client.Era, "7", "find", "{}"), nil)
				mustKind(t, err, tc.kind)
				if n := len(up.RequestsOf("tools/call")); n != 1 {
					t.Errorf("it was sent %d times", n)
				}
			})
		}
	}
}

func TestALoginIsPassedOnInBothDirections(t *testing.T) {
	for _, eras := range []upstreamtest.Eras{upstreamtest.LegacyOnly, upstreamtest.ModernOnly} {
		client := modernClient("k")
		if eras == upstreamtest.ModernOnly {
			client = legacyClient("k")
		}
		up := scripted(t, eras, tool("find"))
		s := session(t, newMember(t, up.URL(), nil), client, "")
		up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 403, Header: http.Header{"Www-Authenticate": {`Bearer scope="x"`}}, Body: `{"error":"insufficient_scope"}`})
		a, err := s.Post(t.Context(), call(client.Era, "7", "find", "{}"), nil)
		if err != nil || a.Status != 403 || a.Header.Get("WWW-Authenticate") != `Bearer scope="x"` || readAll(t, a) != `{"error":"insufficient_scope"}` {
			t.Errorf("answer %+v, %v", a, err)
		}
	}
}

// TestAChallengeInJSONRPCHasTheClientsID: to a legacy server we speak with ids of our own.
func TestAChallengeInJSONRPCHasTheClientsID(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client left
		}
		msg, fault := wire.Scan(body, wire.DefaultLimits())
		w.Header().Set("Content-Type", "application/json")
		switch {
		case fault != nil || msg.Kind != wire.Request:
			w.WriteHeader(http.StatusAccepted)
		case msg.Method == "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`, msg.ID)
		case msg.Method == "tools/call":
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"not yours"}}`, msg.ID)
		default:
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	t.Cleanup(srv.Close)
	s := session(t, newMember(t, srv.URL, nil), modernClient("k"), "")
	if status, _, text := post(t, s, call(wire.Modern, "7", "find", "{}")); status != http.StatusForbidden || text != `{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"not yours"}}` {
		t.Errorf("answer %d %s", status, text)
	}
}

func TestAddressesToVisitFirst(t *testing.T) {
	up := scripted(t, upstreamtest.LegacyOnly)
	up.Script("login", upstreamtest.Script{Code: -32042, Message: "m", Data: `{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://a.test","message":"Log in"}]}`})
	s := session(t, newMember(t, up.URL(), nil), modernClient("k"), "")
	status, _, text := post(t, s, call(wire.Modern, "7", "login", "{}"))
	want := `{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","inputRequests":{"question-1":{"method":"elicitation/create","params":{"mode":"url","elicitationId":"e","url":"https://a.test","message":"Log in"}}}}}`
	if status != 200 || text != want {
		t.Errorf("answer %d %s", status, text)
	}
	up.Script("login", upstreamtest.Script{Result: `{"content":[]}`})
	again := body(wire.Modern, "8", "tools/call", `{"name":"login","arguments":{},"inputResponses":{"question-1":{"action":"accept"}}}`)
	if _, _, text = post(t, s, again); !strings.Contains(text, `"resultType":"complete"`) {
		t.Errorf("answer %s", text)
	}
	if p := string(up.RequestsOf("tools/call")[1].Params); strings.Contains(p, "inputResponses") {
		t.Errorf("sent %s", p)
	}
}
