package relay_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-toolsearch/internal/featureserver"
	"mcp-toolsearch/internal/testdoor"
	"mcp-toolsearch/internal/upstreamtest"
	"mcp-toolsearch/sidecar"
	"mcp-toolsearch/sidecar/relay"
	"mcp-toolsearch/sidecar/wire"
)

const slowRead = `{"name":"slow_read","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true}}`

// batchOf is a call_read_tools with a progress token, in an era.
func batchOf(t *testing.T, r *rig, ctx context.Context, era wire.Era, items string, change ...func(*http.Request)) *http.Request {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"call_read_tools","arguments":{"calls":[` + items + `]}}}`
	hr := r.request(t, ctx, era, body, change...)
	dressed := make([]byte, hr.ContentLength)
	if _, err := hr.Body.Read(dressed); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(dressed), `"_meta":{`, `"_meta":{"progressToken":"p7",`, 1)
	if era == wire.Legacy {
		text = strings.Replace(text, `"params":{`, `"params":{"_meta":{"progressToken":"p7"},`, 1)
	}
	again, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url(), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	again.Header = hr.Header
	return again
}

// TestProgressOfABatchArrivesWhileItRuns: the second item ends only when the client has heard of the first.
func TestProgressOfABatchArrivesWhileItRuns(t *testing.T) {
	bothEras(t, func(t *testing.T, era wire.Era) {
		heard := make(chan struct{})
		up := upstreamtest.New(t, find, slowRead)
		up.Configure(func(b *upstreamtest.Behaviour) { b.Stateless = true })
		up.Script("slow_read", upstreamtest.Script{Gate: heard, Result: "{\n\"content\":[{\"type\":\"text\",\r\n\"text\":\"slow\"}]}"})
		r := open(t, up, nil, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		resp := r.do(t, batchOf(t, r, ctx, era, `{"name":"mail_find"},{"name":"slow_read"}`, set("Origin", "http://localhost")))
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" || resp.Header.Get("X-Accel-Buffering") != "no" ||
			resp.Header.Get("Access-Control-Allow-Origin") != "http://localhost" {
			t.Errorf("HTTP %d %v", resp.StatusCode, resp.Header)
		}
		events := wire.NewEventReader(resp.Body, 1<<20)
		for i, want := range []string{`"progressToken":"p7","progress":1,"total":2`, `"progressToken":"p7","progress":2,"total":2`, "[1] mail_find: ok"} {
			ev, err := events.Next()
			if err != nil || !strings.Contains(string(ev.Data), want) {
				t.Fatalf("event %d is %s (%v), want %s", i, ev.Data, err, want)
			}
			if i == 0 {
				close(heard)
			}
			if i == 2 {
				if a, err := wire.ScanAnswer(ev.Data); err != nil || a.Result.Absent() {
					t.Errorf("the answer can't be read: %v: %s", err, ev.Data)
				}
			}
		}
		if ev, err := events.Next(); err == nil {
			t.Errorf("after the answer came %s", ev.Data)
		}
	})
}

func TestClientsThatDontTakeStreamsGetJSON(t *testing.T) {
	r := open(t, upstreamtest.New(t, find), nil, nil)
	for _, accept := range []string{"application/json", "*/*", "text/html, application/json;q=0.9"} {
		got := read(t, r.do(t, batchOf(t, r, t.Context(), wire.Modern, `{"name":"mail_find"}`, set("Accept", accept))))
		if got.header.Get("Content-Type") != "application/json" || !strings.Contains(got.body, "[1] mail_find: ok") {
			t.Errorf("Accept %s: %s %s", accept, got.header.Get("Content-Type"), got.body)
		}
	}
}

func TestAClientThatLeavesItsProgressEndsTheBatch(t *testing.T) {
	up := upstreamtest.New(t, find, slowRead)
	up.Script("slow_read", upstreamtest.Script{Gate: make(<-chan struct{})})
	r := open(t, up, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	resp := r.do(t, batchOf(t, r, ctx, wire.Modern, `{"name":"mail_find"},{"name":"slow_read"}`))
	if _, err := wire.NewEventReader(resp.Body, 1<<20).Next(); err != nil {
		t.Fatal(err)
	}
	cancel() // goleak sees what would stay
}

// slowEngine tells once, is busy for a minute and answers.
type slowEngine struct{ relay.Engine }

func (slowEngine) DecideHeaders(context.Context, sidecar.Request, bool) (sidecar.Decision, bool) {
	return sidecar.Decision{}, false
}

func (slowEngine) Decide(_ context.Context, req sidecar.Request) sidecar.Decision {
	req.Notify([]byte(`{"first":1}`))
	time.Sleep(40 * time.Second)
	req.Notify([]byte(`{"second":2}`))
	time.Sleep(20 * time.Second)
	return sidecar.Decision{Kind: sidecar.Answer, Status: http.StatusOK, Header: http.Header{}, Body: []byte(`{"answer":3}`)}
}

func TestAnOpenStreamIsNeverSilentForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		door, err := relay.New(relay.Options{Engine: slowEngine{}, Observer: &seen{}, Logger: slog.New(slog.DiscardHandler), Upstream: "http://127.0.0.1:1",
			Routes: []sidecar.Route{{Search: testdoor.SearchPath, Aggregate: testdoor.AggregatePath}}})
		if err != nil {
			t.Fatal(err)
		}
		hr := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost"+testdoor.SearchPath, strings.NewReader(`{}`))
		hr.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		door.ServeHTTP(w, hr)
		event := func(data string) string { return fmt.Sprintf("event: message\ndata: %s\n\n", data) }
		beat := ": working\n\n"
		want := event(`{"first":1}`) + beat + beat + event(`{"second":2}`) + beat + event(`{"answer":3}`)
		if w.Body.String() != want {
			t.Errorf("%q\nwant\n%q", w.Body.String(), want)
		}
	})
}

// TestTheSDKsClientHearsTheProgressOfABatch, in each era, also of a server without sessions: the progress is ours.
func TestTheSDKsClientHearsTheProgressOfABatch(t *testing.T) {
	for era, how := range map[string]struct {
		version  string
		stateful bool
	}{"modern": {featureserver.Modern, false}, "legacy with sessions": {"2025-11-25", true}, "legacy without sessions": {"2025-06-18", false}} {
		t.Run(era, func(t *testing.T) {
			k := connect(t, how.version, how.stateful)
			batch := object{"calls": []object{{"name": "notes_list"}, {"name": "always_fail"}, {"name": "notes_list"}}}
			if got := k.call(t, sidecar.CallReadTools, "", batch, mcp.Meta{"progressToken": "b1"}); !strings.Contains(got, "[3] notes_list: ok") {
				t.Errorf("the batch answers %q", got)
			}
			eventually(t, "three notifications", func() bool {
				k.mu.Lock()
				defer k.mu.Unlock()
				return slices.Equal(k.progress, []float64{1, 2, 3})
			})
		})
	}
}
