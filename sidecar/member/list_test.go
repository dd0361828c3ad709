package member

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

func server(name, url string) servers.Server { return servers.Server{Name: name, URL: url} }

func tools(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = tool(fmt.Sprintf("tool_%02d", i))
	}
	return all
}

func TestAListingIsCompleteAndUntouched(t *testing.T) {
	for _, era := range []wire.Era{wire.Legacy, wire.Modern} {
		for _, eras := range []upstreamtest.Eras{upstreamtest.Both, upstreamtest.ModernOnly, upstreamtest.LegacyOnly} {
			up := scripted(t, eras, tools(7)...)
			up.Configure(func(b *upstreamtest.Behaviour) { b.PageSize, b.SSE, b.Chatter = 3, true, true })
			m := newMember(t, up.URL(), nil)
			items, err := m.List(t.Context(), clientOf(era, "k"), "tools/list")
			if err != nil || len(items) != 7 {
				t.Fatalf("%v on %v: %d items, %v", era, eras, len(items), err)
			}
			for i, item := range items {
				if string(item) != tools(7)[i] {
					t.Errorf("item %d is %s", i, item)
				}
			}
		}
	}
}

func TestWhatAServerDoesntHaveIsNotAskedFor(t *testing.T) {
	up := scripted(t, upstreamtest.Both, tool("find"))
	m := newMember(t, up.URL(), nil)
	for _, method := range []string{"prompts/list", "resources/list", "resources/templates/list"} {
		items, err := m.List(t.Context(), legacyClient("k"), method)
		if err != nil || len(items) != 0 || len(up.RequestsOf(method)) != 0 {
			t.Errorf("%s: %d items, %v, %d requests", method, len(items), err, len(up.RequestsOf(method)))
		}
	}
}

func TestListingsEnd(t *testing.T) {
	for name, tc := range map[string]struct {
		fault  upstreamtest.Fault
		change func(*Options)
		kind   upstream.Kind
	}{
		"pages without end":      {upstreamtest.Fault{Kind: upstreamtest.EndlessPages}, nil, upstream.TooLarge},
		"the same cursor twice":  {upstreamtest.Fault{Kind: upstreamtest.LoopedCursor}, nil, upstream.Endless},
		"too many items":         {upstreamtest.Fault{}, func(o *Options) { o.MaxItems = 2 }, upstream.TooLarge},
		"too many bytes":         {upstreamtest.Fault{}, func(o *Options) { o.MaxBytes = 500 }, upstream.TooLarge},
		"no JSON":                {upstreamtest.Fault{Kind: upstreamtest.Garbage}, nil, upstream.Garbage},
		"a page for a person":    {upstreamtest.Fault{Kind: upstreamtest.HTML}, nil, upstream.Garbage},
		"a broken connection":    {upstreamtest.Fault{Kind: upstreamtest.CloseMidAnswer}, nil, upstream.Unreachable},
		"a failure of a gateway": {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 503}, nil, upstream.BadStatus},
		"an answer to another":   {upstreamtest.Fault{Kind: upstreamtest.WrongID}, nil, upstream.Garbage},
		"a JSON-RPC error":       {upstreamtest.Fault{Kind: upstreamtest.InvalidParams}, nil, upstream.Refused},
		"a server that hangs":    {upstreamtest.Fault{Kind: upstreamtest.Hang}, func(o *Options) { o.Server.ListTimeout = 50e6 }, upstream.TimedOut},
	} {
		for _, era := range []wire.Era{wire.Legacy, wire.Modern} {
			t.Run(name+", "+era.String(), func(t *testing.T) {
				up := scripted(t, upstreamtest.Both, tools(7)...)
				up.Configure(func(b *upstreamtest.Behaviour) { b.PageSize = 3 })
				m := newMember(t, up.URL(), tc.change)
				if tc.fault.Kind != 0 {
					up.Fail("tools/list", tc.fault)
				}
				_, err := m.List(t.Context(), clientOf(era, "k"), "tools/list")
				mustKind(t, err, tc.kind)
				down := tc.kind == upstream.Unreachable || tc.kind == upstream.TimedOut || tc.kind == upstream.BadStatus
				if m.State().Up == down {
					t.Errorf("state %+v", m.State())
				}
			})
		}
	}
}

func TestAListingSurvivesALostSession(t *testing.T) {
	up := scripted(t, upstreamtest.LegacyOnly, tools(7)...)
	up.Configure(func(b *upstreamtest.Behaviour) { b.PageSize = 3 })
	m := newMember(t, up.URL(), nil)
	c := legacyClient("k")
	session(t, m, c, "")
	up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.ForgetSession, Skip: 1, Times: 1})
	items, err := m.List(t.Context(), c, "tools/list")
	if err != nil || len(items) != 7 {
		t.Errorf("%d items, %v", len(items), err)
	}
	up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.ForgetSession})
	_, err = m.List(t.Context(), c, "tools/list")
	mustKind(t, err, upstream.BadStatus)
}

func TestRelayChangesNothingButTheCredentials(t *testing.T) {
	up := scripted(t, upstreamtest.LegacyOnly, tool("find"))
	m := newMember(t, up.URL(), func(o *Options) { o.Server.Header = http.Header{"Authorization": {"Bearer op"}} })
	c := legacyClient("k")
	c.Header = http.Header{"Authorization": {token}}
	client := http.Header{"Authorization": {token}, "Accept": {"application/json"}, "Content-Type": {"application/json; charset=utf-8"}, "Cookie": {"a=b"}, "Mcp-Protocol-Version": {"2025-06-18"}}
	a, err := m.Relay(t.Context(), c, http.MethodPost, []byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`), client)
	if err != nil || a.Status != 200 || a.Header.Get("Mcp-Session-Id") == "" {
		t.Fatalf("answer %+v, %v", a, err)
	}
	readAll(t, a)
	client.Set("Mcp-Session-Id", a.Header.Get("Mcp-Session-Id"))
	message := ` { "jsonrpc":"2.0", "id":1, "method":"tools/call", "params":{"name":"find"} } `
	a, err = m.Relay(t.Context(), c, http.MethodPost, []byte(message), client)
	if err != nil || a.Status != 200 || !strings.Contains(readAll(t, a), "find ran") {
		t.Fatalf("answer %+v, %v", a, err)
	}
	r := up.RequestsOf("tools/call")[0]
	if string(r.Body) != message || r.Header.Get("Accept") != "application/json" || r.Header.Get("Mcp-Protocol-Version") != "2025-06-18" ||
		r.Header.Get("Authorization") != "Bearer op" || r.Header.Get("Cookie") != "" {
		t.Errorf("sent %s with %v", r.Body, r.Header)
	}
	for _, status := range []int{204, 404} {
		if a, err = m.Relay(t.Context(), c, http.MethodDelete, nil, client); err != nil || a.Status != status {
			t.Errorf("DELETE gives %+v, %v, want %d", a, err, status)
		} else {
			a.Body.Close()
		}
	}
}

func TestAMessageWithoutAnAnswerIsTakenWhateverTheServerSays(t *testing.T) {
	for _, era := range []wire.Era{wire.Legacy, wire.Modern} {
		up := scripted(t, upstreamtest.Both, tool("find"))
		s := session(t, newMember(t, up.URL(), nil), clientOf(era, "k"), "")
		up.Fail("notifications/cancelled", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 200, Header: http.Header{"Content-Type": {"text/plain"}}, Body: "ok"})
		if status, _, text := post(t, s, []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)); status != 202 || text != "" {
			t.Errorf("%v: %d %s", era, status, text)
		}
		if len(up.RequestsOf("notifications/cancelled")) != 1 {
			t.Errorf("%v: it did not go to the server", era)
		}
	}
}
