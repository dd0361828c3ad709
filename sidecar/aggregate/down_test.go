package aggregate_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/sidecar/aggregate"
	"mcp-toolsearch/sidecar/servers"
)

// refused is an address where nobody listens, and no test can begin to.
func refused(t *testing.T) string {
	t.Helper()
	return "http://127.0.0.1:1/"
}

// hangs is a server that never answers.
func hangs(t *testing.T) string {
	t.Helper()
	stop := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-stop:
		}
	}))
	t.Cleanup(func() {
		close(stop)
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// ready is how long connecting and the first listing take, whichever takes
// longer: the best of three, because other tests run beside this one.
func ready(t *testing.T, list []servers.Server, change func(*aggregate.Options)) (r *rig, s *mcp.ClientSession, took time.Duration) {
	for range 3 {
		r = start(t, list, change)
		began := time.Now()
		s = connect(t, r.url, nil, "2026-07-28")
		took = time.Since(began)
		began = time.Now()
		got := names(t, s)
		if took = max(took, time.Since(began)); took < 2*time.Second && len(got) == 40 {
			break
		}
	}
	return r, s, took
}

func TestFiftyServersOfWhichTenAreDown(t *testing.T) {
	var list, up []servers.Server
	for i := range 50 {
		name := fmt.Sprintf("s%02d", i)
		url := ""
		switch {
		case i%10 == 3:
			url = hangs(t)
		case i%10 == 7:
			url = refused(t)
		default:
			url = sdk(t, i%2 == 0, echoes(name+"_tool="+name)).URL
		}
		list = append(list, at(name, url))
		if i%10 != 3 && i%10 != 7 {
			up = append(up, at(name, url))
		}
	}
	for mode, change := range map[string]func(*aggregate.Options){"operator": func(*aggregate.Options) {}, "per caller": perCaller(t)} {
		t.Run(mode, func(t *testing.T) {
			_, _, without := ready(t, up, change)
			r, s, took := ready(t, list, change)
			if took > 2*time.Second && without < time.Second { // where forty alone take longer, nothing can be said of the ten
				t.Errorf("connected or listed only after %s, and after %s without the ten", took, without)
			}
			var got []string
			eventually(t, "all forty are listed", func() bool { got = names(t, s); return len(got) >= 40 })
			if len(got) != 40 || got[0] != "s00_tool" || !slices.IsSorted(got) {
				t.Errorf("%d tools: %q\n%s", len(got), got, r.log)
			}
			began := time.Now()
			if len(names(t, s)) != 40 || time.Since(began) > time.Second {
				t.Errorf("the second listing took %s", time.Since(began))
			}
			if got := call(t, s, "s49_tool"); got != "s49" {
				t.Errorf("a call says %q", got)
			}
		})
	}
}

func TestAServerThatGoesAndComesBack(t *testing.T) {
	a := sdk(t, false, echoes("first=first"))
	place := &switchable{}
	place.set(stateful(t, echoes("second=second")))
	b := place.start(t)
	r := start(t, []servers.Server{at("a", a.URL), at("b", b)})
	s := connect(t, r.url, nil, "2025-11-25")
	if got := names(t, s); !slices.Equal(got, []string{"first", "second"}) {
		t.Fatalf("tools %q", got)
	}
	place.set(nil)
	report, err := r.Refresh(t.Context())
	if err != nil || report.Sources[1].State != "old" || report.Sources[1].Tools != 1 {
		t.Fatalf("refresh with one down: %v, %+v", err, report)
	}
	eventually(t, "the log says that the last tools stand in", func() bool { return strings.Contains(r.log.String(), "its last known tools stand in") })
	if text := r.log.String(); strings.Contains(text, "no tools yet") {
		t.Errorf("the log says %s", text)
	}
	_, text := post(t, r.url, "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if !strings.Contains(text, `"mcp-toolsearch/old":true`) || !strings.Contains(text, `"mcp-toolsearch/down":["b"]`) {
		t.Errorf("the old list is not marked: %s", text)
	}
	got, err := tryCall(t.Context(), s, "second", nil)
	if err == nil || !strings.Contains(got, "server b") {
		t.Errorf("a call of a server that is down: %v %q", err, got)
	}
	if got := call(t, s, "first"); got != "first" {
		t.Errorf("the other server says %q", got)
	}
	place.set(stateful(t, echoes("second=again", "third=third")))
	eventually(t, "the server is listed again by itself", func() bool {
		return slices.Equal(names(t, s), []string{"first", "second", "third"})
	})
	if got := call(t, s, "second"); got != "again" {
		t.Errorf("after it came back it says %q", got)
	}
	if _, text := post(t, r.url, "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); strings.Contains(text, "mcp-toolsearch/old") {
		t.Errorf("the new list is still marked: %s", text)
	}
}

func TestACallSaysWhetherItCanHaveBeenRun(t *testing.T) {
	entered, gate := make(chan struct{}, 1), make(chan struct{})
	defer close(gate)
	a := sdk(t, false, echoes("first=first"))
	b := sdk(t, true, gated("slow", entered, gate))
	r := start(t, []servers.Server{at("a", a.URL), at("b", b.URL)})
	s := connect(t, r.url, nil, "2025-11-25")
	names(t, s)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		<-entered
		_ = b.Listener.Close() // what closing twice says doesn't matter
		b.CloseClientConnections()
	}()
	if text, err := tryCall(t.Context(), s, "slow", nil); err == nil || !strings.Contains(text, "may have been done") {
		t.Errorf("a call that broke off: %q %v", text, err)
	}
	<-gone
	if text, err := tryCall(t.Context(), s, "slow", nil); err == nil || !strings.Contains(text, "Nothing was run") {
		t.Errorf("a call that can't be sent: %q %v", text, err)
	}
}

func TestAServersStatusIsNotTheClients(t *testing.T) {
	status := http.StatusNotFound
	var on atomic.Bool
	real := sdk(t, true, echoes("x=x"))
	front := &switchable{}
	front.set(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if on.Load() && strings.Contains(peek(r), `"tools/call"`) {
			http.Error(w, "session not found", status)
			return
		}
		target, err := url.Parse(real.URL)
		if err != nil {
			panic(err)
		}
		httputil.NewSingleHostReverseProxy(target).ServeHTTP(w, r)
	}))
	a := sdk(t, false, echoes("first=first"))
	r := start(t, []servers.Server{at("a", a.URL), at("b", front.start(t))})
	resp, _ := post(t, r.url, "", hello)
	id := resp.Header.Get("Mcp-Session-Id")
	on.Store(true)
	for _, status = range []int{404, 400, 409, 429, 500, 503} {
		resp, text := post(t, r.url, id, calls("x"))
		if resp.StatusCode != http.StatusOK || !strings.Contains(text, "isError") || !strings.Contains(text, "server b") {
			t.Errorf("a server's %d: %d %s", status, resp.StatusCode, text)
		}
	}
	on.Store(false)
	if _, text := post(t, r.url, id, calls("x")); !strings.Contains(text, `"text":"x"`) {
		t.Errorf("after that: %s", text)
	}
}

func TestAllServersDown(t *testing.T) {
	places := []*switchable{{}, {}}
	var list []servers.Server
	for i, p := range places {
		name := string(rune('a' + i))
		p.set(stateful(t, echoes(name+"="+name)))
		list = append(list, at(name, p.start(t)))
	}
	r := start(t, list)
	if _, err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, p := range places {
		p.set(nil)
	}
	report, err := r.Refresh(t.Context())
	if err == nil || !strings.Contains(err.Error(), "last known tools stay") || report.Tools != 2 {
		t.Errorf("refresh: %v, %+v", err, report)
	}
	_, text := post(t, r.url, "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if !strings.Contains(text, `"name":"a"`) || !strings.Contains(text, `"mcp-toolsearch/down":["a","b"]`) {
		t.Errorf("the list with all down: %s", text)
	}
}

func TestNobodyWasEverThere(t *testing.T) {
	r := start(t, []servers.Server{at("a", refused(t)), at("b", refused(t))})
	_, text := post(t, r.url, "", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if !strings.Contains(text, `"code":-32603`) || !strings.Contains(text, "none of the configured servers") {
		t.Errorf("the list: %s", text)
	}
	if _, err := r.Refresh(t.Context()); err == nil {
		t.Error("a refresh of nothing goes well")
	}
}

func TestAnUnknownToolIsWorthOneNewListing(t *testing.T) {
	place := &switchable{}
	place.set(stateful(t, echoes("old=old")))
	a := sdk(t, false, echoes("first=first"))
	r := start(t, []servers.Server{at("a", a.URL), at("b", place.start(t))})
	s := connect(t, r.url, nil, "2025-11-25")
	names(t, s)
	place.set(stateful(t, echoes("old=old", "young=young")))
	listed := time.Now()
	eventually(t, "the last listing is no longer new enough", func() bool { return time.Since(listed) > 300*time.Millisecond })
	if got := call(t, s, "young"); got != "young" {
		t.Errorf("the new tool says %q", got)
	}
	if _, err := tryCall(t.Context(), s, "nobody_has_it", nil); err == nil || !strings.Contains(err.Error(), "no server has this name") {
		t.Errorf("a tool of nobody's: %v", err)
	}
}

func TestAServerThatHangsDoesNotHoldTheOthersUp(t *testing.T) {
	a := sdk(t, false, echoes("first=first"))
	slow := servers.Server{Name: "slow", URL: hangs(t), Timeout: 300 * time.Millisecond, OpenTimeout: 300 * time.Millisecond, ListTimeout: 300 * time.Millisecond}
	r := start(t, []servers.Server{slow, at("a", a.URL)})
	s := connect(t, r.url, nil, "2025-11-25")
	began := time.Now()
	if got := call(t, s, "first"); got != "first" || time.Since(began) > 2*time.Second {
		t.Errorf("%q after %s", got, time.Since(began))
	}
}
