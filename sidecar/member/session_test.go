package member

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/upstream"
	"mcp-toolsearch/sidecar/wire"
)

// TestARefusedVersionThatIsSupportedIsTriedAgain: the error names the version that was asked for among the supported.
func TestARefusedVersionThatIsSupportedIsTriedAgain(t *testing.T) {
	up := scripted(t, upstreamtest.ModernOnly, tool("find"))
	up.Fail("server/discover", upstreamtest.Fault{Kind: upstreamtest.Status, Status: http.StatusBadRequest, Times: 1,
		Body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"unsupported","data":{"supported":["2026-07-28"],"requested":"2026-07-28"}}}`})
	d, err := newMember(t, up.URL(), nil).Describe(t.Context(), modernClient("k"))
	if err != nil || d.Era != wire.Modern || len(up.RequestsOf("server/discover")) != 2 || len(up.RequestsOf("initialize")) != 0 {
		t.Errorf("description %+v, %v after %d requests", d, err, len(up.Requests()))
	}
}

func TestTheClientsEraIsUsedWhereTheServerHasIt(t *testing.T) {
	for name, tc := range map[string]struct {
		eras   upstreamtest.Eras
		client wire.Era
		want   wire.Era
	}{
		"a legacy client on a server with both": {upstreamtest.Both, wire.Legacy, wire.Legacy},
		"a modern client on a server with both": {upstreamtest.Both, wire.Modern, wire.Modern},
		"a legacy client on a modern server":    {upstreamtest.ModernOnly, wire.Legacy, wire.Modern},
		"a modern client on a legacy server":    {upstreamtest.LegacyOnly, wire.Modern, wire.Legacy},
	} {
		t.Run(name, func(t *testing.T) {
			up := scripted(t, tc.eras, tool("find"))
			m := newMember(t, up.URL(), nil)
			for range 2 {
				d, err := m.Describe(t.Context(), clientOf(tc.client, "k"))
				if err != nil || d.Era != tc.want || string(d.Capabilities) != `{"tools":{}}` || !strings.Contains(string(d.ServerInfo), "upstreamtest") {
					t.Fatalf("description %+v, %v", d, err)
				}
			}
			if n := len(up.RequestsOf("initialize")) + len(up.RequestsOf("server/discover")); n > 2 {
				t.Errorf("%d requests to describe: it is not remembered", n)
			}
			if st := m.State(); !st.Up || st.Since.IsZero() {
				t.Errorf("state %+v", st)
			}
		})
	}
}

// TestAllRefusalsOfLegacyServersAreUnderstood: servers say in many ways that
// they aren't modern.
func TestAllRefusalsOfLegacyServersAreUnderstood(t *testing.T) {
	for refusal := upstreamtest.RefuseVersion; refusal <= upstreamtest.RefuseUnsupported; refusal++ {
		up := scripted(t, upstreamtest.LegacyOnly, tool("find"))
		up.Configure(func(b *upstreamtest.Behaviour) { b.Refusal = refusal })
		d, err := newMember(t, up.URL(), nil).Describe(t.Context(), modernClient("k"))
		if err != nil || d.Era != wire.Legacy {
			t.Errorf("refusal %d: %+v, %v", refusal, d, err)
		}
	}
}

func TestOneSessionPerKey(t *testing.T) {
	up := scripted(t, upstreamtest.LegacyOnly, tool("find"))
	m := newMember(t, up.URL(), nil)
	var ids [2]string
	for i, key := range []string{"a", "b"} {
		var wg sync.WaitGroup
		for range 8 { // all at once: they share one initialize
			wg.Go(func() {
				s, err := m.Session(t.Context(), legacyClient(key), "")
				if err != nil {
					t.Error(err)
					return
				}
				a, err := s.Post(t.Context(), call(wire.Legacy, "1", "find", "{}"), nil)
				if err != nil {
					t.Error(err)
					return
				}
				a.Body.Close()
			})
		}
		wg.Wait()
		ids[i] = session(t, m, legacyClient(key), "").ID()
	}
	if ids[0] == "" || ids[0] == ids[1] {
		t.Errorf("sessions %q", ids)
	}
	opened := up.RequestsOf("initialize")
	if len(opened) != 2 || len(up.RequestsOf("notifications/initialized")) != 2 {
		t.Errorf("%d sessions were opened", len(opened))
	}
	if p := string(opened[0].Params); p != `{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{},"roots":{}},"clientInfo":{"name":"old","version":"1"}}` {
		t.Errorf("initialize said %s", p)
	}
	m.Close()
	if up.Sessions() != 0 {
		t.Errorf("%d sessions stayed open", up.Sessions())
	}
}

func TestAResumedSession(t *testing.T) {
	up := scripted(t, upstreamtest.LegacyOnly, tool("find"))
	first := newMember(t, up.URL(), nil)
	c := legacyClient("client-1")
	c.Shared = true
	id := session(t, first, c, "").ID()

	second := newMember(t, up.URL(), nil)
	s := session(t, second, c, id)
	if status, _, text := post(t, s, call(wire.Legacy, "1", "find", "{}")); status != 200 || !strings.Contains(text, "find ran") || s.ID() != id {
		t.Errorf("answer %d %s in %q", status, text, s.ID())
	}
	if d, err := second.Describe(t.Context(), c); err != nil || d.Era != wire.Legacy || d.Capabilities == nil {
		t.Errorf("description %+v, %v", d, err)
	}
	first.Close()
	if up.Sessions() != 1 {
		t.Errorf("a replica that goes away ended a session that others use")
	}
	// A session that was lost since has a new id, and the sealed one still leads to it.
	up.LoseSessions()
	post(t, session(t, second, c, id), call(wire.Legacy, "1", "find", "{}"))
	if s = session(t, second, c, id); s.ID() == id || s.ID() == "" {
		t.Errorf("the session is %q after it was lost", s.ID())
	}
	post(t, s, call(wire.Legacy, "2", "find", "{}"))
	if n := len(up.RequestsOf("initialize")); n != 3 { // first, to describe, after the loss
		t.Errorf("%d sessions were opened", n)
	}
	s.End(t.Context())
	if up.Sessions() != 0 {
		t.Errorf("End left a session open")
	}
}

func TestALostSessionIsOpenedAnewOnce(t *testing.T) {
	notFound := upstreamtest.Fault{Kind: upstreamtest.ForgetSession, Times: 1}
	for name, tc := range map[string]struct {
		fault        upstreamtest.Fault
		forget       bool // the server has forgotten, as its ping will show
		status, runs int
		resets       int
	}{
		"404 says so":                                          {notFound, false, 200, 2, 1},
		"400 and no answer to a ping says so":                  {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 400, Body: "Bad Request", Times: 1}, true, 200, 2, 1},
		"400 in a living session is an answer":                 {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 400, Body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}`, Times: 1}, false, 400, 1, 0},
		"an error of its own and no answer to a ping says so":  {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 200, Body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"session expired"}}`, Times: 1}, true, 200, 2, 1},
		"an error of its own in a living session is an answer": {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 200, Body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"session expired"}}`, Times: 1}, false, 200, 1, 0},
		"410 says so":                              {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 410, Times: 1}, false, 200, 2, 1},
		"404 twice is an answer":                   {upstreamtest.Fault{Kind: upstreamtest.ForgetSession}, false, 404, 2, 1},
		"404 with an unknown method is an answer":  {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 404, Body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`}, false, 404, 1, 0},
		"a server error is an answer":              {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 500, Body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`}, false, 500, 1, 0},
		"a JSON-RPC error with 200 is an answer":   {upstreamtest.Fault{Kind: upstreamtest.InvalidParams}, false, 200, 1, 0},
		"a 401 is an answer and loses no sessions": {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 401, Header: http.Header{"Www-Authenticate": {"Bearer x"}}}, false, 401, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			up := scripted(t, upstreamtest.LegacyOnly, tool("find"))
			seen := &observed{}
			m := newMember(t, up.URL(), func(o *Options) { o.Observer = seen })
			s := session(t, m, legacyClient("k"), "")
			if tc.forget {
				up.LoseSessions()
			}
			up.Fail("tools/call", tc.fault)
			a, err := s.Post(t.Context(), call(wire.Legacy, "1", "find", "{}"), nil)
			if err != nil {
				t.Fatal(err)
			}
			text := readAll(t, a)
			if a.Status != tc.status || len(up.RequestsOf("tools/call")) != tc.runs {
				t.Errorf("status %d (%s) after %d requests", a.Status, text, len(up.RequestsOf("tools/call")))
			}
			if a.Status == 401 && a.Header.Get("WWW-Authenticate") != "Bearer x" {
				t.Errorf("the challenge was lost")
			}
			if got := seen.counts()[0]; got != tc.resets {
				t.Errorf("%d resets, want %d", got, tc.resets)
			}
		})
	}
}

// TestACallThatMayHaveRunIsNotRepeated: a connection that breaks after the
// request was sent says nothing about what the server did.
func TestACallThatMayHaveRunIsNotRepeated(t *testing.T) {
	for name, kind := range map[string]upstreamtest.FaultKind{"before the answer": upstreamtest.CloseAtOnce, "in the answer": upstreamtest.CloseMidAnswer} {
		for _, era := range []wire.Era{wire.Legacy, wire.Modern} {
			t.Run(name+", "+era.String(), func(t *testing.T) {
				up := scripted(t, upstreamtest.Both, tool("find"))
				m := newMember(t, up.URL(), nil)
				s := session(t, m, clientOf(era, "k"), "")
				post(t, s, call(era, "1", "find", "{}"))
				up.Reset()
				up.Fail("tools/call", upstreamtest.Fault{Kind: kind})
				a, err := s.Post(t.Context(), call(era, "2", "find", "{}"), nil)
				if err == nil {
					_, err = io.ReadAll(a.Body)
					a.Body.Close()
				}
				mustKind(t, err, upstream.Unreachable)
				if n := len(up.RequestsOf("tools/call")); n != 1 {
					t.Errorf("it was sent %d times", n)
				}
			})
		}
	}
}

func TestConcurrentResetsJoin(t *testing.T) {
	up := scripted(t, upstreamtest.LegacyOnly, tool("find"))
	m := newMember(t, up.URL(), nil)
	session(t, m, legacyClient("k"), "")
	for range 3 {
		up.Reset()
		up.LoseSessions()
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				s, err := m.Session(t.Context(), legacyClient("k"), "")
				if err != nil {
					t.Error(err)
					return
				}
				a, err := s.Post(t.Context(), call(wire.Legacy, "1", "find", "{}"), nil)
				if err != nil || a.Status != 200 {
					t.Errorf("answer %v, %v", a, err)
					return
				}
				a.Body.Close()
			})
		}
		wg.Wait()
		if n := len(up.RequestsOf("initialize")); n != 1 {
			t.Errorf("%d sessions were opened in place of one", n)
		}
	}
}

func TestAServerWithoutSessions(t *testing.T) {
	up := scripted(t, upstreamtest.LegacyOnly, tool("find"))
	up.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
	m := newMember(t, up.URL(), nil)
	for _, key := range []string{"a", "b"} {
		s := session(t, m, legacyClient(key), "")
		if s.ID() != "" {
			t.Errorf("session %q", s.ID())
		}
		if status, _, _ := post(t, s, call(wire.Legacy, "1", "find", "{}")); status != 200 {
			t.Errorf("status %d", status)
		}
	}
	up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 400, Body: "{}"})
	if status, _, _ := post(t, session(t, m, legacyClient("a"), ""), call(wire.Legacy, "1", "find", "{}")); status != 400 {
		t.Errorf("status %d, want the server's 400", status)
	}
	if n := len(up.RequestsOf("initialize")); n != 1 {
		t.Errorf("asked %d times for a session that isn't there", n)
	}
	for _, r := range up.Requests() {
		if r.Header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s carried a session", r.Method)
		}
	}
}

func TestTheSessionsAreBounded(t *testing.T) {
	up := scripted(t, upstreamtest.LegacyOnly, tool("find"))
	m := newMember(t, up.URL(), func(o *Options) { o.MaxSessions = 3 })
	for _, key := range []string{"a", "b", "c", "a", "d", "e"} {
		session(t, m, legacyClient(key), "")
	}
	until(t, "three are left", func() bool { return up.Sessions() == 3 })
	up.Reset()
	session(t, m, legacyClient("a"), "")
	if n := len(up.RequestsOf("initialize")); n != 0 {
		t.Errorf("the one used lately was dropped")
	}
}

func TestLoginIsToldAtOpening(t *testing.T) {
	for _, method := range []string{"server/discover", "initialize", "notifications/initialized"} {
		up := scripted(t, upstreamtest.LegacyOnly, tool("find"))
		up.Fail(method, upstreamtest.Fault{Kind: upstreamtest.Status, Status: 403, Header: http.Header{"Www-Authenticate": {`Bearer error="s3cret"`}}})
		seen := &observed{}
		m := newMember(t, up.URL(), func(o *Options) { o.Observer = seen })
		_, err := m.Session(t.Context(), modernClient("k"), "")
		var auth *AuthError
		if !errors.As(err, &auth) || auth.Status != 403 || len(auth.Challenge) != 1 || auth.Server != "mail" {
			t.Errorf("%s: error %v", method, err)
		}
		noSecrets(t, err)
		if !m.State().Up || seen.counts()[1] != 0 {
			t.Errorf("%s: a server that asks for a login is not down", method)
		}
		until(t, "no session is left", func() bool { return up.Sessions() == 0 })
	}
}

func TestClosingAnAnswerCancels(t *testing.T) {
	up := scripted(t, upstreamtest.ModernOnly)
	up.Script("slow", upstreamtest.Script{Gate: make(chan struct{}), Events: []string{`{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`}})
	m := newMember(t, up.URL(), nil)
	a, err := session(t, m, modernClient("k"), "").Post(t.Context(), call(wire.Modern, "1", "slow", "{}"), nil)
	if err != nil || a.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("answer %+v, %v", a, err)
	}
	first := make([]byte, 300)
	if n, err := a.Body.Read(first); err != nil || !strings.Contains(string(first[:n]), "progress") {
		t.Errorf("the first event doesn't come through at once: %s, %v", first[:n], err)
	}
	a.Body.Close()
	a.Body.Close()
}

// TestAServerThatIsExchangedBetweenCalls: the first request notices, and is
// answered all the same where it can't have run.
func TestAServerThatIsExchangedBetweenCalls(t *testing.T) {
	for name, tc := range map[string]struct {
		before, after func(*upstreamtest.Behaviour)
		client        wire.Era
		noticed       bool // the first request fails
	}{
		"a modern one by a legacy one":           {func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.ModernOnly }, func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.LegacyOnly }, wire.Modern, false},
		"a legacy one by a modern one":           {func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.LegacyOnly }, func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.ModernOnly }, wire.Legacy, true},
		"a legacy one by a modern one, modern":   {func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.LegacyOnly }, func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.ModernOnly }, wire.Modern, true},
		"one without sessions by one with":       {func(b *upstreamtest.Behaviour) { b.Eras, b.Stateless = upstreamtest.LegacyOnly, true }, func(b *upstreamtest.Behaviour) { b.Stateless = false }, wire.Legacy, true},
		"one with sessions by one without":       {func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.LegacyOnly }, func(b *upstreamtest.Behaviour) { b.Stateless = true }, wire.Legacy, false},
		"a legacy one by one that speaks modern": {func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.LegacyOnly }, func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.Both }, wire.Modern, false},
	} {
		t.Run(name, func(t *testing.T) {
			up := upstreamtest.New(t, tool("find"))
			up.Configure(tc.before)
			m := newMember(t, up.URL(), nil)
			c := clientOf(tc.client, "k")
			post(t, session(t, m, c, ""), call(tc.client, "1", "find", "{}"))
			up.Configure(tc.after)
			up.LoseSessions()
			works := func() bool {
				s, err := m.Session(t.Context(), c, "")
				if err != nil {
					return false
				}
				a, err := s.Post(t.Context(), call(tc.client, "2", "find", "{}"), nil)
				return err == nil && strings.Contains(readAll(t, a), "find ran")
			}
			if works() == tc.noticed {
				t.Errorf("the first request fails: %v", !tc.noticed)
			}
			for range 2 {
				if !works() {
					t.Errorf("a request after it fails")
				}
			}
		})
	}
}

func TestARefusalThatIsNoMatterOfTheEraIsAnAnswer(t *testing.T) {
	up := scripted(t, upstreamtest.ModernOnly, tool("find"))
	s := session(t, newMember(t, up.URL(), nil), modernClient("k"), "")
	up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 400, Body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}`})
	if status, _, text := post(t, s, call(wire.Modern, "1", "find", "{}")); status != 400 || !strings.Contains(text, "-32000") {
		t.Errorf("answer %d %s", status, text)
	}
}
