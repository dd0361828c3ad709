package member

import (
	"net/http"
	"strings"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/servers"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

func TestAMessagePassesUntouchedInItsOwnEra(t *testing.T) {
	for _, era := range []wire.Era{wire.Legacy, wire.Modern} {
		t.Run(era.String(), func(t *testing.T) {
			up := scripted(t, upstreamtest.Both)
			up.Script("find", upstreamtest.Script{Result: `{"content":[],"n":9007199254740993,"f":1.0,"s":"\ud800"}`})
			m := newMember(t, up.URL(), func(o *Options) {
				o.Server.Header = http.Header{"X-Key": {"s3cret"}}
				o.Server.Auth, o.Server.ForwardHeaders = servers.Caller, []string{"X-Tenant"}
			})
			c := clientOf(era, "k")
			c.Header = http.Header{"Authorization": {token}, "X-Tenant": {"blue"}, "Cookie": {"s3cret"}, "X-Other": {"1"}, "Traceparent": {"00-a-b-01"},
				"Via": {"1.1 proxy, 1.1 mcp-toolsearch-ab12"}, "Mcp-Session-Id": {"of-another-hop"}}
			s := session(t, m, c, "")
			message := call(era, `7`, "find", `{"q":1.0,  "big":9007199254740993}`)
			a, err := s.Post(t.Context(), message, http.Header{"Mcp-Param-Region": {"eu"}})
			if err != nil {
				t.Fatal(err)
			}
			if got := readAll(t, a); a.Status != 200 || got != `{"jsonrpc":"2.0","id":7,"result":{"content":[],"n":9007199254740993,"f":1.0,"s":"\ud800"}}` {
				t.Errorf("answer %d %s", a.Status, got)
			}
			r := up.RequestsOf("tools/call")[0]
			if string(r.Body) != string(message) {
				t.Errorf("sent %s", r.Body)
			}
			got := r.Header.Clone()
			for _, name := range []string{"Accept-Encoding", "Content-Length"} {
				got.Del(name)
			}
			want := http.Header{"Authorization": {token}, "X-Key": {"s3cret"}, "X-Tenant": {"blue"}, "Traceparent": {"00-a-b-01"}, "Via": {"1.1 mcp-toolsearch-ab12"},
				"User-Agent": {"mcp-toolsearch/1.2.3"}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
			if era == wire.Modern {
				want["Mcp-Protocol-Version"], want["Mcp-Method"], want["Mcp-Name"], want["Mcp-Param-Region"] = []string{"2026-07-28"}, []string{"tools/call"}, []string{"find"}, []string{"eu"}
			} else {
				want["Mcp-Protocol-Version"], want["Mcp-Session-Id"] = []string{"2025-11-25"}, []string{s.ID()}
			}
			if diff := diffHeaders(want, got); diff != "" {
				t.Error(diff)
			}
			noSecrets(t, m)
			noSecrets(t, s)
			noSecrets(t, c)
		})
	}
}

func diffHeaders(want, got http.Header) string {
	var b strings.Builder
	for name := range want {
		if strings.Join(want[name], "|") != strings.Join(got[name], "|") {
			b.WriteString(name + ": " + strings.Join(got[name], "|") + "\n")
		}
	}
	for name := range got {
		if want[name] == nil {
			b.WriteString(name + " was sent\n")
		}
	}
	return b.String()
}

func TestWhoseCredentialsGo(t *testing.T) {
	for name, tc := range map[string]struct {
		auth       servers.Auth
		configured http.Header
		client     string
		forward    []string
		want       string
	}{
		"nobody's without auth":                           {servers.None, nil, token, nil, ""},
		"the operator's only":                             {servers.Operator, http.Header{"Authorization": {"Bearer op"}}, token, nil, "Bearer op"},
		"the caller's where it is said":                   {servers.Caller, nil, token, nil, token},
		"the operator's never stand in for the caller's":  {servers.Caller, http.Header{"Authorization": {"Bearer op"}}, "", nil, ""},
		"forward-headers doesn't pass Authorization on":   {servers.None, nil, token, []string{"authorization"}, ""},
		"nor takes the place of the operator's":           {servers.Operator, http.Header{"Authorization": {"Bearer op"}}, token, []string{"Authorization"}, "Bearer op"},
		"a header of the protocol is never the client's":  {servers.None, nil, "", []string{"Mcp-Session-Id", "Content-Type"}, ""},
		"a client without credentials is simply a client": {servers.Caller, nil, "", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			up := scripted(t, upstreamtest.Both, tool("find"))
			m := newMember(t, up.URL(), func(o *Options) {
				o.Server.Auth, o.Server.Header, o.Server.ForwardHeaders = tc.auth, tc.configured, tc.forward
			})
			c := legacyClient("k")
			c.Header = http.Header{"Mcp-Session-Id": {"stolen"}, "Content-Type": {"text/plain"}}
			if tc.client != "" {
				c.Header.Set("Authorization", tc.client)
			}
			post(t, session(t, m, c, ""), call(wire.Legacy, "1", "find", "{}"))
			m.Close()
			for _, r := range up.Requests() {
				if got := r.Header.Get("Authorization"); got != tc.want {
					t.Errorf("%s %s carried %q", r.HTTPMethod, r.Method, got)
				}
				if r.Header.Get("Mcp-Session-Id") == "stolen" || r.Header.Get("Content-Type") == "text/plain" {
					t.Errorf("%s carried a protocol header of the client's", r.Method)
				}
			}
		})
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	elsewhere := scripted(t, upstreamtest.Both)
	up := scripted(t, upstreamtest.Both, tool("find"))
	m := newMember(t, up.URL(), func(o *Options) { o.Server.Auth = servers.Caller })
	c := modernClient("k")
	c.Header = http.Header{"Authorization": {token}}
	s := session(t, m, c, "")
	for _, status := range []int{301, 302, 303, 307, 308} {
		up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.Status, Status: status, Header: http.Header{"Location": {elsewhere.URL()}}})
		_, err := s.Post(t.Context(), call(wire.Modern, "1", "find", "{}"), nil)
		mustKind(t, err, upstream.BadStatus)
	}
	if n := len(elsewhere.Requests()); n != 0 {
		t.Errorf("%d requests went where a redirect pointed", n)
	}
}

func TestAConfiguredNameAndHost(t *testing.T) {
	up := scripted(t, upstreamtest.Both, tool("find"))
	m := newMember(t, up.URL(), func(o *Options) {
		o.Server.Header = http.Header{"User-Agent": {"curl/8"}, "Host": {"inner.test"}, "Mcp-Session-Id": {"x"}, "Content-Length": {"5"}}
	})
	post(t, session(t, m, legacyClient("k"), ""), call(wire.Legacy, "1", "find", "{}"))
	r := up.RequestsOf("tools/call")[0]
	if r.Host != "inner.test" || r.Header.Get("User-Agent") != "curl/8" || r.Header.Get("Mcp-Session-Id") == "x" {
		t.Errorf("sent to %s: %v", r.Host, r.Header)
	}
}
