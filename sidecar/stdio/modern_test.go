package stdio_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-toolsearch/sidecar/stdio"
)

func TestClientsOfTheSharedProcessNeverCollide(t *testing.T) {
	r := open(t, "modern")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			mine := fmt.Sprint("client-", i)
			got := r.do(t, modern(t, t.Context(), call("7", "progress:"+mine))) // all with the same id and token
			if len(got.events) != 4 {
				t.Errorf("%d events", len(got.events))
				return
			}
			for _, ev := range got.events[:3] {
				if !strings.Contains(ev, `"progressToken":7,`) || !strings.Contains(ev, `"`+mine+`"`) {
					t.Errorf("%s got %s", mine, ev)
				}
			}
			if want := `{"jsonrpc":"2.0","id":7,"result":{"of":"` + mine + `"}}`; got.body != want {
				t.Errorf("got %s, want %s", got.body, want)
			}
		})
	}
	all.Wait()
}

func TestOneProcessServesTheModernEra(t *testing.T) {
	r := open(t, "modern")
	first := r.do(t, modern(t, t.Context(), call("1", "pid")))
	second := r.do(t, modern(t, t.Context(), call(`"1"`, "pid")))
	if first.status != 200 || strings.Replace(first.body, `"id":1`, `"id":"1"`, 1) != second.body {
		t.Errorf("%s, then %s", first.body, second.body)
	}
	if r.call(t, r.session(t), "pid").body == first.body {
		t.Error("a session got the shared process")
	}
}

func TestASubscriptionKeepsItsClientsID(t *testing.T) {
	r := open(t, "modern")
	got := r.do(t, modern(t, t.Context(), `{"jsonrpc":"2.0","id":"sub","method":"subscriptions/listen","params":{}}`))
	if len(got.events) != 2 || !strings.Contains(got.events[0], `acknowledged`) || !strings.Contains(got.events[1], `"io.modelcontextprotocol/subscriptionId":"sub"`) {
		t.Errorf("events %q", got.events)
	}
}

func TestALogMessageGoesToNobodyWhenItIsUnclearWhose(t *testing.T) {
	r := open(t, "modern")
	logs := strings.Replace(call("1", "log:x"), `"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"info",`, 1)
	if got := r.do(t, modern(t, t.Context(), logs)); len(got.events) != 2 || !strings.Contains(got.events[0], "logged x") {
		t.Errorf("alone: %q", got.events)
	}
	if got := r.do(t, modern(t, t.Context(), call("1", "log:x"))); len(got.events) != 0 {
		t.Errorf("without having asked: %q", got.events)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	other, err := r.RoundTrip(modern(t, ctx, call("1", "wait")))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.do(t, modern(t, t.Context(), logs)); len(got.events) != 0 {
		t.Errorf("beside another call: %q", got.events)
	}
	_ = other.Body.Close()
	if got := r.do(t, modern(t, t.Context(), logs)); len(got.events) != 0 {
		t.Errorf("while a dropped call may still run: %q", got.events)
	}
}

func TestADroppedModernCallIsCancelledByOurID(t *testing.T) {
	r := open(t, "modern")
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := r.RoundTrip(modern(t, ctx, call("7", "wait")))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	eventually(t, "the server is told", func() bool {
		told := r.do(t, modern(t, t.Context(), call("7", "told"))).body
		return strings.Contains(told, "notifications/cancelled") && !strings.Contains(told, `"requestId":7,`)
	})
	_ = resp.Body.Close()
	r.do(t, modern(t, t.Context(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)).has(t, http.StatusAccepted, "")
}

func TestALegacyServerRefusesTheModernEra(t *testing.T) {
	for _, role := range []string{"legacy", "legacy exits", "legacy silent"} {
		t.Run(role, func(t *testing.T) {
			r := open(t, role, func(o *stdio.Options) { o.ProbeTimeout = 300 * time.Millisecond })
			for _, body := range []string{`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, call("2", "pid")} {
				got := r.do(t, modern(t, t.Context(), body))
				got.has(t, http.StatusBadRequest, `-32022`)
				got.has(t, http.StatusBadRequest, `"supported":["2025-11-25",`)
			}
			r.call(t, r.session(t), "pid").has(t, http.StatusOK, "pid")
		})
	}
}

func TestAnErrorOfTheModernEraHasAStatus(t *testing.T) {
	r := open(t, "modern")
	r.do(t, modern(t, t.Context(), `{"jsonrpc":"2.0","id":1,"method":"no/such"}`)).has(t, http.StatusNotFound, `"id":1,"error":{"code":-32601`)
	hr := modern(t, t.Context(), call("1", "pid"))
	hr.Method = http.MethodGet
	r.do(t, hr).has(t, http.StatusMethodNotAllowed, "POST")
}
