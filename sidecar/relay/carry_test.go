package relay_test

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcp-toolsearch/internal/cases"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/bounds"
	"mcp-toolsearch/sidecar/relay"
	"mcp-toolsearch/sidecar/wire"
)

func TestOnlyIdentityAndProtocolGoUpstream(t *testing.T) {
	up := upstreamtest.New(t, find)
	r := open(t, up, func(o *relay.Options) { o.CallerHeaders = []string{"authorization", "X-Tenant"} },
		func(s *testdoor.Setup) { s.Headers = []string{"Authorization", "X-Tenant"} })
	allowed := map[string]bool{"Authorization": true, "X-Tenant": true, "Accept": true, "Accept-Encoding": true, "Content-Type": true, "Content-Length": true,
		"User-Agent": true, "Via": true, "Traceparent": true, "Mcp-Method": true, "Mcp-Name": true, "Mcp-Protocol-Version": true}
	dirty := func(hr *http.Request) {
		for _, name := range []string{"Cookie", "X-Forwarded-For", "X-Real-Ip", "Referer", "Forwarded", "Accept-Language", "X-Api-Key", "Proxy-Authorization"} {
			hr.Header.Set(name, "m4rk")
		}
		hr.Header.Set("X-Tenant", "blue")
		hr.Header.Set("Traceparent", "00-1-2-03")
	}
	for _, path := range []string{testdoor.SearchPath, testdoor.AggregatePath} {
		up.Reset()
		body := call("call_read_tool", `{"name":"mail_find"}`)
		if path == testdoor.AggregatePath {
			body = call("mail_find", `{}`)
		}
		got := r.send(t, wire.Modern, body, dirty, func(hr *http.Request) { hr.URL.Path = path })
		calls := up.RequestsOf("tools/call")
		if got.status != http.StatusOK || len(calls) != 1 {
			t.Fatalf("%s: HTTP %d %s, %d calls", path, got.status, got.body, len(calls))
		}
		h := calls[0].Header
		for name := range h {
			if !allowed[name] {
				t.Errorf("%s: %s went upstream", path, name)
			}
		}
		if h.Get("X-Tenant") != "blue" || h.Get("Authorization") != "Bearer one" || h.Get("User-Agent") != "mcp-toolsearch/1.2.3" || h.Get("Mcp-Name") != "mail_find" {
			t.Errorf("%s: the upstream got %v", path, h)
		}
		if want := strings.TrimPrefix(up.Origin(), "http://"); calls[0].Host != want || calls[0].Path != testdoor.AggregatePath {
			t.Errorf("%s: the upstream is called %s%s, want %s%s", path, calls[0].Host, calls[0].Path, want, testdoor.AggregatePath)
		}
	}
}

func TestListingsAndCallsNameTheSameHost(t *testing.T) {
	up := upstreamtest.New(t, find)
	for _, authority := range []string{"", "mcp.example"} {
		up.Reset()
		r := open(t, up, func(o *relay.Options) { o.Authority = authority }, func(s *testdoor.Setup) { s.Engine.Authority = authority })
		want := authority
		if want == "" {
			want = strings.TrimPrefix(up.Origin(), "http://")
		}
		if got := r.send(t, wire.Modern, call("call_read_tool", `{"name":"mail_find"}`)); got.status != http.StatusOK {
			t.Fatalf("HTTP %d %s", got.status, got.body)
		}
		for _, req := range up.Requests() {
			if req.Host != want {
				t.Errorf("%s names the host %s, want %s", req.Method, req.Host, want)
			}
		}
	}
}

func TestTheAggregateRouteIsRelayedUnchanged(t *testing.T) {
	up := upstreamtest.New(t, find)
	r := open(t, up, nil, nil)
	got := r.send(t, wire.Modern, list, func(hr *http.Request) { hr.URL.Path, hr.URL.RawQuery = testdoor.AggregatePath, "a=%2F;b" })
	if got.status != http.StatusOK || !strings.Contains(got.body, "mail_find") || strings.Contains(got.body, "search_tools") {
		t.Errorf("HTTP %d %s", got.status, got.body)
	}
	if at := r.send(t, wire.Modern, list, func(hr *http.Request) { hr.URL.Path = "/elsewhere" }); at.status != http.StatusNotFound || at.code != wire.CodeInvalidRequest {
		t.Errorf("elsewhere: HTTP %d %s", at.status, at.body)
	}
}

// TestTheSearchRouteMayHaveTheUpstreamsPath: without a gateway nothing is re-routed, so both may be called the same.
func TestTheSearchRouteMayHaveTheUpstreamsPath(t *testing.T) {
	up := upstreamtest.New(t, find)
	for _, keep := range []bool{false, true} {
		r := open(t, up, func(o *relay.Options) { o.Routes = []sidecar.Route{{Search: "/mcp", Aggregate: "/mcp"}} },
			func(s *testdoor.Setup) {
				s.Engine.Routes, s.Engine.KeepRoute = []sidecar.Route{{Search: "/mcp", Aggregate: "/mcp"}}, keep
			})
		up.Reset()
		got := r.send(t, wire.Modern, call("call_read_tool", `{"name":"mail_find"}`), func(hr *http.Request) { hr.URL.Path = "/mcp" })
		if calls := up.RequestsOf("tools/call"); got.status != http.StatusOK || len(calls) != 1 || calls[0].Path != "/mcp" {
			t.Errorf("keep %t: HTTP %d %s, %d calls", keep, got.status, got.body, len(calls))
		}
	}
}

func TestALongBodyIsRefusedAsJSON(t *testing.T) {
	up := upstreamtest.New(t, find)
	r := open(t, up, nil, nil)
	long := call("mail_find", `{"q":"`+strings.Repeat("x", 5<<20)+`"}`)
	for _, path := range []string{testdoor.SearchPath, testdoor.AggregatePath} {
		for name, length := range map[string]int64{"of known length": int64(len(long)), "in chunks": -1} {
			got := r.send(t, wire.Legacy, long, func(hr *http.Request) { hr.URL.Path, hr.ContentLength = path, length })
			got.mustFail(t, http.StatusRequestEntityTooLarge, "larger than 4194304 bytes")
			if len(up.RequestsOf("tools/call")) != 0 {
				t.Errorf("%s, %s: the call reached the upstream", path, name)
			}
		}
	}
	fits := call("call_read_tool", `{"name":"mail_find","arguments":{"q":"`+strings.Repeat("x", 3<<20)+`"}}`)
	if got := r.send(t, wire.Modern, fits); got.status != http.StatusOK || len(up.RequestsOf("tools/call")) != 1 {
		t.Errorf("3 MiB: HTTP %d %.300s", got.status, got.body)
	}
}

func TestABodyThatDoesNotComeIsGivenUp(t *testing.T) {
	r := open(t, upstreamtest.New(t, find), func(o *relay.Options) { o.BodyTimeout = 50 * time.Millisecond }, nil)
	c, err := net.Dial("tcp", r.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{", testdoor.SearchPath)
	var all strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(all.String(), "}}") {
		n, err := c.Read(buf)
		if all.Write(buf[:n]); err != nil {
			break
		}
	}
	if !strings.HasPrefix(all.String(), "HTTP/1.1 408 ") || !strings.Contains(all.String(), "did not arrive in time") {
		t.Errorf("answer %q", all.String())
	}
}

func TestAFailingUpstreamIsAJSONRPCError(t *testing.T) {
	dead := httptest.NewServer(nil)
	dead.Close()
	page := http.Header{"Content-Type": {"text/html"}, "Retry-After": {"5"}}
	for name, tt := range map[string]struct {
		fault  *upstreamtest.Fault // nil: nothing listens
		status int
		reason string
	}{
		"nothing listens":           {nil, 502, "upstream_unreachable"},
		"the connection breaks":     {&upstreamtest.Fault{Kind: upstreamtest.CloseAtOnce}, 502, "upstream_broke_off"},
		"a gateway's page, 502":     {&upstreamtest.Fault{Kind: upstreamtest.Status, Status: 502, Header: page, Body: "<h1>m4rk</h1>"}, 502, "upstream_failed"},
		"a gateway's page, 503":     {&upstreamtest.Fault{Kind: upstreamtest.Status, Status: 503, Header: page, Body: "<h1>m4rk</h1>"}, 503, "upstream_failed"},
		"a gateway's empty 504":     {&upstreamtest.Fault{Kind: upstreamtest.Status, Status: 504, Header: page}, 504, "upstream_failed"},
		"half of a server's answer": {&upstreamtest.Fault{Kind: upstreamtest.CloseMidAnswer}, 502, "upstream_broke_off"},
	} {
		t.Run(name, func(t *testing.T) {
			bothEras(t, func(t *testing.T, era wire.Era) {
				up := upstreamtest.New(t, find)
				method := map[wire.Era]string{wire.Modern: "server/discover", wire.Legacy: "initialize"}[era]
				r := open(t, up, nil, func(s *testdoor.Setup) {
					if tt.fault == nil {
						s.Engine.Upstream = dead.URL
					}
				})
				if tt.fault != nil {
					up.Fail(method, *tt.fault)
				}
				got := r.send(t, era, `{"jsonrpc":"2.0","id":"m-1","method":"`+method+`","params":{}}`)
				got.mustFail(t, tt.status, "upstream")
				if got.id != `"m-1"` || strings.Contains(got.body+r.text.String(), "m4rk") {
					t.Errorf("id %s in %s, log %s", got.id, got.body, r.text)
				}
				if all := r.seen.all(); len(all) != 1 || all[0] != tt.reason {
					t.Errorf("told %q, want %s", all, tt.reason)
				}
				if tt.reason == "upstream_failed" && got.header.Get("Retry-After") != "5" {
					t.Errorf("no Retry-After: %v", got.header)
				}
			})
		})
	}
}

func TestAnUntrustedUpstreamIsNotSpokenTo(t *testing.T) {
	own := httptest.NewUnstartedServer(nil)
	own.Config.ErrorLog = log.New(io.Discard, "", 0) // it tells of the handshake
	own.StartTLS()
	defer own.Close()
	r := open(t, upstreamtest.New(t), func(o *relay.Options) { o.Upstream = own.URL }, nil)
	r.send(t, wire.Legacy, `{"jsonrpc":"2.0","id":7,"method":"ping"}`).mustFail(t, http.StatusBadGateway, "can't be reached")
}

func TestAServersOwnErrorStaysAsItIs(t *testing.T) {
	up := upstreamtest.New(t, find)
	up.Fail("ping", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 503, Body: `{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"busy"}}`})
	r := open(t, up, nil, nil)
	if got := r.send(t, wire.Legacy, `{"jsonrpc":"2.0","id":7,"method":"ping"}`); got.status != 503 || got.text != "busy" {
		t.Errorf("HTTP %d %s", got.status, got.body)
	}
	up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 401, Header: http.Header{"Www-Authenticate": {`Bearer resource_metadata="http://other/.well-known/oauth-protected-resource/mcp/all"`}}})
	got := r.send(t, wire.Legacy, call("call_read_tool", `{"name":"mail_find"}`))
	if want := `Bearer resource_metadata="` + r.origin + `/.well-known/oauth-protected-resource/mcp/search"`; got.status != 401 || got.header.Get("Www-Authenticate") != want {
		t.Errorf("HTTP %d, challenge %q, want %q", got.status, got.header.Get("Www-Authenticate"), want)
	}
	up.SetMetadata(`{"resource":"http://other/mcp/all","authorization_servers":["https://login.example"]}`)
	doc := r.send(t, wire.Modern, list, func(hr *http.Request) {
		hr.Method, hr.Body, hr.ContentLength, hr.URL.Path = http.MethodGet, nil, 0, "/.well-known/oauth-protected-resource/mcp/search"
	})
	if doc.status != 200 || !strings.Contains(doc.body, `"resource":"`+r.url()+`"`) || !strings.Contains(doc.body, "https://login.example") {
		t.Errorf("HTTP %d %s", doc.status, doc.body)
	}
}

func TestALoopEnds(t *testing.T) {
	front := httptest.NewUnstartedServer(nil)
	up := upstreamtest.New(t, find)
	r := open(t, up, func(o *relay.Options) { o.Upstream = "http://" + front.Listener.Addr().String() }, nil)
	var hops int
	front.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) { // a gateway that leads back
		hops++
		back := hr.Clone(hr.Context())
		back.RequestURI, back.URL.Scheme, back.URL.Host, back.Host = "", "http", r.Addr().String(), ""
		resp, err := r.client.Do(back)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		w.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	})
	front.Start()
	defer front.Close()
	got := r.send(t, wire.Legacy, `{"jsonrpc":"2.0","id":7,"method":"ping"}`)
	if got.status != http.StatusLoopDetected || !strings.Contains(got.body, "--upstream leads back") || !strings.Contains(got.body, `"id":7`) || hops != 1 {
		t.Errorf("HTTP %d %s after %d rounds", got.status, got.body, hops)
	}
	many := set("Via", strings.Repeat("1.1 mcp-toolsearch-x, ", 5)+"1.1 mcp-toolsearch-y")
	r.send(t, wire.Legacy, list, many).mustFail(t, http.StatusLoopDetected, "has been here before")
	if got := r.send(t, wire.Legacy, list, set("Via", "1.1 proxy, 1.1 mcp-toolsearch-x")); got.status != http.StatusOK {
		t.Errorf("behind other proxies: HTTP %d %s", got.status, got.body)
	}
}

// TestAnAnswerThatNobodyReadsIsGivenUp: until then it is held in memory.
func TestAnAnswerThatNobodyReadsIsGivenUp(t *testing.T) {
	up := upstreamtest.New(t, find)
	up.Script("mail_find", upstreamtest.Script{Result: `{"content":[{"type":"text","text":"` + strings.Repeat("x", 3<<20) + `"}]}`})
	inside := bounds.NewGate(10, nil)
	r := open(t, up, func(o *relay.Options) { o.BodyTimeout, o.Bounds.Requests = 500*time.Millisecond, inside }, nil)
	c, err := net.Dial("tcp", r.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	item := `{"name":"mail_find","arguments":{"q":"a"}}`
	body, h, err := cases.Dress([]byte(call("call_read_tools", `{"calls":[`+item+`,`+item+`]}`)), wire.Modern, "")
	if err != nil {
		t.Fatal(err)
	}
	var headers strings.Builder
	if err := h.Write(&headers); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n%s\r\n%s", testdoor.SearchPath, len(body), headers.String(), body)
	eventually(t, "the calls are made", func() bool { return len(up.RequestsOf("tools/call")) == 2 })
	eventually(t, "the request is over", func() bool { return inside.Inside() == 0 })
	if n, err := io.ReadFull(c, make([]byte, 1000)); err != nil { // of what was under way
		t.Errorf("%d bytes came, %v", n, err)
	}
}
