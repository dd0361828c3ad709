package member

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

func TestALegacyClientsRequestAtAModernServer(t *testing.T) {
	up := scripted(t, upstreamtest.ModernOnly)
	up.Script("ä find", upstreamtest.Script{Result: `{"resultType":"complete","content":[],"n":9007199254740993}`})
	s := session(t, newMember(t, up.URL(), nil), legacyClient("k"), "")
	if _, _, text := post(t, s, body(wire.Legacy, "1", "logging/setLevel", `{"level":"warning"}`)); text != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("setLevel gives %s", text)
	}
	message := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"progressToken":5},"name":"ä find","arguments":{"n":9007199254740993,"f":1.0}}}`
	status, kind, text := post(t, s, []byte(message))
	if status != 200 || kind != "application/json" || text != `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[],"n":9007199254740993}}` {
		t.Errorf("answer %d %s %s", status, kind, text)
	}
	r := up.RequestsOf("tools/call")[0]
	want := `{"_meta":{"progressToken":5,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{},"roots":{}},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"old","version":"1"},"io.modelcontextprotocol/logLevel":"warning"},"name":"ä find","arguments":{"n":9007199254740993,"f":1.0}}`
	if string(r.Params) != want {
		t.Errorf("sent %s", r.Params)
	}
	for name, want := range map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": wire.EncodeValue("ä find"), "Mcp-Session-Id": ""} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestErrorsOfModernServersAsLegacyClientsKnowThem(t *testing.T) {
	for code, data := range map[int]string{-32602: `{"a":1.0}`, -32601: "", -32603: "", -5: ""} {
		up := scripted(t, upstreamtest.ModernOnly)
		status := 200
		if code == -32601 {
			status = 404
		}
		up.Script("find", upstreamtest.Script{Code: code, Message: "m", Data: data, Status: status})
		s := session(t, newMember(t, up.URL(), nil), legacyClient("k"), "")
		got, kind, text := post(t, s, call(wire.Legacy, "7", "find", "{}"))
		if got != 200 || kind != "application/json" || !strings.Contains(text, fmt.Sprintf(`"code":%d`, code)) || !strings.Contains(text, data) {
			t.Errorf("%d: %d %s %s", code, got, kind, text)
		}
	}
}

func TestMethodsThatEndedWithTheLegacyEras(t *testing.T) {
	up := scripted(t, upstreamtest.ModernOnly, tool("find"))
	s := session(t, newMember(t, up.URL(), nil), legacyClient("k"), "")
	for _, method := range []string{"ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"} {
		if status, _, text := post(t, s, body(wire.Legacy, "1", method, `{"uri":"a","level":"info"}`)); status != 200 || text != `{"jsonrpc":"2.0","id":1,"result":{}}` {
			t.Errorf("%s: %d %s", method, status, text)
		}
	}
	for _, message := range []string{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`} {
		if status, _, _ := post(t, s, []byte(message)); status != 202 {
			t.Errorf("%s: %d", message, status)
		}
	}
	if status, _, _ := post(t, s, []byte(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`)); status != 400 {
		t.Errorf("a batch gives %d", status)
	}
	for _, r := range up.Requests() {
		if r.Method != "server/discover" && r.Header.Get("Mcp-Protocol-Version") != "" {
			t.Errorf("%s went to the server", r.Method)
		}
	}
	if _, _, text := post(t, s, body(wire.Legacy, "1", "initialize", `{}`)); !strings.Contains(text, `"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"upstreamtest"`) {
		t.Errorf("initialize gives %s", text)
	}
}

// TestHeadersMirroredFromArguments: a legacy client knows nothing of them.
func TestHeadersMirroredFromArguments(t *testing.T) {
	up := scripted(t, upstreamtest.ModernOnly, `{"name":"find","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}`)
	m := newMember(t, up.URL(), nil)
	s := session(t, m, legacyClient("k"), "")
	up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 400, Times: 1, Body: `{"jsonrpc":"2.0","id":7,"error":{"code":-32020,"message":"Mcp-Param-Region missing"}}`})
	for i := range 2 {
		if status, _, text := post(t, s, call(wire.Legacy, "7", "find", `{"region":"eü"}`)); status != 200 || !strings.Contains(text, "find ran") || !strings.Contains(text, `"id":7`) {
			t.Fatalf("call %d: %d %s", i, status, text)
		}
	}
	calls := up.RequestsOf("tools/call")
	if len(calls) != 3 || calls[0].Header.Get("Mcp-Param-Region") != "" || calls[1].Header.Get("Mcp-Param-Region") != wire.EncodeValue("eü") || calls[2].Header.Get("Mcp-Param-Region") == "" {
		t.Errorf("%d calls", len(calls))
	}
}

// events reads an answer's events one by one.
type events struct {
	t *testing.T
	r *bufio.Reader
}

func (e *events) next() string {
	e.t.Helper()
	for {
		line, err := e.r.ReadString('\n')
		if err != nil {
			e.t.Fatal(err)
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			return strings.TrimSpace(data)
		}
	}
}

const inputRequired = `{"resultType":"input_required","requestState":"opaque","inputRequests":{"who":{"method":"elicitation/create","params":{"message":"Name?"}},"where":{"method":"roots/list"}}}`

func TestInputRequiredBecomesRequestsToALegacyClient(t *testing.T) {
	up := scripted(t, upstreamtest.ModernOnly)
	up.Script("ask", upstreamtest.Script{Result: inputRequired})
	m := newMember(t, up.URL(), nil)
	s := session(t, m, legacyClient("k"), "")
	a, err := s.Post(t.Context(), call(wire.Legacy, "7", "ask", `{"f":1.0}`), nil)
	if err != nil || a.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("answer %+v, %v", a, err)
	}
	defer a.Body.Close()
	stream := &events{t, bufio.NewReader(a.Body)}
	first, second := stream.next(), stream.next()
	if !strings.Contains(first, `"method":"elicitation/create","params":{"message":"Name?"}`) || !strings.Contains(second, `"method":"roots/list","params":{}`) {
		t.Errorf("asked %s and %s", first, second)
	}
	up.Script("ask", upstreamtest.Script{Result: `{"resultType":"complete","content":[]}`})
	for request, result := range map[string]string{second: `{"roots":[]}`, first: `{"action":"accept","content":{"n":9007199254740993}}`} {
		response := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, member([]byte(request), "id"), result)
		if status, _, _ := post(t, session(t, m, legacyClient("k"), ""), []byte(response)); status != 202 {
			t.Errorf("a response gives %d", status)
		}
	}
	if got := stream.next(); got != `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[]}}` {
		t.Errorf("answer %s", got)
	}
	calls := up.RequestsOf("tools/call")
	p := string(calls[1].Params)
	if !strings.Contains(p, `"inputResponses":{"who":{"action":"accept","content":{"n":9007199254740993}},"where":{"roots":[]}},"requestState":"opaque"`) || !strings.Contains(p, `"arguments":{"f":1.0}`) || string(calls[1].ID) == "7" {
		t.Errorf("sent %s %s", calls[1].ID, p)
	}
}

func TestALegacyClientThatRefusesOrLeavesWhileAsked(t *testing.T) {
	up := scripted(t, upstreamtest.ModernOnly)
	up.Script("ask", upstreamtest.Script{Result: inputRequired})
	m := newMember(t, up.URL(), nil)
	s := session(t, m, legacyClient("k"), "")
	a, err := s.Post(t.Context(), call(wire.Legacy, "7", "ask", `{}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	stream := &events{t, bufio.NewReader(a.Body)}
	first := stream.next()
	stream.next()
	post(t, s, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"no"}}`, member([]byte(first), "id")))
	if got := stream.next(); !strings.Contains(got, `"id":7,"error":{"code":-32603`) {
		t.Errorf("answer %s", got)
	}
	a.Body.Close()

	for _, how := range []string{"leaves", "cancels"} {
		a, err := s.Post(t.Context(), call(wire.Legacy, "8", "ask", `{}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		stream = &events{t, bufio.NewReader(a.Body)}
		stream.next()
		stream.next()
		if how == "cancels" {
			post(t, s, []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}`))
			if got := stream.next(); !strings.Contains(got, `"id":8,"error"`) {
				t.Errorf("answer %s", got)
			}
		}
		a.Body.Close()
		until(t, "nobody waits any more", func() bool {
			s.s.talk.mu.Lock()
			defer s.s.talk.mu.Unlock()
			return len(s.s.waiting) == 0 && len(s.s.calls) == 0
		})
	}
}

func TestAServerThatAsksWithoutEnd(t *testing.T) {
	up := scripted(t, upstreamtest.ModernOnly)
	up.Script("ask", upstreamtest.Script{Result: `{"resultType":"input_required","requestState":"again"}`})
	s := session(t, newMember(t, up.URL(), nil), legacyClient("k"), "")
	a, err := s.Post(t.Context(), call(wire.Legacy, "7", "ask", `{}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	until(t, "it is asked again", func() bool { return len(up.RequestsOf("tools/call")) > 2 })
	a.Body.Close()
	if r := up.RequestsOf("tools/call")[1]; !strings.Contains(string(r.Params), `"requestState":"again"`) || strings.Contains(string(r.Params), "inputResponses") {
		t.Errorf("sent %s", r.Params)
	}
}

func TestAModernServerWithoutAStream(t *testing.T) {
	up := scripted(t, upstreamtest.ModernOnly, tool("find"))
	s := session(t, newMember(t, up.URL(), nil), legacyClient("k"), "")
	a, err := s.Stream(t.Context(), "")
	if err != nil || a.Status != http.StatusMethodNotAllowed {
		t.Fatalf("answer %+v, %v", a, err)
	}
	a.Body.Close()
}
