package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

func TestListKeepsEveryByteOfEveryTool(t *testing.T) {
	forms := map[string]func(*upstreamtest.Behaviour){
		"JSON":                         func(b *upstreamtest.Behaviour) {},
		"JSON in chunks":               func(b *upstreamtest.Behaviour) { b.Chunked = true },
		"an event stream":              func(b *upstreamtest.Behaviour) { b.SSE = true },
		"a primed, chatty stream":      func(b *upstreamtest.Behaviour) { b.SSE, b.Prime, b.Chatter = true, true, true },
		"three pages":                  func(b *upstreamtest.Behaviour) { b.PageSize = 3 },
		"three pages in event streams": func(b *upstreamtest.Behaviour) { b.PageSize, b.SSE, b.Prime = 3, true, true },
	}
	for name, form := range forms {
		for _, eras := range []upstreamtest.Eras{upstreamtest.ModernOnly, upstreamtest.LegacyOnly} {
			t.Run(name, func(t *testing.T) {
				up := upstreamtest.New(t, tools(7)...)
				up.Configure(func(b *upstreamtest.Behaviour) { form(b); b.Eras = eras })
				l, err := list(t, newClient(t, nil), up)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(strings.Join(tools(7), "\n")+"\n", joined(l)); diff != "" {
					t.Errorf("tools changed (-served +listed):\n%s", diff)
				}
				want := wire.Modern
				if eras == upstreamtest.LegacyOnly {
					want = wire.Legacy
				}
				if l.Era != want {
					t.Errorf("era = %v, want %v", l.Era, want)
				}
				if up.Sessions() != 0 {
					t.Errorf("%d sessions left open", up.Sessions())
				}
			})
		}
	}
}

func TestListFallsBackToLegacyWhenTheAnswerSaysSo(t *testing.T) {
	for name, refusal := range map[string]upstreamtest.Refusal{
		"400 with -32022":              upstreamtest.RefuseVersion,
		"400 with a missing session":   upstreamtest.RefuseSession,
		"400 in plain text":            upstreamtest.RefusePlain,
		"400 without a body":           upstreamtest.RefuseEmpty,
		"404":                          upstreamtest.RefuseNotFound,
		"405":                          upstreamtest.RefuseNotAllowed,
		"200 with method not found":    upstreamtest.RefuseMethod,
		"200 with unsupported version": upstreamtest.RefuseUnsupported,
	} {
		t.Run(name, func(t *testing.T) {
			up := upstreamtest.New(t, tools(2)...)
			up.Configure(func(b *upstreamtest.Behaviour) { b.Eras, b.Refusal = upstreamtest.LegacyOnly, refusal })
			c := newClient(t, nil)
			if _, err := list(t, c, up); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"tools/list", "initialize", "notifications/initialized", "tools/list", "DELETE"}, methods(up)); diff != "" {
				t.Errorf("first listing (-want +got):\n%s", diff)
			}
			up.Reset()
			if _, err := list(t, c, up); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"initialize", "notifications/initialized", "tools/list", "DELETE"}, methods(up)); diff != "" {
				t.Errorf("the era was not remembered (-want +got):\n%s", diff)
			}
		})
	}
}

// methods are the JSON-RPC methods received, or the HTTP method without one.
func methods(up *upstreamtest.Server) []string {
	var all []string
	for _, r := range up.Requests() {
		if r.Method == "" {
			all = append(all, r.HTTPMethod)
			continue
		}
		all = append(all, r.Method)
	}
	return all
}

func TestListNoticesThatAnUpstreamDroppedTheLegacyEra(t *testing.T) {
	up := upstreamtest.New(t, tools(2)...)
	up.Configure(func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.LegacyOnly })
	c := newClient(t, nil)
	if l, err := list(t, c, up); err != nil || l.Era != wire.Legacy {
		t.Fatalf("listing = %v, %v", l, err)
	}
	up.Configure(func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.ModernOnly })
	if l, err := list(t, c, up); err != nil || l.Era != wire.Modern {
		t.Fatalf("listing = %v, %v, want a modern one", l, err)
	}
}

func TestListDoesNotTakeAModernErrorForALegacyServer(t *testing.T) {
	up := upstreamtest.New(t, tools(2)...)
	up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 400,
		Body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"s3cret"}}`})
	_, err := list(t, newClient(t, nil), up)
	mustKind(t, err, Refused)
	if got := methods(up); len(got) != 1 {
		t.Errorf("requests = %v, want one", got)
	}
}

// TestOurRequestsCarryNothingElse is the privacy of our own requests: identity,
// protocol, traceparent, User-Agent.
func TestOurRequestsCarryNothingElse(t *testing.T) {
	allowed := map[string]bool{"Authorization": true, "Content-Type": true, "Accept": true, "Mcp-Protocol-Version": true,
		"Mcp-Method": true, "Mcp-Session-Id": true, "User-Agent": true, "Traceparent": true, "Tracestate": true, "Content-Length": true}
	for _, eras := range []upstreamtest.Eras{upstreamtest.ModernOnly, upstreamtest.LegacyOnly} {
		up := upstreamtest.New(t, tools(3)...)
		up.Configure(func(b *upstreamtest.Behaviour) { b.Eras, b.PageSize = eras, 2 })
		c := newClient(t, nil)
		trace := "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
		target := Target{URL: up.URL(), Authority: "tools.example.test"}
		if _, err := c.List(t.Context(), target, who(t, token), ListOptions{Trace: wire.Trace{Parent: trace, State: "a=1"}}); err != nil {
			t.Fatal(err)
		}
		for _, r := range up.Requests() {
			for name := range r.Header {
				if !allowed[name] {
					t.Errorf("%s %s carries %s", r.HTTPMethod, r.Method, name)
				}
			}
			if r.Header.Get("Authorization") != token || r.Header.Get("Traceparent") != trace || r.Header.Get("Tracestate") != "a=1" || r.Header.Get("User-Agent") != "mcp-toolsearch/1.2.3" {
				t.Errorf("%s %s lacks identity, trace or user agent", r.HTTPMethod, r.Method)
			}
			if r.Host != "tools.example.test" {
				t.Errorf("%s %s went to host %s", r.HTTPMethod, r.Method, r.Host)
			}
			if !r.Modern() && (r.Header.Get("Mcp-Method") != "" || (r.Method == "initialize") != (r.Header.Get("Mcp-Protocol-Version") == "")) {
				t.Errorf("legacy %s has the wrong protocol headers", r.Method)
			}
		}
	}
}

func TestIDsAreStringsThatNeverRepeat(t *testing.T) {
	up := upstreamtest.New(t, tools(9)...)
	up.Configure(func(b *upstreamtest.Behaviour) { b.PageSize = 2 })
	for range 2 {
		if _, err := list(t, newClient(t, nil), up); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for _, r := range up.Requests() {
		var id string
		if json.Unmarshal(r.ID, &id) != nil || !strings.HasPrefix(id, "ts-") || seen[id] {
			t.Errorf("id %s of %s is no string, has no prefix or repeats", r.ID, r.Method)
		}
		seen[id] = true
	}
}

func TestListFailures(t *testing.T) {
	for name, tc := range map[string]struct {
		fault upstreamtest.Fault
		kind  Kind
	}{
		"an upstream that never answers":        {upstreamtest.Fault{Kind: upstreamtest.Hang}, TimedOut},
		"a stream without an answer":            {upstreamtest.Fault{Kind: upstreamtest.Trickle}, TimedOut},
		"JSON that breaks off":                  {upstreamtest.Fault{Kind: upstreamtest.Garbage}, Garbage},
		"a web page with status 200":            {upstreamtest.Fault{Kind: upstreamtest.HTML}, Garbage},
		"an answer to another request":          {upstreamtest.Fault{Kind: upstreamtest.WrongID}, Garbage},
		"a connection broken in the answer":     {upstreamtest.Fault{Kind: upstreamtest.CloseMidAnswer}, Unreachable},
		"a connection broken before the answer": {upstreamtest.Fault{Kind: upstreamtest.CloseAtOnce}, Unreachable},
		"status 500":                            {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 500, Body: `{"s3cret":1}`}, BadStatus},
		"status 503":                            {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 503}, BadStatus},
		"too many requests":                     {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 429}, BadStatus},
		"an accepted request without an answer": {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 202}, Garbage},
		"the same cursor twice":                 {upstreamtest.Fault{Kind: upstreamtest.LoopedCursor}, Endless},
		"pages without end":                     {upstreamtest.Fault{Kind: upstreamtest.EndlessPages}, TooLarge},
		"an invalid-params error, modern":       {upstreamtest.Fault{Kind: upstreamtest.InvalidParams}, Refused},
		"a result of another type":              {status200(`{"resultType":"task","tools":[]}`), Garbage},
		"a result without tools":                {status200(`{"resultType":"complete"}`), Garbage},
		"tools that are no array":               {status200(`{"tools":{"a":1}}`), Garbage},
		"a cursor that is no string":            {status200(`{"tools":[],"nextCursor":7}`), Garbage},
		"a result that is no object":            {status200(`[1]`), Garbage},
		"neither result nor error":              {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 200, Body: `{"jsonrpc":"2.0","id":null}`}, Garbage},
	} {
		t.Run(name, func(t *testing.T) {
			up := upstreamtest.New(t, tools(3)...)
			up.Configure(func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.ModernOnly })
			up.Fail("tools/list", tc.fault)
			c := newClient(t, func(o *Options) {
				if tc.kind == TimedOut {
					o.ListTimeout = 200 * time.Millisecond
				}
			})
			l, err := list(t, c, up)
			if l != nil {
				t.Errorf("a listing came with the error")
			}
			e := mustKind(t, err, tc.kind)
			if !strings.Contains(e.Error(), "; ") {
				t.Errorf("%q doesn't say what to do next", e)
			}
		})
	}
}

// status200 answers any request with a result: the test server replaces ID.
func status200(result string) upstreamtest.Fault {
	return upstreamtest.Fault{Kind: upstreamtest.Result, Body: result}
}

func TestAFailureNamesItsCause(t *testing.T) {
	for name, tc := range map[string]struct {
		fault  upstreamtest.Fault
		limits func(*Options)
		says   []string
		not    string
	}{
		"too many requests":              {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 429}, nil, []string{"HTTP 429", "rate limit", "try again later"}, "JSON-RPC"},
		"too many requests, in JSON-RPC": {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 429, Body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"s3cret"}}`}, nil, []string{"HTTP 429", "rate limit"}, "s3cret"},
		"not modified":                   {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 304}, nil, []string{"HTTP 304", "not modified", "cache"}, "redirect"},
		"a redirect":                     {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 307}, nil, []string{"HTTP 307", "redirect"}, "cache"},
		"too many tools":                 {upstreamtest.Fault{}, func(o *Options) { o.MaxTools = 2 }, []string{"more than 2 tools", "--max-tools", "--max-listing", "--max-pages"}, "--max-answer"},
		"too many bytes":                 {upstreamtest.Fault{}, func(o *Options) { o.MaxBytes = 200 }, []string{"--max-listing"}, "--max-answer"},
	} {
		t.Run(name, func(t *testing.T) {
			up := upstreamtest.New(t, tools(3)...)
			if tc.limits == nil {
				up.Fail("", tc.fault)
			}
			_, err := list(t, newClient(t, tc.limits), up)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tc.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if strings.Contains(err.Error(), tc.not) {
				t.Errorf("%q says %q", err, tc.not)
			}
		})
	}
}

func TestNobodyThere(t *testing.T) {
	up := upstreamtest.New(t)
	up.Close()
	_, err := list(t, newClient(t, nil), up)
	mustKind(t, err, Unreachable)
	for _, bad := range []string{"", "/mcp", "ftp://x/mcp", "http://user:s3cret@127.0.0.1/mcp", "://s3cret"} {
		_, err := newClient(t, nil).List(t.Context(), Target{URL: bad}, who(t, token), ListOptions{})
		mustKind(t, err, Unreachable)
	}
}

func TestLimits(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"pages": func(o *Options) { o.MaxPages = 4 },
		"tools": func(o *Options) { o.MaxTools = 9 },
		"bytes": func(o *Options) { o.MaxBytes = 900 },
	} {
		for _, sse := range []bool{false, true} {
			up := upstreamtest.New(t, tools(10)...)
			up.Configure(func(b *upstreamtest.Behaviour) { b.PageSize, b.SSE = 2, sse })
			t.Run(name, func(t *testing.T) {
				_, err := list(t, newClient(t, change), up)
				mustKind(t, err, TooLarge)
			})
		}
	}
	t.Run("just within all of them", func(t *testing.T) {
		up := upstreamtest.New(t, tools(10)...)
		up.Configure(func(b *upstreamtest.Behaviour) { b.PageSize = 2 })
		l, err := list(t, newClient(t, func(o *Options) { o.MaxPages, o.MaxTools = 5, 10 }), up)
		if err != nil || len(l.Tools) != 10 || l.Pages != 5 {
			t.Errorf("listing = %v, %v", l, err)
		}
	})
}

func TestARedirectIsNotFollowed(t *testing.T) {
	elsewhere := upstreamtest.New(t, tools(1)...)
	for _, status := range []int{301, 302, 303, 307, 308} {
		up := upstreamtest.New(t)
		up.Fail("", upstreamtest.Fault{Kind: upstreamtest.Status, Status: status, Header: http.Header{"Location": {elsewhere.URL()}}})
		_, err := list(t, newClient(t, nil), up)
		mustKind(t, err, BadStatus)
	}
	if n := len(elsewhere.Requests()); n != 0 {
		t.Errorf("%d requests went elsewhere", n)
	}
}

func TestTheCallerLeaving(t *testing.T) {
	for _, method := range []string{"tools/list", "initialize", "notifications/initialized"} {
		up := upstreamtest.New(t, tools(3)...)
		if method != "tools/list" {
			up.Configure(func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.LegacyOnly })
		}
		up.Fail(method, upstreamtest.Fault{Kind: upstreamtest.Hang})
		ctx, leave := context.WithCancel(t.Context())
		c := newClient(t, nil)
		errs := make(chan error, 1)
		go func() {
			_, err := c.List(ctx, Target{URL: up.URL()}, who(t, token), ListOptions{})
			errs <- err
		}()
		until(t, up, method, func() bool { return len(up.RequestsOf(method)) == 1 })
		leave()
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error = %v, want context.Canceled", method, err)
		}
		if up.Sessions() != 0 {
			t.Errorf("%s: a session was left open", method)
		}
	}
}
