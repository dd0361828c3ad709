package upstream

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar/wire"
)

// session opens a legacy session as a client of the test server would.
func session(t *testing.T, up *upstreamtest.Server) string {
	t.Helper()
	c := newClient(t, nil)
	r, err := c.route(Target{URL: up.URL()}, who(t, token), wire.Trace{})
	if err != nil {
		t.Fatal(err)
	}
	budget := int64(1 << 20)
	p, err := r.initialize(t.Context(), &budget)
	if err != nil {
		t.Fatal(err)
	}
	up.Reset()
	return p.session
}

func callFor(t *testing.T, up *upstreamtest.Server, era wire.Era, name string) Call {
	t.Helper()
	if era == wire.Modern {
		return Call{Era: era, Name: name}
	}
	return Call{Era: era, Version: "2025-11-25", Session: session(t, up), Name: name}
}

func do(t *testing.T, c *Client, up *upstreamtest.Server, call Call) (*CallAnswer, error) {
	t.Helper()
	return c.Call(t.Context(), Target{URL: up.URL()}, who(t, token), call)
}

const richResult = `{"resultType":"complete","content":[{"type":"x-future","n":9007199254740993,"f":1.0}],"isError":true,"z":{"b":1,"a":2}}`

func TestAResultComesBackByteForByte(t *testing.T) {
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		for name, change := range map[string]func(*upstreamtest.Behaviour){
			"as JSON":                  func(*upstreamtest.Behaviour) {},
			"as chunked JSON":          func(b *upstreamtest.Behaviour) { b.Chunked = true },
			"as a primed event stream": func(b *upstreamtest.Behaviour) { b.SSE, b.Prime, b.Chatter = true, true, true },
		} {
			t.Run(era.String()+" "+name, func(t *testing.T) {
				up := upstreamtest.New(t)
				up.Configure(change)
				up.Script("mail_find", upstreamtest.Script{Result: richResult})
				a, err := do(t, newClient(t, nil), up, callFor(t, up, era, "mail_find"))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(richResult, string(a.Result)); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		}
	}
}

func TestWhatACallSends(t *testing.T) {
	up := upstreamtest.New(t)
	up.Script("naïve", upstreamtest.Script{})
	meta := `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"x":9007199254740993}`
	call := Call{Era: wire.Modern, Name: "naïve", Arguments: []byte(`{"b":1.0,"a":2}`), Meta: []byte(meta), Trace: wire.Trace{Parent: "00-1-2-01"},
		ParamHeaders: http.Header{"Mcp-Param-Region": {"eu"}, "Authorization": {"Bearer stolen"}, "X-Other": {"1"}}}
	if _, err := do(t, newClient(t, nil), up, call); err != nil {
		t.Fatal(err)
	}
	r := up.Requests()[0]
	for name, want := range map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "=?base64?bmHDr3Zl?=", "Mcp-Param-Region": "eu",
		"Authorization": token, "X-Other": "", "Mcp-Protocol-Version": "2026-07-28", "Traceparent": "00-1-2-01", "Mcp-Session-Id": ""} {
		if got := strings.Join(r.Header.Values(name), "|"); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if string(r.Arguments) != `{"b":1.0,"a":2}` || string(r.Meta) != meta {
		t.Errorf("arguments or _meta changed")
	}

	up.Reset()
	call = Call{Era: wire.Modern, Name: "naïve"}
	if _, err := do(t, newClient(t, nil), up, call); err != nil {
		t.Fatal(err)
	}
	if r := up.Requests()[0]; string(r.Arguments) != "{}" || !strings.Contains(string(r.Meta), "clientCapabilities\":{}") {
		t.Errorf("arguments %s or _meta %s are not the defaults", r.Arguments, r.Meta)
	}

	legacy := callFor(t, up, wire.Legacy, "naïve")
	legacy.ParamHeaders = http.Header{"Mcp-Param-Region": {"eu"}}
	if _, err := do(t, newClient(t, nil), up, legacy); err != nil {
		t.Fatal(err)
	}
	r = up.Requests()[0]
	for _, name := range []string{"Mcp-Method", "Mcp-Name", "Mcp-Param-Region"} {
		if r.Header.Get(name) != "" {
			t.Errorf("a legacy call carries %s", name)
		}
	}
	if r.Meta != nil || r.Header.Get("Mcp-Session-Id") != legacy.Session {
		t.Errorf("a legacy call has a _meta nobody gave or another session")
	}
}

func TestAJSONRPCErrorIsAnAnswer(t *testing.T) {
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		for _, code := range []int{-32602, -32603, -32000, 7} {
			up := upstreamtest.New(t)
			up.Script("x", upstreamtest.Script{Code: code, Message: "no", Data: `{"n":9007199254740993}`})
			a, err := do(t, newClient(t, nil), up, callFor(t, up, era, "x"))
			if err != nil {
				t.Fatal(err)
			}
			want := &CallAnswer{ErrorCode: code, ErrorMessage: "no", ErrorData: []byte(`{"n":9007199254740993}`)}
			if diff := cmp.Diff(want, a); diff != "" {
				t.Errorf("%v %d -want +got:\n%s", era, code, diff)
			}
		}
	}
}

func TestCallFailures(t *testing.T) {
	for name, tc := range map[string]struct {
		fault upstreamtest.Fault
		kind  Kind
	}{
		"JSON that breaks off":         {upstreamtest.Fault{Kind: upstreamtest.Garbage}, Garbage},
		"a web page with status 200":   {upstreamtest.Fault{Kind: upstreamtest.HTML}, Garbage},
		"an answer to another request": {upstreamtest.Fault{Kind: upstreamtest.WrongID}, Garbage},
		"a broken connection":          {upstreamtest.Fault{Kind: upstreamtest.CloseMidAnswer}, Unreachable},
		"status 500":                   {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 500}, BadStatus},
		"a 404 without JSON":           {upstreamtest.Fault{Kind: upstreamtest.Status, Status: 404}, BadStatus},
	} {
		for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
			t.Run(era.String()+" "+name, func(t *testing.T) {
				up := upstreamtest.New(t)
				up.Script("x", upstreamtest.Script{})
				call := callFor(t, up, era, "x")
				up.Fail("tools/call", tc.fault)
				_, err := do(t, newClient(t, nil), up, call)
				mustKind(t, err, tc.kind)
			})
		}
	}
	t.Run("a login is asked for", func(t *testing.T) {
		up := upstreamtest.New(t)
		up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 403, Header: http.Header{"Www-Authenticate": {challenge}}})
		_, err := do(t, newClient(t, nil), up, Call{Era: wire.Modern, Name: "x"})
		var auth *AuthError
		if !errors.As(err, &auth) || auth.Status != 403 || auth.Challenge[0] != challenge {
			t.Errorf("error = %v, want the challenge", err)
		}
	})
}

func TestAnAnswerBeyondTheLimit(t *testing.T) {
	long := `{"content":[{"type":"text","text":"` + strings.Repeat("x", 5000) + `"}]}`
	for name, change := range map[string]func(*upstreamtest.Behaviour){
		"with a length":      func(*upstreamtest.Behaviour) {},
		"in chunks":          func(b *upstreamtest.Behaviour) { b.Chunked = true },
		"in an event stream": func(b *upstreamtest.Behaviour) { b.SSE = true },
	} {
		t.Run(name, func(t *testing.T) {
			up := upstreamtest.New(t)
			up.Configure(change)
			up.Script("x", upstreamtest.Script{Result: long})
			_, err := do(t, newClient(t, func(o *Options) { o.MaxAnswerBytes = 5000 }), up, callFor(t, up, wire.Modern, "x"))
			if e := mustKind(t, err, TooLarge); !strings.Contains(e.Error(), "--max-answer") || strings.Contains(e.Error(), "--max-tools") {
				t.Errorf("%q names another setting", e)
			}
			if _, err := do(t, newClient(t, func(o *Options) { o.MaxAnswerBytes = 6000 }), up, callFor(t, up, wire.Modern, "x")); err != nil {
				t.Errorf("an answer within the limit failed: %v", err)
			}
		})
	}
	t.Run("many events may add up to more", func(t *testing.T) {
		up := upstreamtest.New(t)
		progress := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"` + strings.Repeat("y", 900) + `"}}`
		up.Script("x", upstreamtest.Script{Events: []string{progress, progress, progress, progress}})
		if _, err := do(t, newClient(t, func(o *Options) { o.MaxAnswerBytes = 1200 }), up, Call{Era: wire.Modern, Name: "x"}); err != nil {
			t.Errorf("error = %v", err)
		}
	})
}

func TestAToolThatAsksTheClientGetsAnAnswer(t *testing.T) {
	for method, refused := range map[string]string{"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots", "x/y": "something", "ping": ""} {
		t.Run(method, func(t *testing.T) {
			up := upstreamtest.New(t)
			up.Script("ask", upstreamtest.Script{Events: []string{`{"jsonrpc":"2.0","id":"q-1","method":"` + method + `","params":{}}`}, AwaitResponses: 1})
			a, err := do(t, newClient(t, nil), up, callFor(t, up, wire.Legacy, "ask"))
			if refused == "" {
				if err != nil || a.Result == nil {
					t.Fatalf("a ping spoiled the call: %v", err)
				}
			} else if e := mustKind(t, err, Refused); !strings.Contains(e.Detail, refused) {
				t.Errorf("detail = %q, want %q in it", e.Detail, refused)
			}
			for _, r := range up.Requests() {
				if r.Response && string(r.ID) != `"q-1"` {
					t.Errorf("the response carries id %s", r.ID)
				}
				if r.Response && (r.Header.Get("Authorization") != token || r.Header.Get("Mcp-Session-Id") == "") {
					t.Errorf("the response lacks identity or session")
				}
			}
		})
	}
}

func TestCancellingACall(t *testing.T) {
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		t.Run(era.String(), func(t *testing.T) {
			up := upstreamtest.New(t)
			up.Script("slow", upstreamtest.Script{Gate: make(chan struct{})})
			call := callFor(t, up, era, "slow")
			c := newClient(t, nil)
			ctx, cancel := context.WithCancel(t.Context())
			errs := make(chan error, 1)
			go func() {
				_, err := c.Call(ctx, Target{URL: up.URL()}, who(t, token), call)
				errs <- err
			}()
			until(t, up, "the call", func() bool { return len(up.RequestsOf("tools/call")) == 1 })
			cancel()
			if err := <-errs; !errors.Is(err, context.Canceled) {
				t.Errorf("error = %v, want context.Canceled", err)
			}
			told := up.RequestsOf("notifications/cancelled")
			if era == wire.Modern {
				if len(told) != 0 {
					t.Errorf("a modern call was cancelled with a notification")
				}
				return
			}
			id := string(up.RequestsOf("tools/call")[0].ID)
			if len(told) != 1 || !strings.Contains(string(told[0].Params), `"requestId":`+id) || told[0].Header.Get("Mcp-Session-Id") != call.Session {
				t.Errorf("cancelled = %v, want one in the session for request %s", told, id)
			}
		})
	}
}

func TestACallOutOfTime(t *testing.T) {
	up := upstreamtest.New(t)
	up.Script("slow", upstreamtest.Script{Gate: make(chan struct{}), Events: []string{`{"jsonrpc":"2.0","method":"notifications/progress"}`}})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := newClient(t, nil).Call(ctx, Target{URL: up.URL()}, who(t, token), Call{Era: wire.Modern, Name: "slow"})
	mustKind(t, err, TimedOut)
}
