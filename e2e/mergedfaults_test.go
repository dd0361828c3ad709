package e2e_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-toolsearch/e2e"
	"mcp-toolsearch/internal/featureserver"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/wire"
)

// restartable serves a handler at one address, and can be killed and started again.
type restartable struct {
	t       testing.TB
	address string
	web     *http.Server
	served  chan struct{}
}

func serveRestartable(t testing.TB, h http.Handler) *restartable {
	s := &restartable{t: t, address: e2e.FreeAddress(t)}
	s.start(h)
	t.Cleanup(s.kill)
	return s
}

func (s *restartable) start(h http.Handler) {
	s.t.Helper()
	lis, err := net.Listen("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.web, s.served = &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}, make(chan struct{})
	go func(web *http.Server, served chan struct{}) {
		defer close(served)
		_ = web.Serve(lis)
	}(s.web, s.served)
}

// kill breaks all connections, as the end of a process does.
func (s *restartable) kill() {
	_ = s.web.Close()
	<-s.served
}

// merged is a product with a faulty server beside a good one, which must never suffer.
type merged struct {
	*e2e.Door
	t    *testing.T
	good *upstreamtest.Server
}

// besideGood merges servers with a good one.
func besideGood(t *testing.T, list map[string]e2e.Server, flags ...string) *merged {
	t.Helper()
	good := upstreamtest.New(t, toolOf("zebra_count", "Count the zebras.", true))
	list["zoo"] = e2e.Server{URL: good.URL()}
	return &merged{Door: e2e.Merge(t, programs.Build(t, e2e.Sidecar), list, flags...), t: t, good: good}
}

// ask calls a meta-tool as a modern client.
func (m *merged) ask(tool string, arguments any) reply {
	m.t.Helper()
	return ask(m.t, question{url: m.Origin + "/mcp", era: wire.Modern, body: callBody(tool, arguments)})
}

// run calls a tool through the write door.
func (m *merged) run(tool string) reply {
	m.t.Helper()
	return m.ask(sidecar.CallWriteTool, object{"name": tool, "arguments": object{}})
}

// goodWorks holds that the good server is found and called, at once.
func (m *merged) goodWorks() {
	m.t.Helper()
	began := time.Now()
	if r := m.ask(sidecar.SearchTools, object{"query": "count zebras"}); r.failed || !strings.Contains(r.text, "zebra_count") {
		m.t.Errorf("the good server's tool is not found: %d %.300s", r.status, r.body)
	}
	if r := m.run("zebra_count"); r.failed || !strings.Contains(r.text, "zebra_count ran") {
		m.t.Errorf("the good server's tool does not run: %d %.300s", r.status, r.body)
	}
	if took := time.Since(began); took > 2*time.Second {
		m.t.Errorf("the good server's tool took %s", took)
	}
}

func TestAServerKilledBetweenCallsIsUsedAgain(t *testing.T) {
	for _, stateful := range []bool{true, false} {
		t.Run(fmt.Sprintf("stateful %t", stateful), func(t *testing.T) {
			s := serveRestartable(t, featureserver.New(stateful).Handler)
			m := besideGood(t, map[string]e2e.Server{"features": {URL: "http://" + s.address + "/mcp"}})
			if r := m.run("notes_list"); r.failed || !strings.Contains(r.text, "buy milk") {
				t.Fatalf("before: %.300s", r.body)
			}
			s.kill()
			if r := m.run("notes_list"); r.status == http.StatusOK && !r.failed {
				t.Errorf("with the server killed: %d %.300s", r.status, r.body)
			}
			m.goodWorks()
			s.start(featureserver.New(stateful).Handler) // it knows no session
			e2e.Until(t, "the server is used again", func() bool { return strings.Contains(m.run("notes_list").text, "buy milk") })
		})
	}
}

func TestAServerRestartedBetweenCallsIsNotNoticed(t *testing.T) {
	for _, stateful := range []bool{true, false} {
		t.Run(fmt.Sprintf("stateful %t", stateful), func(t *testing.T) {
			s := serveRestartable(t, featureserver.New(stateful).Handler)
			m := besideGood(t, map[string]e2e.Server{"features": {URL: "http://" + s.address + "/mcp"}})
			m.run("notes_list")
			s.kill()
			s.start(featureserver.New(stateful).Handler)
			if r := m.run("notes_list"); r.failed || !strings.Contains(r.text, "buy milk") {
				t.Errorf("after a restart: %d %.300s", r.status, r.body)
			}
		})
	}
}

func TestACallOfAServerThatIsKilledEndsAtOnce(t *testing.T) {
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		t.Run(era.String(), func(t *testing.T) {
			server := featureserver.New(true)
			s := serveRestartable(t, server.Handler)
			m := besideGood(t, map[string]e2e.Server{"features": {URL: "http://" + s.address + "/mcp"}})
			m.goodWorks()
			q := question{url: m.Origin + "/mcp", era: era, body: callBody(sidecar.CallReadTool, object{"name": "wait_for_cancel"})}
			if era == wire.Legacy {
				q.alter = legacySession(t, m.Origin+"/mcp")
			}
			answered := make(chan error, 1)
			go func() {
				r, err := try(t.Context(), q)
				if err == nil && r.status == http.StatusOK && !r.failed && r.code == 0 {
					err = fmt.Errorf("answered %d %.300s", r.status, r.body)
				} else {
					err = nil
				}
				answered <- err
			}()
			e2e.Until(t, "the tool runs", func() bool { return server.Waiting() > 0 })
			s.kill()
			select {
			case err := <-answered:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(10 * time.Second):
				t.Error("the call hangs although its server is dead")
			}
			m.goodWorks()
			s.start(featureserver.New(true).Handler)
			e2e.Until(t, "the server is used again", func() bool { return strings.Contains(m.run("notes_list").text, "buy milk") })
		})
	}
}

// legacySession opens a session and returns what puts a request into it.
func legacySession(t *testing.T, url string) func(http.Header) {
	t.Helper()
	r := ask(t, question{url: url, era: wire.Legacy, body: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}}`,
		alter: func(h http.Header) { h.Del("Mcp-Protocol-Version") }})
	id := r.header.Get("Mcp-Session-Id")
	if r.status != http.StatusOK || id == "" {
		t.Fatalf("initialize: %d %.300s", r.status, r.body)
	}
	in := func(h http.Header) { h.Set("Mcp-Session-Id", id) }
	if r := ask(t, question{url: url, era: wire.Legacy, body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`, alter: in}); r.status != http.StatusAccepted {
		t.Fatalf("initialized: %d %.300s", r.status, r.body)
	}
	return in
}

func TestAServerThatForgetsItsSessionIsAskedOnceMore(t *testing.T) {
	for _, era := range []wire.Era{wire.Modern, wire.Legacy} {
		t.Run(era.String(), func(t *testing.T) {
			up := upstreamtest.New(t, toolOf("mail_send", "Send a mail.", false))
			up.Configure(func(b *upstreamtest.Behaviour) { b.Eras = upstreamtest.LegacyOnly })
			m := besideGood(t, map[string]e2e.Server{"mail": {URL: up.URL()}})
			q := question{url: m.Origin + "/mcp", era: era, body: callBody(sidecar.CallWriteTool, object{"name": "mail_send", "arguments": object{}})}
			if era == wire.Legacy {
				q.alter = legacySession(t, m.Origin+"/mcp")
			}
			for i := range 3 {
				up.Reset()
				if r := ask(t, q); r.failed || !strings.Contains(r.text, "mail_send ran") {
					t.Errorf("call %d: %d %.300s", i+1, r.status, r.body)
				}
				up.LoseSessions()
			}
			if n := len(up.RequestsOf("initialize")); n > 2 {
				t.Errorf("%d sessions were opened for one call", n)
			}
		})
	}
}

func TestFaultyServersDoNotHurtTheOthers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(up *upstreamtest.Server)
		calls bool // the fault is in calls: the tool is found
	}{
		{"one that hangs when it is listed", func(up *upstreamtest.Server) { up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.Hang}) }, false},
		{"one that never says a word", func(up *upstreamtest.Server) { up.Fail("", upstreamtest.Fault{Kind: upstreamtest.Hang}) }, false},
		{"one that pages without end", func(up *upstreamtest.Server) {
			up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.EndlessPages})
		}, false},
		{"one whose pages go in a circle", func(up *upstreamtest.Server) {
			up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.LoopedCursor})
		}, false},
		{"one whose listing is a stream without an end", func(up *upstreamtest.Server) { up.Fail("tools/list", upstreamtest.Fault{Kind: upstreamtest.Trickle}) }, false},
		{"one that answers with a login page", func(up *upstreamtest.Server) { up.Fail("", upstreamtest.Fault{Kind: upstreamtest.HTML}) }, false},
		{"one that hangs when it is called", func(up *upstreamtest.Server) { up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.Hang}) }, true},
		{"one that answers a call with a stream without an end", func(up *upstreamtest.Server) { up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.Trickle}) }, true},
		{"one that breaks off its answers", func(up *upstreamtest.Server) {
			up.Fail("tools/call", upstreamtest.Fault{Kind: upstreamtest.CloseMidAnswer})
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			up := upstreamtest.New(t, toolOf("mail_find", "Find a mail.", true))
			tt.spoil(up)
			m := besideGood(t, map[string]e2e.Server{"mail": {URL: up.URL(), Timeout: "2s"}})
			m.ask(sidecar.SearchTools, object{"query": "zebra"}) // the first one waits for a while for servers that have said a word
			m.goodWorks()
			began := time.Now()
			r, err := try(t.Context(), question{url: m.Origin + "/mcp", era: wire.Modern, body: callBody(sidecar.CallReadTool, object{"name": "mail_find"})})
			if err == nil && r.status == http.StatusOK && !r.failed && r.code == 0 && strings.Contains(r.text, "mail_find ran") {
				t.Errorf("the faulty server answered %.300s", r.body)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("a call of the faulty server took %s", took)
			}
			if found := m.ask(sidecar.SearchTools, object{"query": "mail_find"}); strings.Contains(found.text, "mail_find | ") != tt.calls {
				t.Errorf("search: %.300s", found.text)
			}
			m.goodWorks()
		})
	}
}

func TestFiftyServersOfWhichTenAreDown(t *testing.T) {
	list := map[string]e2e.Server{}
	for i := range 50 {
		name := fmt.Sprintf("team%02d", i)
		switch {
		case i%10 == 3: // nobody listens
			list[name] = e2e.Server{URL: "http://" + e2e.FreeAddress(t) + "/mcp"}
		case i%10 == 7: // it takes connections, and says nothing
			up := upstreamtest.New(t)
			up.Fail("", upstreamtest.Fault{Kind: upstreamtest.Hang})
			list[name] = e2e.Server{URL: up.URL()}
		default:
			list[name] = e2e.Server{URL: upstreamtest.New(t, toolOf(name+"_report", "Report of "+name+".", true), toolOf(name+"_write", "Write to "+name+".", false)).URL()}
		}
	}
	m := besideGood(t, list)
	if m.Ready > 2*time.Second {
		t.Errorf("ready after %s, want less than 2 s", m.Ready)
	}
	began := time.Now()
	r := m.ask(sidecar.SearchTools, object{"query": "team42_report"})
	if took := time.Since(began); took > 2*time.Second || !strings.Contains(r.text, "team42_report") {
		t.Errorf("the first search took %s: %.300s", took, r.text)
	}
	began = time.Now()
	m.ask(sidecar.SearchTools, object{"query": "team41_report"})
	if took := time.Since(began); took > 500*time.Millisecond {
		t.Errorf("the second search took %s", took)
	}
	if r := m.run("team49_report"); r.failed || !strings.Contains(r.text, "team49_report ran") {
		t.Errorf("a call: %d %.300s", r.status, r.body)
	}
	m.goodWorks()
	t.Logf("ready after %s", m.Ready)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			r, err := try(t.Context(), question{url: m.Origin + "/mcp", era: wire.Modern, body: callBody(sidecar.SearchTools, object{"query": fmt.Sprintf("report %d", i)})})
			if err != nil || r.failed || r.status != http.StatusOK {
				t.Errorf("a search: %v %d %.300s", err, r.status, r.body)
			}
		})
	}
	wg.Wait()
}
