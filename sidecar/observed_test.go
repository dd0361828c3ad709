package sidecar_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// TestNoMarkedValueIsObserved sends a mark in every place of a request and has the upstream answer with it, and holds
// that the observers, which write logs and metrics, never get it.
func TestNoMarkedValueIsObserved(t *testing.T) {
	const mark = "m4rk"
	d := open(t, nil, append(office(), tool("asks", "", "", readOnly))...)
	d.Upstream.Script("mail_find", upstreamtest.Script{Result: `{"content":[{"type":"text","text":"` + mark + `"}],"` + mark + `":1}`})
	d.Upstream.Script("asks", upstreamtest.Script{Code: -32602, Message: mark})
	headers := func(r *sidecar.Request) {
		r.Header.Set("Authorization", "Bearer "+mark)
		r.Header.Set("X-"+mark, mark)
		r.Header.Set("Mcp-Session-Id", mark)
		r.Path += "?" + mark
		r.Authority = mark
	}
	bodies := []string{
		call("search_tools", `{"query":"m4rk mail","server":"m4rk"}`), call("search_tools", `{"query":"m4rk","m4rk":1,"limit":"m4rk","access":"m4rk"}`),
		call("describe_tools", `{"names":["m4rk","mail_find"]}`), inner("call_read_tool", "m4rk", `{"m4rk":"m4rk"}`), inner("call_read_tool", "mail_find", `{"q":"m4rk"}`),
		inner("call_write_tool", "mail_purge", `{"m4rk":"m4rk"}`), calls(`{"name":"m4rk"}`, `{"name":"mail_find","arguments":{"q":"m4rk"}}`, `{"name":"asks"}`, `"m4rk"`), call("m4rk", `{"m4rk":1}`),
		`{"jsonrpc":"2.0","id":"m4rk","method":"m4rk/m4rk","params":{"m4rk":1}}`, `{"jsonrpc":"2.0","id":"m4rk","method":"tools/list","params":{"cursor":"m4rk"}}`, initialize, discover,
		`{"jsonrpc":"2.0","id":1,"result":"m4rk"}`,
	}
	for _, body := range bodies {
		bothEras(t, func(t *testing.T, era wire.Era) {
			decide(t, d, era, body, headers)
			decide(t, d, era, body, headers, set("Mcp-Name", mark), set("Mcp-Method", mark), set("Mcp-Param-X", mark))
			decide(t, d, era, body, headers, set("Mcp-Protocol-Version", mark))
			decide(t, d, era, list, headers, raw(mark+body))
			decide(t, d, era, body, headers, func(r *sidecar.Request) { r.Method = mark })
			decide(t, d, era, body, headers, func(r *sidecar.Request) { r.Path = "/" + mark })
		})
	}
	d.Upstream.Fail("", upstreamtest.Fault{Kind: upstreamtest.Status, Status: 401, Header: http.Header{"Www-Authenticate": {mark}}, Body: `{"` + mark + `":1}`})
	decide(t, d, wire.Modern, call("search_tools", `{"query":"x"}`), set("Authorization", "Bearer other "+mark))
	if seen := d.Seen.Everything(); strings.Contains(strings.ToLower(seen), mark) {
		t.Errorf("the mark was observed: %s", seen)
	}
	if n := strings.Count(d.Seen.Everything(), "Outcome:"); n < 12*len(bodies) {
		t.Errorf("only %d decisions were observed", n)
	}
}

// TestTwoCallersNeverMeet: 200 requests of two callers with catalogs of their own, side by side.
func TestTwoCallersNeverMeet(t *testing.T) {
	d := open(t, nil)
	names := map[string]string{"Bearer amber": "amber", "Bearer birch": "birch"}
	for who, word := range names {
		d.Upstream.SetToolsFor(who, tool(word+"_find", "Find things of "+word+".", "", readOnly), tool(word+"_set", "Set things of "+word+".", "", ""))
	}
	var wg sync.WaitGroup
	for i := range 200 {
		mine, theirs := "amber", "birch"
		if i%2 == 1 {
			mine, theirs = theirs, mine
		}
		era := wire.Era(i / 2 % 2)
		bodies := []string{call("search_tools", `{"query":"find things"}`), call("search_tools", fmt.Sprintf(`{"query":"%s","refresh":true}`, theirs)), call("describe_tools", fmt.Sprintf(`{"names":["%s_fin"]}`, theirs)),
			inner("call_read_tool", theirs+"_find", `{}`), inner("call_write_tool", theirs+"_set", `{}`), calls(fmt.Sprintf(`{"name":"%s_find"}`, theirs)), call(theirs+"_find", `{}`), discover}
		req := request(t, era, bodies[i%len(bodies)], set("Authorization", "Bearer "+mine))
		wg.Go(func() { isolated(t, d, req, mine, theirs) })
	}
	wg.Wait()
	for _, r := range d.Upstream.RequestsOf("tools/call") {
		t.Errorf("a call of %s reached the upstream as %s", r.Name, r.Header.Get("Authorization"))
	}
}

// isolated decides a request and holds that its answer says of the other caller's tools only what the request said.
func isolated(t *testing.T, d *testdoor.Door, req sidecar.Request, mine, theirs string) {
	got := d.Decide(t.Context(), req)
	text := string(got.Body)
	if got.Kind == sidecar.Merge {
		out, ok := d.Engine.EditAnswer(t.Context(), &got, []byte(`{"jsonrpc":"2.0","id":5,"result":{}}`))
		if !ok {
			t.Error("no instructions")
		}
		text = string(out)
	}
	if got.Kind == sidecar.Forward {
		t.Errorf("%s's tool runs for %s", theirs, mine)
	}
	for _, secret := range []string{theirs + "_set", "things of " + theirs, theirs + " ("} {
		if strings.Contains(text, secret) && !strings.Contains(string(req.Body), secret) {
			t.Errorf("%s sees %q: %.500s", mine, secret, text)
		}
	}
	if strings.Contains(text, "Did you mean") || strings.Contains(text, "Near names: "+theirs) {
		t.Errorf("%s gets a hint of %s's tools: %.500s", mine, theirs, text)
	}
}

// TestNotThereAndNotYoursLookAlike compares the answers for a tool of somebody else and for one of nobody, to the byte.
func TestNotThereAndNotYoursLookAlike(t *testing.T) {
	d := open(t, nil)
	d.Upstream.SetToolsFor("Bearer one", office()...)
	d.Upstream.SetToolsFor("Bearer two", tool("aaaa_bbbb_cccc", "", "", readOnly))
	for _, body := range []func(name string) string{
		func(n string) string { return inner("call_read_tool", n, `{"x":1}`) }, func(n string) string { return inner("call_write_tool", n, `{"x":1}`) },
		func(n string) string { return call(n, `{}`) }, func(n string) string { return call("describe_tools", `{"names":["`+n+`"]}`) },
		func(n string) string { return calls(`{"name":"` + n + `"}`) },
	} {
		bothEras(t, func(t *testing.T, era wire.Era) {
			theirs := decide(t, d, era, body("aaaa_bbbb_cccc"))
			nobodys := decide(t, d, era, body("aaaa_bbbb_dddd"))
			if strings.ReplaceAll(string(theirs.Body), "aaaa_bbbb_cccc", "aaaa_bbbb_dddd") != string(nobodys.Body) || theirs.Status != nobodys.Status {
				t.Errorf("%s\n%s", theirs.Body, nobodys.Body)
			}
		})
	}
}

func TestAFailedListingIsNamedByItsKind(t *testing.T) {
	for want, fault := range map[string]upstreamtest.Fault{
		"garbage":     {Kind: upstreamtest.HTML},
		"bad_status":  {Kind: upstreamtest.Status, Status: 500},
		"endless":     {Kind: upstreamtest.LoopedCursor},
		"unreachable": {Kind: upstreamtest.CloseAtOnce},
	} {
		for _, request := range []string{call("search_tools", `{"query":"mail"}`), inner("call_read_tool", "mail_find", `{}`), calls(`{"name":"mail_find"}`)} {
			d := open(t, nil, office()...)
			d.Upstream.Fail("tools/list", fault)
			said(t, decide(t, d, wire.Modern, request), true)
			if l := d.Seen.Last(); l.Reason != "catalog_unavailable" || l.Detail != want {
				t.Errorf("labels %+v, want the detail %s", l, want)
			}
		}
	}
	d := open(t, nil, office()...)
	said(t, decide(t, d, wire.Modern, call("search_tools", `{}`)), true)
	if l := d.Seen.Last(); l.Detail != "" {
		t.Errorf("another refusal has the detail %q", l.Detail)
	}
}
